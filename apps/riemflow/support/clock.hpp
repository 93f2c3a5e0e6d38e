#pragma once
// How long something took, and how that is written.

#include <chrono>
#include <string>

namespace riemflow::app {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start);

/// "1:05", "2:03:10"
std::string clock_text(double seconds);

}  // namespace riemflow::app
