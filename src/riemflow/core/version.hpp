#pragma once

namespace riemflow {

/// The build reads it here.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace riemflow
