#include "riemflow/manifold/hyperboloid.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/manifold/poincare_ball.hpp"
#include "tile.hpp"

namespace riemflow::test {
namespace {

/// r from the origin, in the direction of an angle.
std::vector<double> polar(double r, double angle) {
  return {std::cosh(r), std::sinh(r) * std::cos(angle), std::sinh(r) * std::sin(angle)};
}
double lorentz_distance(const std::vector<double>& x, const std::vector<double>& y) {
  const Hyperboloid<double> space(2);
  return space.distance(broadcast<double>(x).data(), broadcast<double>(y).data())[0];
}

// Beside the cosine rule cosh d = cosh r cosh s − sinh r sinh s cos θ = cosh(r − s) + sinh r sinh s (1 − cos
// θ), as sinh²(d/2) = sinh²((r − s)/2) + sinh r sinh s sin²(θ/2), in long double.
TEST(Hyperboloid, DistancesNearAndFar) {
  for (const double r : {1e-9, 1e-3, 0.7, 5.0, 20.0, 40.0, 80.0})
    for (const double s : {0.0, 1e-9, 2e-3, 0.9, 5.5, 22.0, 40.5, 80.0})
      for (const double theta : {1e-3, 0.3, 1.5, 3.0, std::numbers::pi}) {
        const long double half = std::sinh((static_cast<long double>(r) - s) / 2);
        const long double turn = std::sin(static_cast<long double>(theta) / 2);
        const long double square = half * half + std::sinh(static_cast<long double>(r)) *
                                                     std::sinh(static_cast<long double>(s)) * turn * turn;
        const auto expected = static_cast<double>(2 * std::asinh(std::sqrt(square)));
        EXPECT_NEAR(lorentz_distance(polar(r, 0.4), polar(s, 0.4 + theta)), expected, 4e-13 * expected)
            << r << " " << s << " " << theta;
      }
}

// On one line through the origin, where the naive arccosh of −⟨x, y⟩ is lost beyond 18. Coordinates are
// rounded to ε, which is ε across as well: the line is an axis of coordinates, where that is 0.
TEST(Hyperboloid, DistancesAlongALine) {
  for (const double r : {0.5, 10.0, 20.0, 40.0, 60.0})
    for (const double step : {1e-6, 0.1, 3.0}) {
      const double x = std::sinh(r), y = std::sinh(r + step);
      const double moved = std::asinh(y) - std::asinh(x);
      EXPECT_NEAR(lorentz_distance({std::cosh(r), x, 0}, {std::cosh(r + step), y, 0}), moved,
                  4e-14 * (r + step))
          << r << " " << step;
      EXPECT_NEAR(lorentz_distance({std::cosh(r), x, 0}, {std::cosh(step), -std::sinh(step), 0}), r + step,
                  1e-14 * (r + step));
    }
}

TEST(Hyperboloid, GeodesicsToFarPointsAndAlongThem) {
  const Hyperboloid<double> space(2);
  for (const double r : {1e-6, 1.0, 20.0, 40.0, 100.0}) {
    const auto origin = broadcast<double>({1, 0, 0}), y = broadcast<double>(polar(r, 0.7));
    const Tile<double> v = log(space, origin, y);
    EXPECT_NEAR(v[1][0], r * std::cos(0.7), 1e-14 * r);
    EXPECT_NEAR(v[2][0], r * std::sin(0.7), 1e-14 * r);
    EXPECT_NEAR(exp(space, origin, v)[1][0] / y[1][0], 1, 1e-13 * std::max(1.0, r));
    // The unit vector outwards there.
    const Tile<double> outwards = {std::sinh(r), std::cosh(r) * std::cos(0.7), std::cosh(r) * std::sin(0.7)};

    const Tile<double> back = log(space, y, origin);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(back[i][0] / (-r * outwards[i][0]), 1, 1e-13 * std::max(1.0, r)) << r;
    const Tile<double> carried = transport(space, origin, y, v);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(carried[i][0] / (r * outwards[i][0]), 1, 1e-13 * std::max(1.0, r)) << r;
  }
}

TEST(Hyperboloid, IsTheBallInOtherCoordinates) {
  for (const int d : {1, 2, 5})
    for (const double K : {-0.3, -1.0, -7.0}) {
      const Hyperboloid<double> space(d, K);
      const PoincareBall<double> ball(d, K);
      const double length = 1 / std::sqrt(-K);
      const auto dropped = [&](const Tile<double>& x) {
        std::vector<double> y(static_cast<std::size_t>(d + 1));
        space.covering()->drop(lane(x, 0).data(), y.data());
        return broadcast<double>(y);
      };
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed, Purpose::test, static_cast<std::uint64_t>(d), 0);
        const Tile<double> a = random_point(ball, random, 4 * length),
                           b = random_point(ball, random, 4 * length);
        EXPECT_NEAR(distance(space, dropped(a), dropped(b))[0], distance(ball, a, b)[0], 1e-12 * length);
        const Tile<double> v = random_tangent(ball, random, a, length);
        // The differential of drop, by its own definition: exp commutes with the isometry.
        const Tile<double> u = log(space, dropped(a), dropped(exp(ball, a, v)));
        EXPECT_NEAR(norm(space, dropped(a), u)[0], norm(ball, a, v)[0], 1e-10 * length);
        const Tile<double> w = random_tangent(ball, random, a, length);
        const Tile<double> t = log(space, dropped(a), dropped(exp(ball, a, w)));
        EXPECT_NEAR(inner(space, dropped(a), u, t)[0], inner(ball, a, v, w)[0], 1e-10 * length * length);
        const Tile<double> there = transport(ball, a, b, v),
                           below = transport(space, dropped(a), dropped(b), u);
        EXPECT_NEAR(distance(space, exp(space, dropped(b), below), dropped(exp(ball, b, there)))[0], 0,
                    1e-9 * length);
      }
    }
}

// The ball's (.5, .5) and (.5, −.5) are arccosh(1 + 2·1/(½·½)) = arccosh 9 = ln(9 + √80) apart. geoopt gives
// 2.887270927, right to single precision.
TEST(Hyperboloid, KnownDistance) {
  const Hyperboloid<double> space(2);
  std::vector<double> x(3), y(3);
  space.covering()->drop(std::vector<double>{0.5, 0.5}.data(), x.data());
  space.covering()->drop(std::vector<double>{0.5, -0.5}.data(), y.data());
  EXPECT_NEAR(x[0], 3, 1e-15);
  EXPECT_NEAR(x[1], 2, 1e-15);
  EXPECT_NEAR(lorentz_distance(x, y), 2.887270927, 3e-8);
  EXPECT_NEAR(lorentz_distance(x, y), std::acosh(9), 1e-14);
}

// 1/|det| of the frame's spatial parts.
TEST(Hyperboloid, VolumeInItsCoordinates) {
  const Hyperboloid<double> space(2, -0.25);
  const Tile<double> x = broadcast<double>({std::sqrt(4 + 0.81 + 9), 0.9, -3});
  TileMatrix<double> e(3, 2);
  space.frame(x.data(), e.view());
  const double det = e.view()(1, 0)[0] * e.view()(2, 1)[0] - e.view()(1, 1)[0] * e.view()(2, 0)[0];
  EXPECT_NEAR(space.log_volume_density(x.data())[0], -std::log(std::abs(det)), 1e-14);
}

TEST(Hyperboloid, SaysWhatIsWrong) {
  const Hyperboloid<double> space(2);
  EXPECT_EQ(space.defect(std::vector<double>{std::sqrt(3), 1, 1}), std::nullopt);
  EXPECT_EQ(*space.defect(std::vector<double>{1.5, 1, 1}),
            "x0 is 1.5 where 1.73205081 is expected, √(1/c + |x|²) of the other coordinates");
  EXPECT_NE(space.defect(std::vector<double>{-std::sqrt(3), 1, 1})->find("upper sheet"), std::string::npos);
  EXPECT_NE(space.defect(std::vector<double>{1, 0})->find("2 coordinates where 3"), std::string::npos);
  const Notation lorentz = space.notations().front();
  EXPECT_EQ(lorentz.columns, (std::vector<std::string>{"x0", "x1", "x2"}));
  double point[3];
  const double written[] = {1.732, 1, 1}, wrong[] = {2, 1, 1};
  EXPECT_EQ(lorentz.read(written, point), std::nullopt);
  EXPECT_NEAR(point[0], std::sqrt(3), 1e-15);
  EXPECT_TRUE(lorentz.read(wrong, point).has_value());
}

}  // namespace
}  // namespace riemflow::test
