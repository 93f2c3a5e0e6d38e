#include "riemflow/figure/contour.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

template <class F>
Raster raster(int rows, int columns, const F& f) {
  Raster result{rows, columns, {}};
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) result.values.push_back(f(i, j));
  return result;
}

TEST(Contour, CircleIsOneRingOfItsRadius) {
  const Lines lines =
      contour(raster(41, 61, [](int i, int j) { return std::hypot(i - 20.0, j - 30.0); }), 12.3);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_GT(lines[0].points.size(), 60u);
  for (const Vec2& p : lines[0].points) EXPECT_NEAR(std::hypot(p.y - 20, p.x - 30), 12.3, 0.02);
  double length = 0;
  for (std::size_t k = 0; k < lines[0].points.size(); ++k) {
    const Vec2 &a = lines[0].points[k], &b = lines[0].points[(k + 1) % lines[0].points.size()];
    length += std::hypot(a.x - b.x, a.y - b.y);
  }
  EXPECT_NEAR(length, 2 * std::numbers::pi * 12.3, 0.1);
}

TEST(Contour, OpenWhereTheLatticeEndsOrHasNoValue) {
  const auto slope = [](int, int j) { return static_cast<double>(j); };
  const Lines straight = contour(raster(5, 7, slope), 2.5);
  ASSERT_EQ(straight.size(), 1u);
  EXPECT_FALSE(straight[0].closed);
  ASSERT_EQ(straight[0].points.size(), 5u);
  for (const Vec2& p : straight[0].points) EXPECT_EQ(p.x, 2.5);
  const Lines broken = contour(raster(5, 7, [](int i, int j) { return i == 2 ? std::nan("") : j; }), 2.5);
  EXPECT_EQ(broken.size(), 2u);
}

TEST(Contour, Saddle) {
  const auto corners = [](double middle) {
    return raster(2, 2, [&](int i, int j) { return (i == j ? 1 : -1) + middle; });
  };
  for (const double middle : {0.3, -0.3}) {
    const Lines lines = contour(corners(middle), 0);
    ASSERT_EQ(lines.size(), 2u);
    for (const Line& line : lines) {
      ASSERT_EQ(line.points.size(), 2u);
      // The line cuts off the corner that is not like the middle: both of its ends are near one corner.
      const double x = line.points[0].x + line.points[1].x, y = line.points[0].y + line.points[1].y;
      const bool falling = (x - 1) * (y - 1) > 0;  // (0, 0) or (1, 1): the corners above
      EXPECT_EQ(falling, middle < 0);
    }
  }
}

TEST(Contour, GoesOnWhereTheLatticeWraps) {
  const int n = 24;
  Raster wrapped = raster(n, n, [&](int, int j) { return std::cos(2 * std::numbers::pi * j / n); });
  wrapped.wrap_columns = wrapped.wrap_rows = true;
  const Lines lines = contour(wrapped, std::cos(2 * std::numbers::pi * 0.5 / n));
  ASSERT_EQ(lines.size(), 2u);
  for (const Line& line : lines) EXPECT_EQ(line.points.size(), static_cast<std::size_t>(n + 1));
  EXPECT_NEAR(lines[0].points[0].x + lines[1].points[0].x, n, 1e-9);
}

// Of a normal density, the region of highest density with share s is the disk of radius √(−2 log(1 − s)).
TEST(HighestDensity, DisksOfANormalDensity) {
  const double side = 0.05;
  std::vector<double> log_density, mass;
  for (double x = -5; x < 5; x += side)
    for (double y = -5; y < 5; y += side) {
      log_density.push_back(-(x * x + y * y) / 2 - std::log(2 * std::numbers::pi));
      mass.push_back(std::exp(log_density.back()) * side * side);
    }
  log_density.push_back(NAN);
  mass.push_back(NAN);
  for (const double share : {0.5, 0.9, 0.95}) {
    const double level = highest_density_level(log_density, mass, share);
    EXPECT_NEAR(level, std::log(1 - share) - std::log(2 * std::numbers::pi), 0.01);
  }
  EXPECT_EQ(highest_density_level({0}, {0.4}, 0.5), -INFINITY);
}

}  // namespace
}  // namespace riemflow::figure
