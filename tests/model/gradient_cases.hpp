#pragma once
// Gradients of log p in the point against differences of log_prob.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "riemflow/model/density.hpp"

namespace riemflow::gradient_test {

/// Column j of an orthonormal frame at x, in the manifold's metric.
inline std::vector<double> frame_vector(const Manifold<double>& manifold, std::span<const double> x, int j) {
  const int D = manifold.ambient(), d = manifold.dimension();
  std::vector<Pack<double>> at(x.begin(), x.end()), e(static_cast<std::size_t>(D * d));
  manifold.frame(at.data(), {e.data(), d});
  std::vector<double> column(x.size());
  for (int i = 0; i < D; ++i) column[static_cast<std::size_t>(i)] = e[static_cast<std::size_t>(i * d + j)][0];
  return column;
}

/// exp_x(s·v)
inline void append_moved(const Manifold<double>& manifold, std::span<const double> x,
                         const std::vector<double>& v, double s, Points<double>& to) {
  std::vector<Pack<double>> at(x.begin(), x.end()), along, y(x.size());
  for (const double c : v) along.emplace_back(s * c);
  manifold.exp(at.data(), along.data(), y.data());
  for (const Pack<double>& c : y) to.values.push_back(c[0]);
}

/// Largest difference of d log p(e_j) from central differences of fourth order along the geodesics of an
/// orthonormal frame, relative to the length of the gradient at the point or to `least` where that is more;
/// of standardised densities the frame is that of the data's units. Beside it: the values have log_prob's
/// bits, the gradient is tangential unless that is not asked for, no point fails.
inline double gradient_error(const Density& density, const Points<double>& points, double step,
                             double least = 1, bool tangential = true) {
  const Manifold<double>& manifold = density.manifold();
  const LogProbGradient claimed = density.log_prob_gradient(points);
  EXPECT_EQ(claimed.values, density.log_prob(points).values) << manifold.name();
  EXPECT_TRUE(claimed.summary.ok()) << claimed.summary.message();
  EXPECT_EQ(claimed.summary.points, points.size());
  EXPECT_EQ(claimed.gradients.values.size(), points.values.size());
  const int d = manifold.dimension();
  Points<double> moved(0, points.dimension);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int j = 0; j < d; ++j)
      for (const double s : {-2.0, -1.0, 1.0, 2.0})
        append_moved(manifold, points[i], frame_vector(manifold, points[i], j), s * step, moved);
  const std::vector<double> f = density.log_prob(moved).values;
  double worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double length = 0, off = 0;
    for (int j = 0; j < d; ++j) {
      const double* at = &f[4 * (i * static_cast<std::size_t>(d) + static_cast<std::size_t>(j))];
      const double slope = (8 * (at[2] - at[1]) - (at[3] - at[0])) / (12 * step);
      const std::vector<double> e = frame_vector(manifold, points[i], j);
      double along = 0;
      for (std::size_t c = 0; c < e.size(); ++c) along += claimed.gradients[i][c] * e[c];
      length = std::hypot(length, along);
      off = std::max(off, std::abs(along - slope));
    }
    const double error = off / std::max(length, least);
    worst = error <= worst ? worst : error;  // NaN wins
    if (!tangential) continue;
    std::vector<Pack<double>> x(points[i].begin(), points[i].end()),
        v(claimed.gradients[i].begin(), claimed.gradients[i].end());
    manifold.to_tangent(x.data(), v.data());
    double size = 0;
    for (const double g : claimed.gradients[i]) size = std::max(size, std::abs(g));
    for (std::size_t c = 0; c < v.size(); ++c)
      EXPECT_NEAR(v[c][0], claimed.gradients[i][c], 1e-14 * size) << manifold.name();
  }
  return worst;
}

/// Points given by their numbers.
inline Points<double> points_of(int dimension, std::vector<double> numbers) {
  Points<double> points(0, dimension);
  points.values = std::move(numbers);
  return points;
}

inline bool is_nan(std::span<const double> row) {
  return std::all_of(row.begin(), row.end(), [](double x) { return std::isnan(x); });
}

}  // namespace riemflow::gradient_test
