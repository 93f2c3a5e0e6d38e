#include "riemflow/manifold/torus.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

template <class T>
class TorusOf : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(TorusOf, Numbers);

TYPED_TEST(TorusOf, Seam) {
  using T = TypeParam;
  const T half_turn = std::numbers::pi_v<T>;
  const Torus<T> m(1);
  const auto wrap = [&](T a) { return project(m, Tile<T>{Pack<T>(a)})[0][0]; };
  const T below = std::nextafter(half_turn, T(0));
  EXPECT_EQ(wrap(half_turn), -half_turn);
  EXPECT_EQ(wrap(-half_turn), -half_turn);
  EXPECT_EQ(wrap(below), below);
  EXPECT_EQ(wrap(-below), -below);
  EXPECT_EQ(wrap(std::nextafter(half_turn, T(4))),
            -half_turn + (std::nextafter(half_turn, T(4)) - half_turn));
  EXPECT_EQ(wrap(2 * half_turn), 0);
  EXPECT_EQ(wrap(-2 * half_turn), 0);
  EXPECT_EQ(wrap(-T(0.5)), -T(0.5));
  for (T a : {T(5), T(-7), T(100), T(-12345), T(1e6)}) {
    EXPECT_TRUE(-half_turn <= wrap(a) && wrap(a) < half_turn) << a;
    const T turns = (a - wrap(a)) / (2 * half_turn);
    EXPECT_NEAR(turns, std::round(turns), 1e-3) << a;
  }
  EXPECT_TRUE(std::isnan(wrap(std::numeric_limits<T>::infinity())));
}

TYPED_TEST(TorusOf, AcrossTheSeam) {
  using T = TypeParam;
  const double half_turn = std::numbers::pi, bound = 4 * std::numeric_limits<T>::epsilon();
  const Torus<T> m(2);
  const Tile<T> x = broadcast<T>({half_turn - 0.1, 0.5}), y = broadcast<T>({-half_turn + 0.2, 0.1});
  EXPECT_NEAR(distance(m, x, y)[0], 0.5, bound);
  EXPECT_NEAR(log(m, x, y)[0][0], 0.3, bound);
  EXPECT_NEAR(log(m, y, x)[0][0], -0.3, bound);
  EXPECT_NEAR(exp(m, x, log(m, x, y))[0][0], -half_turn + 0.2, bound);
  // Half way round: either way is shortest.
  EXPECT_NEAR(distance(m, broadcast<T>({-half_turn, 0}), broadcast<T>({0, 0}))[0], half_turn, bound);
}

TEST(Torus, DefectsAndMisuse) {
  const Torus<double> m(2);
  EXPECT_FALSE(m.defect(std::vector<double>{100, -7}));
  EXPECT_EQ(*m.defect(std::vector<double>{0, NAN}), "coordinate 2 of 2 is nan");
  EXPECT_EQ(*m.defect(std::vector<double>{}), "0 coordinates where 2 are expected");
  EXPECT_THROW(Torus<double>(0), Error);
  EXPECT_NEAR(std::exp(m.log_volume()), 4 * std::numbers::pi * std::numbers::pi, 1e-12);
}

// E θ = 0, E θ² = π²/3, E e^{ikθ} = 0, within 4 standard errors.
TYPED_TEST(TorusOf, UniformMoments) {
  using T = TypeParam;
  const double half_turn = std::numbers::pi;
  const int tiles = 2000;
  const double n = tiles * kLanes;
  const Torus<T> m(3);
  Random random(21, Purpose::test, 0, 0);
  double mean[3] = {}, square[3] = {}, cosine[3] = {}, sine[3] = {}, mixed = 0;
  for (int t = 0; t < tiles; ++t) {
    const Tile<T> x = random_point(m, random, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      mean[i] += lane_sum(x[i]) / n;
      square[i] += lane_sum(x[i] * x[i]) / n;
      cosine[i] += lane_sum(cos(x[i])) / n;
      sine[i] += lane_sum(sin(x[i])) / n;
    }
    mixed += lane_sum(x[0] * x[1]) / n;
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean[i], 0, 4 * half_turn / std::sqrt(3 * n));
    EXPECT_NEAR(square[i], half_turn * half_turn / 3,
                4 * half_turn * half_turn * std::sqrt((1.0 / 5 - 1.0 / 9) / n));
    EXPECT_NEAR(cosine[i], 0, 4 / std::sqrt(2 * n));
    EXPECT_NEAR(sine[i], 0, 4 / std::sqrt(2 * n));
  }
  EXPECT_NEAR(mixed, 0, 4 * half_turn * half_turn / (3 * std::sqrt(n)));
}

}  // namespace
}  // namespace riemflow::test
