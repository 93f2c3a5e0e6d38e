#include "riemflow/manifold/common.hpp"

#include <fmt/format.h>

#include "riemflow/core/error.hpp"

namespace riemflow {

void require_dimension(const std::string& kind, int d) {
  require(d >= 1, fmt::format("{}: dimension {} is not positive", kind, d),
          "give a dimension of 1 or more, as in " + kind + ":2");
}

void require_curvature(const std::string& kind, double K, int sign) {
  const double size = sign * K;
  const char* wanted = sign > 0 ? "positive" : "negative";
  require(std::isfinite(K) && size > 0, fmt::format("{}: curvature K = {} is not {}", kind, K, wanted),
          fmt::format("give a finite {} K, such as {}, or use euclidean for K = 0", wanted, sign));
  require(1e-12 <= size && size <= 1e12, fmt::format("{}: curvature K = {} is out of range", kind, K),
          "keep |K| between 1e-12 and 1e12, and rescale the data instead");
}

template <class T>
std::optional<std::string> coordinate_defect(std::span<const T> point, int expected) {
  if (point.size() != static_cast<std::size_t>(expected))
    return fmt::format("{} coordinates where {} are expected", point.size(), expected);
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!std::isfinite(point[i])) return fmt::format("coordinate {} of {} is {}", i + 1, expected, point[i]);
  return std::nullopt;
}

template std::optional<std::string> coordinate_defect(std::span<const float>, int);
template std::optional<std::string> coordinate_defect(std::span<const double>, int);

}  // namespace riemflow
