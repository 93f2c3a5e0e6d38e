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
  EXPECT_EQ(multiples_levels({0, 17}), (Levels{1, 2, 5, 10}));
  EXPECT_EQ(multiples_levels({0, 3.4}), (Levels{1, 2, 3}));
  EXPECT_EQ(multiples_levels({0.6, 2.1, NAN}), (Levels{0.75, 1, 1.25, 1.5, 1.75, 2}));
  EXPECT_TRUE(multiples_levels({1, 1.0001}).empty());
  EXPECT_TRUE(multiples_levels({}).empty());
  EXPECT_EQ(multiples_levels({0, 99}), (Levels{1, 2, 5, 10, 20, 50}));
  EXPECT_TRUE(multiples_levels({0, 101}).empty());
  EXPECT_EQ(multiples_key({0.75, 1, 1.25}), "contours at 0.75, 1 (broken), 1.25");
}

TEST(Texture, ABarHoldsAllValues) {
  EXPECT_EQ(multiples_bar({1, 1, NAN}).scale.to, 2);
  EXPECT_EQ(multiples_bar({0, 12.5}).scale.to, 12.5);
  EXPECT_FALSE(multiples_bar({0, 99}).scale.logarithmic);
  EXPECT_TRUE(multiples_bar({0, 101}).scale.logarithmic);
  EXPECT_FALSE(multiples_bar({0, 101}, false).scale.logarithmic);
  EXPECT_EQ(multiples_bar({3}).scale.from, 0);
}

TEST(Texture, ALogBarIsFourPowersOfTenDeepAtMost) {
  ColourBar bar = multiples_bar({0.2, NAN, 12}, true);
  EXPECT_TRUE(bar.scale.logarithmic);
  EXPECT_EQ(bar.scale.from, 0.2);
  EXPECT_EQ(bar.scale.to, 12);
  EXPECT_FALSE(bar.open_below);
  bar = multiples_bar({0, 5000}, true);
  EXPECT_EQ(bar.scale.from, 0.5);
  EXPECT_TRUE(bar.open_below);
  bar = multiples_bar({3}, true);
  EXPECT_LT(bar.scale.from, bar.scale.to);
}

// Near its middle a peak of κ is a normal of σ = √(2/κ).
TEST(Texture, TheFinestWidthIsThatOfTheNarrowestPeak) {
  for (const double half_width : {0.1, 1.0, 5.0, 15.0}) {
    const double sigma = std::sqrt(2 / kappa_of(half_width));
    EXPECT_NEAR(finest_width(texture_of("432", {{orientation(31, 42, 22), kappa_of(half_width)}})), sigma,
                0.15 * sigma);
    if (half_width > 2) continue;
    // A tenth of the mass in it.
    const double mixed = finest_width(texture_of("432", {{orientation(31, 42, 22), kappa_of(half_width), 0.1},
                                                         {orientation(80, 70, 60), kappa_of(30), 0.9}}));
    EXPECT_GT(mixed, 0.8 * sigma);
    EXPECT_LT(mixed, 1.6 * sigma);
  }
  EXPECT_EQ(finest_width(texture_of("1", {})), kBroad);
}

}  // namespace
}  // namespace riemflow::figure
