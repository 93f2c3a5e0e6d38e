#include "riemflow/manifold/euclidean.hpp"

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

TEST(Euclidean, ByHand) {
  const Euclidean<double> m(2);
  const Tile<double> x = broadcast<double>({1, 2}), y = broadcast<double>({4, -2});
  EXPECT_EQ(distance(m, x, y)[0], 5);
  EXPECT_EQ(lane(log(m, x, y), 0), (std::vector<double>{3, -4}));
  EXPECT_EQ(lane(exp(m, x, y), 0), (std::vector<double>{5, 0}));
  EXPECT_EQ(lane(transport(m, x, y, y), 0), (std::vector<double>{4, -2}));
  EXPECT_EQ(inner(m, x, x, y)[0], 0);
  EXPECT_EQ(m.log_volume_density(x.data())[0], 0);
  EXPECT_EQ(m.log_volume(), HUGE_VAL);
  EXPECT_FALSE(m.compact());
}

TEST(Euclidean, Misuse) {
  EXPECT_THROW(Euclidean<float>(0), Error);
  const Euclidean<double> m(3);
  Random random(1, Purpose::test, 0, 0);
  Tile<double> x = make_tile<double>(3);
  EXPECT_THROW(m.random_uniform(random, x.data(), 0), Error);
  EXPECT_EQ(*m.defect(std::vector<double>{1, NAN, 2}), "coordinate 2 of 3 is nan");
  EXPECT_EQ(*m.defect(std::vector<double>{1, 2, 3, 4}), "4 coordinates where 3 are expected");
  EXPECT_FALSE(m.defect(std::vector<double>{1, 1e300, 2}));
  x[1][4] = HUGE_VAL;
  for (std::size_t l = 0; l < kLanes; ++l) EXPECT_EQ(m.in_domain(x.data()).lane[l], l != 4);
}

}  // namespace
}  // namespace riemflow::test
