#pragma once
// Fewer points, for pictures.

#include <algorithm>

#include "riemflow/core/points.hpp"

namespace riemflow {

/// All points, or of more than `most` that many at equal steps, in their order.
template <class T>
Points<T> thinned(const Points<T>& points, std::size_t most) {
  const std::size_t n = points.size();
  if (n <= most) return points;
  Points<T> kept(most, points.dimension);
  for (std::size_t k = 0; k < most; ++k) {
    const auto from =
        points[static_cast<std::size_t>((2 * static_cast<unsigned long long>(k) + 1) * n / (2 * most))];
    std::copy(from.begin(), from.end(), kept[k].begin());
  }
  return kept;
}

}  // namespace riemflow
