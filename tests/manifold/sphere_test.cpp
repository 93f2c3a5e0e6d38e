#include "riemflow/manifold/sphere.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/manifold/backward.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

using std::numbers::pi;

template <class T>
Tile<T> negative(const Tile<T>& x) {
  return plus(make_tile<T>(static_cast<int>(x.size())), Pack<T>(-1), x);
}

/// The worst error of the frame at x in being orthonormal and tangent.
template <class T>
double frame_error(const Sphere<T>& m, const Tile<T>& x) {
  TileMatrix<T> e(m.ambient(), m.dimension());
  m.frame(x.data(), e.view());
  double error = 0;
  for (int j = 0; j < e.columns; ++j) {
    error = std::max(error, worst(dot(x, e.column(j)) / length(x)));
    for (int i = 0; i <= j; ++i)
      error = std::max(error, worst(dot(e.column(i), e.column(j)) - (i == j ? 1 : 0)));
  }
  return error;
}

template <class T>
class SphereOf : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(SphereOf, Numbers);

TEST(Sphere, KnownDistances) {
  const auto at = [](const Sphere<double>& m, std::vector<double> x, std::vector<double> y) {
    return distance(m, broadcast<double>(x), broadcast<double>(y))[0];
  };
  const Sphere<double> m(2);
  EXPECT_DOUBLE_EQ(at(m, {1, 0, 0}, {0, 1, 0}), pi / 2);
  EXPECT_DOUBLE_EQ(at(m, {0, 0, 1}, {0, 0, -1}), pi);
  EXPECT_DOUBLE_EQ(at(m, {0, 0, 1}, {0, std::sqrt(0.75), 0.5}), pi / 3);
  EXPECT_DOUBLE_EQ(at(m, {1, 0, 0}, {-0.5, 0, std::sqrt(0.75)}), 2 * pi / 3);
  // d_K = d_1/√K
  EXPECT_DOUBLE_EQ(at(Sphere<double>(2, 4), {0.5, 0, 0}, {0, 0.5, 0}), pi / 4);
  EXPECT_DOUBLE_EQ(at(Sphere<double>(2, 1e-8), {1e4, 0, 0}, {0, 1e4, 0}), 1e4 * pi / 2);
}

// London to New York: the great circle by haversines.
TEST(Sphere, DistanceOnTheEarth) {
  const auto point = [](double latitude, double longitude) {
    const double a = latitude * pi / 180, b = longitude * pi / 180;
    return broadcast<double>({std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), std::sin(a)});
  };
  const double a = 51.5074 * pi / 180, b = 40.7128 * pi / 180, turn = (-74.0060 + 0.1278) * pi / 180;
  const double haversine =
      std::pow(std::sin((a - b) / 2), 2) + std::cos(a) * std::cos(b) * std::pow(std::sin(turn / 2), 2);
  const double angle = distance(Sphere<double>(2), point(51.5074, -0.1278), point(40.7128, -74.0060))[0];
  EXPECT_NEAR(angle, 2 * std::asin(std::sqrt(haversine)), 1e-15);
  EXPECT_NEAR(6371 * angle, 5570, 1);
}

TYPED_TEST(SphereOf, FrameAtHardPlaces) {
  using T = TypeParam;
  const double eps = std::numeric_limits<T>::epsilon();
  for (int d : {1, 2, 3, 5, 8, 16, 64}) {
    const Sphere<T> m(d, 0.5);
    for (int axis : {0, d / 2, d - 1, d})
      for (double sign : {1.0, -1.0})
        for (double off : {0.0, 1e-30, 1e-9, 1e-4}) {
          Tile<T> x = broadcast<T>(std::vector<double>(static_cast<std::size_t>(d + 1), off));
          x[static_cast<std::size_t>(axis)] = static_cast<T>(sign);
          ASSERT_LE(frame_error(m, project(m, x)), 8 * eps) << d << ' ' << axis << ' ' << sign << ' ' << off;
        }
    Tile<T> equator = make_tile<T>(d + 1);
    equator[0] = 1;
    equator[static_cast<std::size_t>(d)] = -T(0);
    ASSERT_LE(frame_error(m, project(m, equator)), 8 * eps);
  }
}

TYPED_TEST(SphereOf, TinyAngles) {
  using T = TypeParam;
  const Sphere<T> m(2, 4);  // R = 1/2
  for (double angle : {1e-5, 1e-8, 1e-12, 1e-15}) {
    const Tile<T> x = broadcast<T>({0, 0, 0.5}), y = broadcast<T>({0.3 * angle, 0.4 * angle, 0.5});
    EXPECT_NEAR(distance(m, x, y)[0] / (0.5 * angle), 1,
                4 * std::numeric_limits<T>::epsilon() + angle * angle);
    const Tile<T> v = log(m, x, y);
    EXPECT_NEAR(v[0][0] / (0.3 * angle), 1, 4 * std::numeric_limits<T>::epsilon() + angle * angle);
    EXPECT_NEAR(v[1][0] / (0.4 * angle), 1, 4 * std::numeric_limits<T>::epsilon() + angle * angle);
    EXPECT_EQ(v[2][0], 0);
    const Tile<T> back = exp(m, x, v);
    EXPECT_NEAR(back[0][0] / (0.3 * angle), 1, 4 * std::numeric_limits<T>::epsilon() + angle * angle);
  }
}

// log of the numbers x and y as they stand, against P_x(y − x) in long double: no digit is lost to
// cancellation.
TYPED_TEST(SphereOf, NearPointsKeepTheirDigits) {
  using T = TypeParam;
  const T eps = std::numeric_limits<T>::epsilon();
  for (int d : {1, 2, 5}) {
    const Sphere<T> m(d);
    Random random(17, Purpose::test, static_cast<std::uint64_t>(d), 0);
    const Tile<T> x = random_point(m, random, 1), u = random_tangent(m, random, x, 1);
    const Tile<T> y = exp(m, x, plus(make_tile<T>(d + 1), 10 * std::sqrt(eps) / length(u), u));
    const Tile<T> v = log(m, x, y);
    for (int l = 0; l < kLanes; ++l) {
      long double along = 0, square = 0, error = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        along += static_cast<long double>(x[i][l]) * (y[i][l] - x[i][l]);
        square += static_cast<long double>(x[i][l]) * x[i][l];
      }
      for (std::size_t i = 0; i < x.size(); ++i) {
        const long double expected = y[i][l] - x[i][l] - along / square * x[i][l];
        error += (v[i][l] - expected) * (v[i][l] - expected);
        size += expected * expected;
      }
      // θ² = 100ε, and sin θ differs from θ by θ²/6.
      EXPECT_LE(static_cast<double>(std::sqrt(error / size)), (8 + 100 / 6.0) * eps) << d;
    }
  }
}

TYPED_TEST(SphereOf, ExpOfATinyVector) {
  using T = TypeParam;
  const Sphere<T> m(2);
  const double tiny = std::numeric_limits<T>::min();
  const Tile<T> y = exp(m, broadcast<T>({0, 1, 0}), broadcast<T>({tiny, 0, 0}));
  EXPECT_EQ(y[0][0], static_cast<T>(tiny));
  EXPECT_EQ(y[1][0], T(1));
}

TYPED_TEST(SphereOf, GreatCircles) {
  using T = TypeParam;
  const double bound = 8 * std::numeric_limits<T>::epsilon();
  for (double K : {0.25, 1.0, 9.0}) {
    const Sphere<T> m(3, K);
    const double R = 1 / std::sqrt(K);
    const Tile<T> x = broadcast<T>({0.6 * R, 0, 0, 0.8 * R});
    const auto along = [&](double angle) { return broadcast<T>({0.8 * R * angle, 0, 0, -0.6 * R * angle}); };
    EXPECT_LE(worst(length(plus(exp(m, x, along(2 * pi)), Pack<T>(-1), x))), bound * R);
    EXPECT_LE(worst(length(plus(exp(m, x, along(pi)), Pack<T>(1), x))), bound * R);
    const Tile<T> quarter = broadcast<T>({0.8 * R, 0, 0, -0.6 * R});
    EXPECT_LE(worst(length(plus(exp(m, x, along(pi / 2)), Pack<T>(-1), quarter))), bound * R);
  }
}

// At an angle of π − gap, from a hair to exactly 0.
TYPED_TEST(SphereOf, AntipodesAndNearThem) {
  using T = TypeParam;
  const double eps = std::numeric_limits<T>::epsilon();
  for (int d : {1, 2, 3, 8, 64})
    for (double K : {1e-8, 0.5, 100.0})
      for (double gap : {1e-3, 1e-5, 1e-7, 1e-12, 1e-15, 0.0}) {
        const Sphere<T> m(d, K);
        const T R = static_cast<T>(1 / std::sqrt(K));
        const double bound = 32 * eps;
        Random random(7, Purpose::test, static_cast<std::uint64_t>(d), 0);
        const Tile<T> x = random_point(m, random, 1);
        const Tile<T> u = random_tangent(m, random, x, 1);
        const Tile<T> y =
            exp(m, negative(x), plus(make_tile<T>(d + 1), static_cast<T>(gap) * R / length(u), u));
        SCOPED_TRACE(m.name() + " gap " + std::to_string(gap));

        ASSERT_LE(worst(distance(m, x, y) / R - (pi - gap)), bound);
        const Tile<T> v = log(m, x, y);
        ASSERT_LE(worst(length(v) / R - (pi - gap)), bound);
        ASSERT_LE(worst(dot(x, v) / (R * R)), bound);
        ASSERT_LE(worst(length(plus(exp(m, x, v), Pack<T>(-1), y)) / R), bound);

        const Tile<T> a = random_tangent(m, random, x, 1), b = random_tangent(m, random, x, 1);
        const Tile<T> ta = transport(m, x, y, a), tb = transport(m, x, y, b);
        ASSERT_LE(worst(dot(y, ta) / (R * length(a))), bound);
        ASSERT_LE(worst((dot(ta, tb) - dot(a, b)) / (length(a) * length(b))), bound);
        // Between, the directions of both logs are rounding errors of |x + y| that need not agree.
        if (gap == 0 || gap > 1000 * eps) {
          const double allowed = 2 * bound * (gap == 0 ? 1 : 1 + 1 / gap);
          ASSERT_LE(worst(length(plus(transport(m, x, y, v), Pack<T>(1), log(m, y, x))) / R), allowed);
        }
      }
}

TYPED_TEST(SphereOf, ProjectTakesAnyFiniteVector) {
  using T = TypeParam;
  const Sphere<T> m(2, 0.25);
  const double largest = std::numeric_limits<T>::max() / 4, smallest = std::numeric_limits<T>::denorm_min();
  for (double scale : {largest, 1.0, 1e-25, 100 * smallest}) {
    const Tile<T> x = project(m, broadcast<T>({0.6 * scale, -0.8 * scale, 0}));
    EXPECT_NEAR(x[0][0], 1.2, 0.005);  // a hundred subnormals have two digits
    EXPECT_LE(worst(length(x) - 2), 4 * std::numeric_limits<T>::epsilon());
  }
  const Tile<T> pole = project(m, make_tile<T>(3));
  EXPECT_EQ(lane(pole, 0), (std::vector<T>{0, 0, 2}));
  const Tile<T> bad = project(m, broadcast<T>({1, std::nan(""), 0}));
  EXPECT_TRUE(std::isnan(bad[1][0]));
}

TYPED_TEST(SphereOf, Domain) {
  using T = TypeParam;
  const Sphere<T> m(1);
  const T infinity = std::numeric_limits<T>::infinity();
  Tile<T> x = broadcast<T>({0.7, 0.1});
  EXPECT_TRUE(m.in_domain(x.data()).all());
  x[0][3] = 0, x[1][3] = 0;
  x[1][5] = std::numeric_limits<T>::quiet_NaN();
  x[0][6] = -infinity;
  const LaneMask in = m.in_domain(x.data());
  for (std::size_t l = 0; l < kLanes; ++l) EXPECT_EQ(in.lane[l], l != 3 && l != 5 && l != 6) << l;
}

TEST(Sphere, Defects) {
  const Sphere<double> m(2, 0.25);
  EXPECT_FALSE(m.defect(std::vector<double>{0, 2, 0}));
  EXPECT_FALSE(m.defect(std::vector<double>{0, 2 + 1.9e-6, 0}));
  EXPECT_TRUE(m.defect(std::vector<double>{0, 2 + 2.1e-6, 0}));
  EXPECT_EQ(*m.defect(std::vector<double>{0, 2}), "2 coordinates where 3 are expected");
  EXPECT_EQ(*m.defect(std::vector<double>{0, 2, NAN}), "coordinate 3 of 3 is nan");
  EXPECT_EQ(*m.defect(std::vector<double>{-INFINITY, 2, 0}), "coordinate 1 of 3 is -inf");
  EXPECT_EQ(*m.defect(std::vector<double>{0, 3, 4}), "norm 5 where 2 is expected, to 1e-06 relative");
  const Sphere<float> single(2);
  EXPECT_FALSE(single.defect(std::vector<float>{0, 1.00009f, 0}));
  EXPECT_TRUE(single.defect(std::vector<float>{0, 1.00011f, 0}));
}

TEST(Sphere, BadParameters) {
  EXPECT_THROW(Sphere<double>(0), Error);
  EXPECT_THROW(Sphere<double>(-3), Error);
  for (double K : {0.0, -1.0, HUGE_VAL, -HUGE_VAL, 1e-13, 1e13, std::nan("")})
    EXPECT_THROW(Sphere<double>(2, K), Error) << K;
  try {
    Sphere<double>(2, -1);
  } catch (const Error& e) {
    EXPECT_STREQ(
        e.what(),
        "sphere: curvature K = -1 is not positive; give a finite positive K, such as 1, or use euclidean "
        "for K = 0");
  }
}

// Also far off the sphere, where a step has gone wrong.
TEST(Sphere, ProjectBackwardFarOff) {
  for (int d : {1, 2, 7})
    for (double scale : {0.2, 0.7, 3.0}) {
      const Sphere<double> m(d, 0.5);
      Random random(5, Purpose::test, static_cast<std::uint64_t>(d), 0);
      const Tile<double> x = plus(make_tile<double>(d + 1), Pack<double>(scale), random_point(m, random, 1));
      const Tile<double> g = random_normals<double>(random, d + 1);
      const Tile<double> u = plus(make_tile<double>(d + 1), 0.3 * length(x) / length(g), g);
      EXPECT_LE(worst(project_backward_error(m, random, x, u, std::sqrt(2.0))), 1e-9);
    }
}

}  // namespace
}  // namespace riemflow::test
