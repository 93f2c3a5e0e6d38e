#pragma once
// How long something took.

#include <chrono>
#include <string>

namespace riemflow {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// "1:05", "2:03:10"
std::string clock_text(double seconds);

}  // namespace riemflow
