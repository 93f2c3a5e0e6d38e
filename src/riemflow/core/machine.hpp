#pragma once
// The machine that figures were measured on.

#include <string>

namespace riemflow {

/// "AMD EPYC 9R14, 2 cores"
std::string machine_name();

}  // namespace riemflow
