#include "riemflow/distribution/normal.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;

TEST(StandardNormal, KnownValues) {
  // −½ log 2π; −½(1 + 4 + 9) − 3/2 log 2π
  EXPECT_NEAR(log_density_at(StandardNormal<double>(1), {0}), -0.91893853320467274, 1e-15);
  EXPECT_NEAR(log_density_at(StandardNormal<double>(3), {1, -2, 3}), -9.7568155996140182, 1e-14);
}

TEST(StandardNormal, IntegratesToOne) {
  const StandardNormal<double> line(1), plane(2);
  const double h = 0.25;
  double on_line = 0, on_plane = 0;
  for (double x = -10; x <= 10; x += h) {
    on_line += h * std::exp(log_density_at(line, {x}));
    for (double y = -10; y <= 10; y += h) on_plane += h * h * std::exp(log_density_at(plane, {x, y}));
  }
  EXPECT_NEAR(on_line, 1, 1e-13);
  EXPECT_NEAR(on_plane, 1, 1e-13);
}

TEST(StandardNormal, GradientIsMinusX) {
  const Point x = {0.5, -3, 0, 1e-4};
  const Point g = gradient_at(StandardNormal<double>(4), x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_DOUBLE_EQ(g[i], -x[i]);
}

TEST(StandardNormal, EntropyIsMeanOfMinusLogDensity) {
  EXPECT_NEAR(*StandardNormal<double>(1).entropy(), 0.5 * std::log(2 * std::numbers::pi * std::numbers::e),
              1e-15);
  for (const int d : {1, 2, 7}) {
    const StandardNormal<double> p(d);
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const auto points = draw(p, seed, 4000);
      EXPECT_LT(estimate(points, [&](const Point& x) { return -log_density_at(p, x); }).sigmas(*p.entropy()),
                4);
      for (int i = 0; i < d; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_LT(estimate(points, [&](const Point& x) { return x[at]; }).sigmas(0), 4);
        EXPECT_LT(estimate(points, [&](const Point& x) { return x[at] * x[at]; }).sigmas(1), 4);
        EXPECT_LT(estimate(points, [&](const Point& x) { return x[0] * x[at]; }).sigmas(i == 0 ? 1 : 0), 4);
        EXPECT_LT(estimate(points, [&](const Point& x) { return std::pow(x[at], 4); }).sigmas(3), 4);
      }
    }
  }
}

TEST(StandardNormal, FloatIsGoodToRounding) {
  // ε·(|log peak| + d|x|²/2)
  const StandardNormal<float> p(3);
  const StandardNormal<double> exact(3);
  const Point x = {1.25, -2.5, 3.125};
  EXPECT_NEAR(log_density_at(p, x), log_density_at(exact, x), 0x1p-23 * (2.8 + 3 * 8.7));
}

TEST(StandardNormal, RejectsDimensionZero) { EXPECT_THROW(StandardNormal<float>(0), Error); }

}  // namespace
}  // namespace riemflow
