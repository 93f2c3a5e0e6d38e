#include "riemflow/figure/texture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/figure/textures.hpp"

namespace riemflow::figure {
namespace {

TEST(Texture, UniformIsOne) {
  for (const std::string& name : crystal_group_names()) {
    Texture texture = texture_of(name, {});
    Points<double> rotations(40'000, 4);
    for (std::size_t i = 0; i < rotations.size(); ++i) rotations[i][0] = 1;
    const std::vector<double> multiples = multiples_of_uniform(texture, rotations);
    ASSERT_EQ(multiples.size(), rotations.size());
    for (const double value : multiples) EXPECT_NEAR(value, 1, 1e-14);
  }
}

TEST(Texture, LevelsAreRound) {
  using Levels = std::vector<double>;
  EXPECT_EQ(multiples_levels({0, 17}), (Levels{1, 2, 4, 8, 16}));
  EXPECT_EQ(multiples_levels({0, 3.4}), (Levels{1, 2, 3}));
  EXPECT_EQ(multiples_levels({0.6, 2.1, NAN}), (Levels{0.75, 1, 1.25, 1.5, 1.75, 2}));
  EXPECT_TRUE(multiples_levels({1, 1.0001}).empty());
  EXPECT_TRUE(multiples_levels({}).empty());
  EXPECT_EQ(multiples_key({0.75, 1, 1.25}), "contours at 0.75, 1 (broken), 1.25");
}

TEST(Texture, ABarHoldsAllValues) {
  EXPECT_EQ(multiples_bar({1, 1, NAN}).scale.to, 2);
  EXPECT_EQ(multiples_bar({0, 12.5}).scale.to, 12.5);
  EXPECT_EQ(multiples_bar({3}).scale.from, 0);
}

}  // namespace
}  // namespace riemflow::figure
