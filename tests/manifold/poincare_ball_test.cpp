#include "riemflow/manifold/poincare_ball.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/manifold/backward.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

template <class T>
class Ball : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(Ball, Numbers);

// The textbook: a ⊕ b = [ (1 + 2c⟨a,b⟩ + c|b|²) a + (1 − c|a|²) b ] / [ 1 + 2c⟨a,b⟩ + c²|a|²|b|² ].
Tile<double> moebius_sum(double c, const Tile<double>& a, const Tile<double>& b) {
  const Pack<double> ab = dot(a, b), aa = dot(a, a), bb = dot(b, b);
  const Pack<double> denominator = 1 + 2 * c * ab + c * c * aa * bb;
  Tile<double> r = a;
  for (std::size_t i = 0; i < a.size(); ++i)
    r[i] = ((1 + 2 * c * ab + c * bb) * a[i] + (1 - c * aa) * b[i]) / denominator;
  return r;
}
Tile<double> negative(const Tile<double>& a) {
  return plus(make_tile<double>(static_cast<int>(a.size())), Pack<double>(-1), a);
}
/// gyr[a, b] v = −(a ⊕ b) ⊕ (a ⊕ (b ⊕ v)), |v| < R
Tile<double> gyration(double c, const Tile<double>& a, const Tile<double>& b, const Tile<double>& v) {
  return moebius_sum(c, negative(moebius_sum(c, a, b)), moebius_sum(c, a, moebius_sum(c, b, v)));
}

TEST(PoincareBall, KnownDistances) {
  const auto at = [](double K, std::vector<double> x, std::vector<double> y) {
    return distance<double>(PoincareBall<double>(2, K), broadcast<double>(x), broadcast<double>(y))[0];
  };
  EXPECT_DOUBLE_EQ(at(-1, {0, 0}, {0.5, 0}), std::log(3.0));
  EXPECT_DOUBLE_EQ(at(-1, {-0.5, 0}, {0.5, 0}), 2 * std::log(3.0));
  // A right angle at the origin: cosh a cosh b = cosh c, of legs log 3.
  EXPECT_DOUBLE_EQ(at(-1, {0.5, 0}, {0, 0.5}), std::acosh(std::pow(std::cosh(std::log(3.0)), 2)));
  // d_K(Rx, Ry) = d_1(x, y)/√−K
  EXPECT_DOUBLE_EQ(at(-4, {0, 0}, {0.25, 0}), std::log(3.0) / 2);
  EXPECT_DOUBLE_EQ(at(-1e-8, {0, 0}, {5e3, 0}), std::log(3.0) * 1e4);
}

// (1/√c) acosh( 1 + 2c|x − y|²/((1 − c|x|²)(1 − c|y|²)) )
TEST(PoincareBall, DistanceByTheOtherFormula) {
  for (double K : {-0.3, -1.0, -5.0}) {
    const PoincareBall<double> m(3, K);
    Random random(2, Purpose::test, 0, 0);
    for (int t = 0; t < 20; ++t) {
      const Tile<double> x = random_point(m, random, 2), y = random_point(m, random, 2);
      const Tile<double> delta = plus(x, Pack<double>(-1), y);
      const Pack<double> u = -2 * K * dot(delta, delta) / ((1 + K * dot(x, x)) * (1 + K * dot(y, y)));
      for (int l = 0; l < kLanes; ++l) {
        const double expected = std::acosh(1 + u[l]) / std::sqrt(-K);
        EXPECT_NEAR(distance(m, x, y)[l], expected, 1e-12);
      }
    }
  }
}

TEST(PoincareBall, ExpAndLogByTheTextbook) {
  for (double K : {-0.3, -1.0, -5.0})
    for (int d : {1, 2, 6}) {
      const double c = -K;
      const PoincareBall<double> m(d, K);
      Random random(4, Purpose::test, static_cast<std::uint64_t>(d), 0);
      for (int t = 0; t < 10; ++t) {
        const Tile<double> x = random_point(m, random, 1.5), v = random_tangent(m, random, x, 2);
        const Pack<double> lambda = 2 / (1 - c * dot(x, x)), r = length(v);
        const Tile<double> w =
            plus(make_tile<double>(d), tanh(std::sqrt(c) * lambda * r / 2) / (std::sqrt(c) * r), v);
        const Tile<double> y = moebius_sum(c, x, w);
        EXPECT_LE(worst(length(plus(exp(m, x, v), Pack<double>(-1), y))), 1e-13 * std::sqrt(1 / c));

        const Tile<double> back = moebius_sum(c, negative(x), y);
        const Pack<double> s = length(back);
        const Tile<double> expected =
            plus(make_tile<double>(d), 2 / (std::sqrt(c) * lambda) * atanh(std::sqrt(c) * s) / s, back);
        EXPECT_LE(worst(length(plus(log(m, x, y), Pack<double>(-1), expected))), 1e-13);
      }
    }
}

TEST(PoincareBall, TransportByTheTextbook) {
  for (double K : {-1e-3, -0.3, -1.0, -5.0})
    for (int d : {1, 2, 3, 7}) {
      const double R = 1 / std::sqrt(-K);
      const PoincareBall<double> m(d, K);
      Random random(6, Purpose::test, static_cast<std::uint64_t>(d), 0);
      for (int t = 0; t < 10; ++t) {
        const Tile<double> x = random_point(m, random, 2 * R), y = random_point(m, random, 2 * R);
        const Tile<double> g = random_normals<double>(random, d);
        const Tile<double> v = plus(make_tile<double>(d), 0.3 * R / length(g), g);
        const Pack<double> scale = (1 + K * dot(y, y)) / (1 + K * dot(x, x));
        const Tile<double> expected = plus(make_tile<double>(d), scale, gyration(-K, y, negative(x), v));
        EXPECT_LE(worst(length(plus(transport(m, x, y, v), Pack<double>(-1), expected)) / length(expected)),
                  1e-12)
            << m.name();
      }
    }
}

TYPED_TEST(Ball, TransportFromAndToTheOrigin) {
  using T = TypeParam;
  const PoincareBall<T> m(2);
  const Tile<T> o = make_tile<T>(2), y = broadcast<T>({0.6, 0}), v = broadcast<T>({0.25, 0.5});
  for (int i : {0, 1}) {
    const auto j = static_cast<std::size_t>(i);
    EXPECT_NEAR(transport(m, o, y, v)[j][0], 0.64 * v[j][0], 1e-6);
    EXPECT_NEAR(transport(m, y, o, v)[j][0], v[j][0] / 0.64, 1e-6);
    // As the origin is approached, down to squares that underflow.
    for (double tiny : {1e-10, 1e-18, 1e-25, 1e-30, 1e-160, 1e-200})
      EXPECT_NEAR(transport(m, broadcast<T>({0.3 * tiny, -0.9 * tiny}), y, v)[j][0], 0.64 * v[j][0], 1e-6)
          << tiny;
  }
}

// What is reached at hyperbolic distance ρ, λ = 2cosh²(ρ/2), in units of hyperbolic length: a few λε from the
// rounding of the coordinates, and λ²ε for exp∘log, where a vector of length up to 2ρ is rounded in direction
// and geodesics part as sinh 2ρ.
TYPED_TEST(Ball, FarFromTheOrigin) {
  using T = TypeParam;
  const T eps = std::numeric_limits<T>::epsilon();
  for (int d : {1, 2, 3, 8, 64})
    for (double rho : {1.0, 3.0, 6.0, 10.0}) {
      const PoincareBall<T> m(d);
      const T lambda = static_cast<T>(2 * std::pow(std::cosh(rho / 2), 2));
      Random random(8, Purpose::test, static_cast<std::uint64_t>(d), 0);
      double radius = 0, log_length = 0, there = 0, back = 0, isometry = 0;
      for (int t = 0; t < 20; ++t) {
        const Tile<T> o = make_tile<T>(d);
        const auto at_distance = [&] {
          const Tile<T> v = random_tangent(m, random, o, 1);
          return exp(m, o, plus(o, static_cast<T>(rho) / norm(m, o, v), v));
        };
        const auto note = [](double& error, const Pack<T>& found) { error = std::max(error, worst(found)); };
        const Tile<T> x = at_distance(), y = at_distance(), v = log(m, x, y),
                      a = random_tangent(m, random, x, 1);
        note(radius, distance(m, o, x) - static_cast<T>(rho));
        note(log_length, norm(m, x, v) - distance(m, x, y));
        note(there, distance(m, exp(m, x, v), y));
        note(back, norm(m, x, plus(log(m, x, exp(m, x, a)), Pack<T>(-1), a)));
        note(isometry, norm(m, y, transport(m, x, y, a)) - norm(m, x, a));
      }
      SCOPED_TRACE(m.name() + " at " + std::to_string(rho));
      EXPECT_LE(radius, 8 * lambda * eps);
      EXPECT_LE(log_length, 8 * (1 + rho) * eps);
      EXPECT_LE(there, 8 * lambda * lambda * eps);
      EXPECT_LE(back, 8 * lambda * eps);
      EXPECT_LE(isometry, 8 * eps);
    }
}

TYPED_TEST(Ball, ExpNeverLeaves) {
  using T = TypeParam;
  for (int d : {1, 2, 64, 256})
    for (double size : {1.0, 20.0, 100.0, 1e4, 1e30}) {
      const PoincareBall<T> m(d, -0.5);
      Random random(9, Purpose::test, 0, static_cast<std::uint64_t>(d));
      const Tile<T> x = random_point(m, random, 8);
      const Tile<T> y = exp(m, x, random_tangent(m, random, x, size));
      EXPECT_TRUE(m.in_domain(y.data()).all()) << d << ' ' << size;
      for (int l = 0; l < kLanes; ++l) EXPECT_TRUE(m.contains(lane(y, l))) << d << ' ' << size;
      EXPECT_TRUE(std::isfinite(worst(distance(m, x, y))));
    }
}

TYPED_TEST(Ball, Project) {
  using T = TypeParam;
  const double eps = std::numeric_limits<T>::epsilon();
  for (int d : {1, 2, 64, 4096}) {
    const double eta = 4 * std::sqrt(d) * eps;
    const PoincareBall<T> m(d, -0.25);  // R = 2
    Random random(10, Purpose::test, 0, static_cast<std::uint64_t>(d));
    const Tile<T> g = random_normals<T>(random, d);
    for (double r : {0.5, 1 - 3 * eta, 1 - eta / 2, 1.0, 1.5, 1e10, 1e37}) {
      const Tile<T> x = plus(make_tile<T>(d), static_cast<T>(2 * r) / length(g), g);
      const Tile<T> p = project(m, x);
      EXPECT_TRUE(m.in_domain(p.data()).all());
      for (int l = 0; l < kLanes; ++l) {
        EXPECT_TRUE(m.contains(lane(p, l)));
        EXPECT_EQ(lane(p, l), lane(project(m, p), l));
        if (r < 1 - 2 * eta) {
          EXPECT_EQ(lane(p, l), lane(x, l));
        }
      }
      if (r > 1 - eta) {
        EXPECT_LE(worst(length(p) / 2 - static_cast<T>(1 - 2 * eta)), eta / 2) << d << ' ' << r;
        const Tile<T> along = plus(make_tile<T>(d), length(p) / length(g), g);
        EXPECT_LE(worst(length(plus(p, Pack<T>(-1), along))), eta) << d << ' ' << r;
      }
    }
  }
}

TEST(PoincareBall, ProjectBackward) {
  for (int d : {1, 2, 7})
    for (double r : {0.5, 0.99, 1.01, 3.0}) {
      const PoincareBall<double> m(d, -0.25);
      Random random(12, Purpose::test, 0, static_cast<std::uint64_t>(d));
      const Tile<double> g = random_normals<double>(random, d), h = random_normals<double>(random, d);
      const Tile<double> x = plus(make_tile<double>(d), 2 * r / length(g), g);
      const Tile<double> u = plus(make_tile<double>(d), 0.3 * r / length(h), h);
      const auto f = [&](const Tile<double>& y) { return dot(h, project(m, y)); };
      Tile<double> x_bar = h;
      m.project_backward(x.data(), x_bar.data());
      EXPECT_LE(worst(relative_error(dot(x_bar, u), directional_derivative(f, x, u))), 1e-9) << d << ' ' << r;
    }
}

TYPED_TEST(Ball, MetricByHand) {
  using T = TypeParam;
  const PoincareBall<T> m(2, -4);  // R = 1/2; at (0.3, 0): λ = 2/(1 − 0.36) = 3.125
  const Tile<T> x = broadcast<T>({0.3, 0}), u = broadcast<T>({1, 2}), v = broadcast<T>({3, -1});
  EXPECT_NEAR(inner(m, x, u, v)[0], 3.125 * 3.125 * 1, 1e-4);
  EXPECT_NEAR(m.log_volume_density(x.data())[0], 2 * std::log(3.125), 1e-6);
  Tile<T> weight = make_tile<T>(2);
  m.error_weight(x.data(), weight.data());
  EXPECT_NEAR(weight[0][0], 1.5625, 1e-6);
  EXPECT_NEAR(weight[1][0], 1.5625, 1e-6);
}

// At K = −1e-8 the ball is 4 I but for O(K): against the same formulas in long double.
TEST(PoincareBall, NearlyFlat) {
  const double K = -1e-8;
  const PoincareBall<double> m(2, K);
  Random random(13, Purpose::test, 0, 0);
  for (int t = 0; t < 50; ++t) {
    const Tile<double> x = random_point(m, random, 3), y = random_point(m, random, 3);
    const Pack<double> found = distance(m, x, y);
    for (int l = 0; l < kLanes; ++l) {
      long double xx = 0, yy = 0, delta = 0;
      for (int i : {0, 1}) {
        const long double a = x[static_cast<std::size_t>(i)][l], b = y[static_cast<std::size_t>(i)][l];
        xx += a * a, yy += b * b, delta += (a - b) * (a - b);
      }
      const long double c = 1e-8L, s = std::sqrt(c);
      const long double expected = 2 / s * std::asinh(s * std::sqrt(delta / ((1 - c * xx) * (1 - c * yy))));
      EXPECT_NEAR(found[l] / static_cast<double>(expected), 1, 1e-15 * 4);
      EXPECT_NEAR(found[l], 2 * static_cast<double>(std::sqrt(delta)), 1e-6);
    }
  }
}

TYPED_TEST(Ball, Domain) {
  using T = TypeParam;
  const PoincareBall<T> m(2, -4);
  Tile<T> x = broadcast<T>({0.1, 0.2});
  EXPECT_TRUE(m.in_domain(x.data()).all());
  x[0][3] = T(0.5), x[1][3] = 0;
  x[1][5] = std::numeric_limits<T>::quiet_NaN();
  x[0][6] = -std::numeric_limits<T>::infinity();
  const LaneMask in = m.in_domain(x.data());
  for (std::size_t l = 0; l < kLanes; ++l) EXPECT_EQ(in.lane[l], l != 3 && l != 5 && l != 6) << l;
}

TEST(PoincareBall, Defects) {
  const PoincareBall<double> m(2, -0.25);
  EXPECT_FALSE(m.defect(std::vector<double>{0, 1.999}));
  EXPECT_EQ(*m.defect(std::vector<double>{0, 2}),
            "norm 2 where less than 2 is expected: the point is not inside the ball");
  EXPECT_EQ(*m.defect(std::vector<double>{3, 4}),
            "norm 5 where less than 2 is expected: the point is not inside the ball");
  EXPECT_EQ(*m.defect(std::vector<double>{3}), "1 coordinates where 2 are expected");
  EXPECT_EQ(*m.defect(std::vector<double>{NAN, 0}), "coordinate 1 of 2 is nan");
}

TEST(PoincareBall, BadParameters) {
  EXPECT_THROW(PoincareBall<double>(0), Error);
  for (double K : {0.0, 1.0, HUGE_VAL, -HUGE_VAL, -1e-13, -1e13, std::nan("")})
    EXPECT_THROW(PoincareBall<double>(2, K), Error) << K;
  const PoincareBall<double> m(2);
  Random random(1, Purpose::test, 0, 0);
  Tile<double> x = make_tile<double>(2);
  EXPECT_THROW(m.random_uniform(random, x.data(), 0), Error);
  EXPECT_FALSE(m.compact());
  EXPECT_EQ(m.log_volume(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace riemflow::test
