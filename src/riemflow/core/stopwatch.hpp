#pragma once
// How long something took.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace riemflow {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// "1:05", "2:03:10"
inline std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::clamp(seconds, 0.0, 3.6e8)));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace riemflow
