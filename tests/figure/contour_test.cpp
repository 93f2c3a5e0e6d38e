#include "riemflow/figure/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "riemflow/figure/land.hpp"
#include "riemflow/manifold/earth.hpp"

namespace riemflow::figure {
namespace {

using std::numbers::pi;

struct Grid {
  std::size_t rows = 180, columns = 360;
  std::vector<double> values, volumes;
  double latitude(double row) const { return -90 + (row + 0.5) * 180 / static_cast<double>(rows); }
  double longitude(double column) const { return -180 + (column + 0.5) * 360 / static_cast<double>(columns); }
};

/// von Mises–Fisher, κ exp(κ (cos θ − 1)) / (2π (1 − e^{−2κ})).
Grid vmf(double kappa, LatLon mean) {
  Grid grid;
  double m[3], x[3];
  earth_point(mean.latitude * kRadians, mean.longitude * kRadians, m);
  for (std::size_t row = 0; row < grid.rows; ++row)
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const double latitude = grid.latitude(double(row)), longitude = grid.longitude(double(column));
      earth_point(latitude * kRadians, longitude * kRadians, x);
      const double cosine = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
      grid.values.push_back(kappa * std::exp(kappa * (cosine - 1)) / (2 * pi * (1 - std::exp(-2 * kappa))));
      grid.volumes.push_back(kRadians *
                             (std::sin((latitude + 0.5) * kRadians) - std::sin((latitude - 0.5) * kRadians)));
    }
  return grid;
}

/// A cap of angle θ holds (1 − e^{κ (cos θ − 1)}) / (1 − e^{−2κ}).
double cap_angle(double kappa, double share) {
  return std::acos(1 + std::log(1 - share * (1 - std::exp(-2 * kappa))) / kappa);
}

TEST(Contour, OfHighestDensityIsACap) {
  const double kappa = 6;
  for (const LatLon mean : {LatLon{10, 40}, LatLon{-35, 180}, LatLon{80, -100}}) {
    const Grid grid = vmf(kappa, mean);
    const double shares[] = {0.5, 0.9, 0.95};
    const auto levels = highest_density_levels(grid.values, grid.volumes, shares);
    double m[3], x[3];
    earth_point(mean.latitude * kRadians, mean.longitude * kRadians, m);
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle = cap_angle(kappa, shares[i]);
      const Lines lines = contour({grid.rows, grid.columns, grid.values, true, false}, levels[i]);
      ASSERT_EQ(lines.size(), 1u);
      const bool around_pole = std::abs(mean.latitude) + angle / kRadians > 90;
      EXPECT_EQ(lines[0].closed, !around_pole);
      if (around_pole) {
        EXPECT_NEAR(std::abs(lines[0].points.front().x - lines[0].points.back().x), 360, 1e-9);
      }
      for (std::size_t k = 0; k < lines[0].points.size(); ++k) {
        const Vec2 p = lines[0].points[k];
        earth_point(grid.latitude(p.y) * kRadians, grid.longitude(p.x) * kRadians, x);
        const double at = std::acos(m[0] * x[0] + m[1] * x[1] + m[2] * x[2]);
        EXPECT_NEAR(at / kRadians, angle / kRadians, 0.15);
        if (k > 0) {
          EXPECT_LT(std::abs(p.x - lines[0].points[k - 1].x), 1.5);  // no jump at the seam
        }
      }
    }
  }
}

TEST(Contour, LinesEndAtBordersAndAtMissingValues) {
  const std::size_t n = 11;
  std::vector<double> ramp;
  for (std::size_t i = 0; i < n * n; ++i) ramp.push_back(static_cast<double>(i % n));
  Lines lines = contour({n, n, ramp}, 4.25);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  EXPECT_EQ(lines[0].points.size(), n);
  for (const Vec2& p : lines[0].points) EXPECT_DOUBLE_EQ(p.x, 4.25);
  ramp[5 * n + 4] = std::numeric_limits<double>::quiet_NaN();
  lines = contour({n, n, ramp}, 4.25);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].points.size() + lines[1].points.size(), n - 1);
  EXPECT_TRUE(contour({n, n, ramp}, 40).empty());
}

TEST(Contour, OnATorusGoesAroundBothWays) {
  const std::size_t n = 24;
  std::vector<double> values;
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column)
      values.push_back(std::cos(2 * pi * double(row) / n) + std::cos(2 * pi * double(column) / n));
  // One hill around the corner of the lattice: one ring, in one piece.
  const Lines hill = contour({n, n, values, true, true}, 1.0);
  ASSERT_EQ(hill.size(), 1u);
  EXPECT_TRUE(hill[0].closed);
}

TEST(Contour, SaddlesAreSettledByTheMiddle) {
  const std::vector<double> high = {1, 0, 0, 1}, low = {1, 0, 0, 1};
  // The middle is 0.5: at 0.4 the high corners hang together, at 0.6 they do not.
  const auto cut_corner = [](const Line& line) {  // the corner that the line cuts off
    const Vec2 middle = {(line.points[0].x + line.points[1].x) / 2,
                         (line.points[0].y + line.points[1].y) / 2};
    return std::pair(middle.x > 0.5, middle.y > 0.5);
  };
  for (const Line& line : contour({2, 2, high}, 0.4))
    EXPECT_NE(cut_corner(line).first, cut_corner(line).second);
  for (const Line& line : contour({2, 2, low}, 0.6))
    EXPECT_EQ(cut_corner(line).first, cut_corner(line).second);
}

}  // namespace
}  // namespace riemflow::figure
