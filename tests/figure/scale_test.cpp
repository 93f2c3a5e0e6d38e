#include "riemflow/figure/scale.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace riemflow::figure {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& marks) {
  std::vector<std::string> result;
  for (const Tick& mark : marks) result.push_back(mark.label);
  return result;
}
using Words = std::vector<std::string>;

TEST(Scale, ThereAndBack) {
  for (const Scale& scale : {Scale{-3, 5, false}, Scale{2e-9, 4e-6, true}, Scale{10, 1, false}})
    for (const double share : {0.0, 0.1, 0.5, 1.0})
      EXPECT_NEAR(scale.share(scale.value(share)), share, 1e-12);
  EXPECT_NEAR((Scale{1, 100, true}.value(0.5)), 10, 1e-12);
  EXPECT_NEAR((Scale{-3, 5, false}.share(1)), 0.5, 1e-15);
}

TEST(Scale, NothingAndZero) {
  const Scale scale{0.01, 1, true};
  EXPECT_TRUE(std::isnan(scale.share(std::nan(""))));
  EXPECT_EQ(scale.share(0), -INFINITY);
  EXPECT_EQ(scale.colour(0).red, heat(0).red);
  EXPECT_EQ(scale.colour(std::nan("")).red, kNothing.red);
}

// On many ranges: enough, not too many, inside, rising, and each label is its number.
TEST(Ticks, FourToEightInside) {
  for (int i = 0; i < 4000; ++i) {
    const double span = std::pow(10.0, -7 + 0.0037 * i), from = span * std::sin(1.7 * i) * (i % 5);
    const Scale scale{from, from + span, false};
    const std::vector<Tick> marks = ticks(scale);
    ASSERT_GE(marks.size(), 4u) << from << " " << span;
    ASSERT_LE(marks.size(), 8u) << from << " " << span;
    for (std::size_t k = 0; k < marks.size(); ++k) {
      ASSERT_GE(scale.share(marks[k].at), -1e-6);
      ASSERT_LE(scale.share(marks[k].at), 1 + 1e-6);
      if (k > 0) {
        ASSERT_GT(marks[k].at, marks[k - 1].at);
        ASSERT_NE(marks[k].label, marks[k - 1].label);
      }
    }
  }
}

TEST(Ticks, LogFourToEightInside) {
  for (int i = 0; i < 4000; ++i) {
    const double from = std::pow(10.0, -9 + 0.0041 * i), ratio = std::pow(10.0, 0.02 + 0.00713 * (i % 3000));
    const Scale scale{from, from * ratio, true};
    const std::vector<Tick> marks = ticks(scale);
    ASSERT_GE(marks.size(), 4u) << from << " " << ratio;
    ASSERT_LE(marks.size(), 8u) << from << " " << ratio;
    for (const Tick& mark : marks) {
      ASSERT_GE(scale.share(mark.at), -1e-6);
      ASSERT_LE(scale.share(mark.at), 1 + 1e-6);
    }
  }
}

TEST(Ticks, LabelsWithoutNoise) {
  EXPECT_EQ(labels(ticks({0, 0.5, false})), (Words{"0.0", "0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(ticks({0, 0.5, false})[3].at, 0.3);
  EXPECT_EQ(labels(ticks({-1, 1, false})), (Words{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(labels(ticks({0, 1, false})), (Words{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(ticks({0, 20000, false})),
            (Words{"0", "5000", "10\u2009000", "15\u2009000", "20\u2009000"}));
  EXPECT_EQ(labels(ticks({0, 8e-8, false})), (Words{"0", "2·10⁻⁸", "4·10⁻⁸", "6·10⁻⁸", "8·10⁻⁸"}));
}

TEST(Ticks, Decades) {
  EXPECT_EQ(labels(ticks({0.001, 1, true})), (Words{"0.001", "0.01", "0.1", "1"}));
  EXPECT_EQ(labels(ticks({1e-8, 1e-4, true})), (Words{"10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴"}));
  EXPECT_EQ(labels(ticks({1, 100, true})), (Words{"1", "3", "10", "30", "100"}));
  EXPECT_EQ(labels(ticks({1, 12, true})), (Words{"1", "2", "5", "10"}));
  EXPECT_EQ(labels(ticks({1e-20, 1, true})).size(), 7u);
  EXPECT_TRUE(ticks({0, 1, true}).empty());
}

TEST(Ticks, Degrees) {
  EXPECT_EQ(labels(degree_ticks({-180, 180, false})), (Words{"−180°", "−90°", "0°", "90°", "180°"}));
  EXPECT_EQ(labels(degree_ticks({-180, 180, false}, 6)),
            (Words{"−180°", "−120°", "−60°", "0°", "60°", "120°", "180°"}));
  EXPECT_EQ(labels(degree_ticks({10, 12, false})), (Words{"10.0°", "10.5°", "11.0°", "11.5°", "12.0°"}));
}

TEST(Numbers, AsFewDigitsAsTheyNeed) {
  EXPECT_EQ(short_number(0.1 + 0.2), "0.3");
  EXPECT_EQ(short_number(1250), "1250");
  EXPECT_EQ(short_number(-2.5e-8), "−2.5·10⁻⁸");
  EXPECT_EQ(short_number(1e-5), "10⁻⁵");
  EXPECT_EQ(short_number(9.9996), "10");
  EXPECT_EQ(short_number(123456, 6), "123\u2009456");
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(-0.0), "0");
  EXPECT_EQ(number_text(-1e-9, 2), "0.00");
  EXPECT_EQ(power_of_ten(-12), "10⁻¹²");
}

TEST(Numbers, ScaleHoldsTheValues) {
  const Scale scale = scale_of({0.13, NAN, 7.9, INFINITY});
  EXPECT_DOUBLE_EQ(scale.from, 0);
  EXPECT_DOUBLE_EQ(scale.to, 8);
  const Scale one = scale_of({5});
  EXPECT_LT(one.from, 5);
  EXPECT_GT(one.to, 5);
  const Scale log = scale_of({-1, 0, 0.01, 10}, true);
  EXPECT_GT(log.from, 0.005);
  EXPECT_LT(log.from, 0.01);
  EXPECT_GT(ticks(scale_of({})).size(), 3u);
}

}  // namespace
}  // namespace riemflow::figure
