#include "riemflow/core/degrees.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace riemflow {
namespace {

/// Error in units in the last place of the exact value.
double ulps(long double exact, double value) {
  const double size = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(size, 2) - size;
  return static_cast<double>(std::abs(exact - static_cast<long double>(value))) / unit;
}

TEST(Degrees, ExactAtQuarterTurns) {
  const double sines[] = {0, 1, 0, -1};
  for (int k = -12; k <= 12; ++k) {
    const auto [s, c] = sincos_degrees(90.0 * k);
    EXPECT_EQ(s, sines[(k + 12) % 4]) << k;
    EXPECT_EQ(c, sines[(k + 13) % 4]) << k;
    EXPECT_FALSE(std::signbit(s) && s == 0) << k;
  }
}

TEST(Degrees, WithinTwoUnitsOfTheLastPlace) {
  const long double degree = std::acos(-1.0L) / 180;
  double worst = 0;
  for (int i = 0; i < 400000; ++i) {
    const double angle = std::fmod(i * 0.6180339887498949, 1.0) * 900 - 450;
    const long double quarter = std::round(static_cast<long double>(angle) / 90);
    const long double rest = (static_cast<long double>(angle) - 90 * quarter) * degree;
    const long double sine = std::sin(rest), cosine = std::cos(rest);
    const int q = (static_cast<int>(quarter) + 400) % 4;
    const auto [s, c] = sincos_degrees(angle);
    worst = std::max(worst, ulps(q == 0 ? sine : q == 1 ? cosine : q == 2 ? -sine : -cosine, s));
    worst = std::max(worst, ulps(q == 0 ? cosine : q == 1 ? -sine : q == 2 ? -cosine : sine, c));
  }
  EXPECT_LT(worst, 2);
  EXPECT_GT(worst, 0.4);
}

TEST(Degrees, NotFinite) {
  EXPECT_TRUE(std::isnan(sincos_degrees(std::numeric_limits<double>::infinity()).sin));
  EXPECT_TRUE(std::isnan(sincos_degrees(std::nan("")).cos));
}

}  // namespace
}  // namespace riemflow
