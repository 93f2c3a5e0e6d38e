#pragma once
// Where a flow is computed.

#include "riemflow/core/enum_names.hpp"

namespace riemflow {

enum class Device { cpu, cuda, automatic };
constexpr auto names_of(Device) { return std::to_array<std::string_view>({"cpu", "cuda", "auto"}); }

}  // namespace riemflow
