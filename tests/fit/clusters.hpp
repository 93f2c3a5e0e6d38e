#pragma once
// Data for fits.

#include <cmath>

#include "riemflow/core/points.hpp"
#include "riemflow/core/random.hpp"

namespace riemflow {

/// Two clusters of the sphere, one of them narrow.
inline Points<double> two_clusters(std::size_t n, std::uint64_t seed) {
  Points<double> points(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::test, 0, i);
    const double width = i % 2 == 0 ? 0.05 : 0.6;
    double norm = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      points[i][c] = (c == i % 2 ? 1 : 0) + width * (random.uniform() + random.uniform() - 1);
      norm += points[i][c] * points[i][c];
    }
    for (double& x : points[i]) x /= std::sqrt(norm);
  }
  return points;
}

}  // namespace riemflow
