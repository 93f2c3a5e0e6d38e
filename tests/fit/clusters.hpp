#pragma once
// Data for fits.

#include <cmath>
#include <vector>

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

/// Clusters around the two poles of the sphere, of even and of odd numbers.
inline Points<double> two_poles(std::size_t n, std::uint64_t seed) {
  Points<double> points(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::test, 1, i);
    const double x = 0.3 * random.normal(), y = 0.3 * random.normal(), norm = std::sqrt(x * x + y * y + 1);
    points[i][0] = x / norm;
    points[i][1] = y / norm;
    points[i][2] = (i % 2 == 0 ? 1 : -1) / norm;
  }
  return points;
}

/// Of points of even and of odd numbers.
inline std::vector<double> two_weights(std::size_t n, double even, double odd) {
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = i % 2 == 0 ? even : odd;
  return weights;
}

/// Point i so many times as counts[i] says, one after the other.
inline Points<double> repeated(const Points<double>& points, const std::vector<double>& counts) {
  Points<double> all(0, points.dimension);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (double k = 0; k < counts[i]; ++k)
      all.values.insert(all.values.end(), points[i].begin(), points[i].end());
  return all;
}

/// 1, 2, 3 or 4 of each point.
inline std::vector<double> random_counts(std::size_t n, std::uint64_t seed) {
  std::vector<double> counts(n);
  for (std::size_t i = 0; i < n; ++i)
    counts[i] = 1 + static_cast<double>(Random(seed, Purpose::test, 2, i).below(4));
  return counts;
}

}  // namespace riemflow
