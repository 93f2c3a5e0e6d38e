#pragma once
// How a time is written.

#include <string>

#include "riemflow/core/stopwatch.hpp"

namespace riemflow::app {

/// "1:05", "2:03:10"
std::string clock_text(double seconds);

}  // namespace riemflow::app
