#include "riemflow/core/stopwatch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace riemflow {

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::clamp(seconds, 0.0, 3.6e8)));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace riemflow
