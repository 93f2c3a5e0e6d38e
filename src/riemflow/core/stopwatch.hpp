#pragma once
// How long something took.

#include <chrono>

namespace riemflow {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace riemflow
