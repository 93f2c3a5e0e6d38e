// Intervals, simplices, and numbers that repeat: what their covers and columns say at ends and corners.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/interval.hpp"
#include "riemflow/manifold/periodic.hpp"
#include "riemflow/manifold/simplex.hpp"
#include "tile.hpp"

namespace riemflow::test {
namespace {

using std::numbers::pi;

TEST(Interval, FoldsTheCircleAndGeodesicsAtTheEnds) {
  const Interval<double> space(-2, 6);
  const Covering& covering = *space.covering();
  double x, y;
  covering.lift(&(y = 0), 0, &x);
  EXPECT_DOUBLE_EQ(x, pi / 4);
  covering.lift(&(y = 0), 1, &x);
  EXPECT_DOUBLE_EQ(x, -pi / 4);
  for (const std::size_t sheet : {0u, 1u}) {
    covering.lift(&(y = 6), sheet, &x);
    EXPECT_EQ(x, -pi);
    covering.lift(&(y = -2), sheet, &x);
    EXPECT_EQ(x, 0);
  }
  covering.drop(&(x = -pi), &y);
  EXPECT_EQ(y, 6);
  EXPECT_NEAR(covering.log_stretch(&x, nullptr), std::log(8 / pi), 1e-15);
  EXPECT_NEAR(space.log_volume(), std::log(8), 1e-15);
  const auto reached = [&](double from, double by) {
    return exp(space, broadcast<double>({from}), broadcast<double>({by}))[0][0];
  };
  EXPECT_DOUBLE_EQ(reached(5, 3), 4);
  EXPECT_DOUBLE_EQ(reached(-1, -2), -1 + 0.0);
  EXPECT_DOUBLE_EQ(reached(1, 16), 1);
  EXPECT_DOUBLE_EQ(reached(6, 8), -2);
}

TEST(Interval, SaysWhatIsWrong) {
  EXPECT_EQ(*Interval<double>(0, 1).defect(std::vector<double>{1.5}), "1.5 is not from 0 to 1");
  EXPECT_EQ(Interval<double>(0, 1).defect(std::vector<double>{1}), std::nullopt);
  EXPECT_EQ(Interval<double>(0, 1).name(), "interval:1");
  EXPECT_EQ(Interval<double>(0, 2.5).name(), "interval:1,from=0,to=2.5");
  EXPECT_THROW(Interval<double>(1, 0), Error);
  EXPECT_THROW(Interval<double>(1, 1), Error);
  EXPECT_THROW(Interval<double>(1e9, 1e9 + 1), Error);
  EXPECT_THROW(Interval<double>(-1e308, 1e308), Error);
}

// π/2 the length of a quarter of a circle, π/2 the area of an octant, π²/8 of the three-sphere's sixteenth.
TEST(Simplex, VolumesAndCorners) {
  EXPECT_NEAR(Simplex<double>(1).log_volume(), std::log(pi / 2), 1e-14);
  EXPECT_NEAR(Simplex<double>(2).log_volume(), std::log(pi / 2), 1e-14);
  EXPECT_NEAR(Simplex<double>(3).log_volume(), std::log(pi * pi / 8), 1e-14);
  const Simplex<double> space(2);
  // Corners are a right angle apart; the middle is arccos √(1/3) from each.
  EXPECT_NEAR(distance(space, broadcast<double>({1, 0, 0}), broadcast<double>({0, -1, 0}))[0], pi / 2, 1e-15);
  const double third = std::sqrt(1.0 / 3);
  EXPECT_NEAR(distance(space, broadcast<double>({third, -third, third}), broadcast<double>({0, 0, 1}))[0],
              std::acos(third), 1e-15);
  // Half of Fisher and Rao's 2 arccos Σ√(pq) of p = (.5, .5, 0), q = (.25, .25, .5).
  const double h = std::sqrt(0.5);
  EXPECT_NEAR(distance(space, broadcast<double>({h, h, 0}), broadcast<double>({0.5, 0.5, h}))[0], pi / 4,
              1e-15);
}

TEST(Simplex, ReadsAndWritesProportions) {
  const Notation proportions = Simplex<double>(2).notations().front();
  EXPECT_EQ(proportions.columns, (std::vector<std::string>{"p1", "p2", "p3"}));
  double y[3], p[3];
  const double good[] = {0.25, 0, 0.7502}, negative[] = {0.5, -0.1, 0.6}, cents[] = {25, 25, 50};
  EXPECT_EQ(proportions.read(good, y), std::nullopt);
  EXPECT_EQ(y[1], 0);
  proportions.write(y, p);
  EXPECT_NEAR(p[0], 0.25 / 1.0002, 1e-15);
  EXPECT_EQ(*proportions.read(negative, y), "proportion 2 is -0.1, below 0");
  EXPECT_EQ(*proportions.read(cents, y), "the proportions add to 100 where 1 is expected, to 0.001");
  try {
    const Simplex<double> large(7);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("8 proportions would be a sum over 2^8 lifts"), std::string::npos)
        << e.what();
  }
}

TEST(PeriodicTorus, WrapsIntoThePeriod) {
  const PeriodicTorus<double> space(2, {24, 365});
  EXPECT_EQ(space.name(), "torus:2,L=24;365");
  EXPECT_EQ(PeriodicTorus<double>(2, {24}).name(), "torus:2,L=24");
  EXPECT_EQ(PeriodicTorus<double>(2, {24, 24}).name(), "torus:2,L=24");
  EXPECT_NEAR(space.log_volume(), std::log(24 * 365), 1e-14);
  const Notation numbers = space.notations().front();
  EXPECT_EQ(numbers.columns, (std::vector<std::string>{"t_1", "t_2"}));
  double y[2];
  const double far[] = {-1, 366.5}, tiny[] = {-1e-300, 365};
  EXPECT_EQ(numbers.read(far, y), std::nullopt);
  EXPECT_EQ(y[0], 23);
  EXPECT_EQ(y[1], 1.5);
  EXPECT_EQ(numbers.read(tiny, y), std::nullopt);
  EXPECT_EQ(y[0], 0);
  EXPECT_EQ(y[1], 0);
  const double lost[] = {1e9, 0};
  EXPECT_TRUE(numbers.read(lost, y).has_value());
  // From 23 to 1 o'clock, and from the 364th day to the 3rd.
  EXPECT_NEAR(distance(space, broadcast<double>({23, 364}), broadcast<double>({1, 3}))[0], std::sqrt(4 + 16.),
              1e-13);
  double x[2];
  const double noon[] = {12, 0};
  space.covering()->lift(noon, 0, x);
  EXPECT_EQ(x[0], -pi);
  space.covering()->drop(x, y);
  EXPECT_EQ(y[0], 12);
  EXPECT_THROW(PeriodicTorus<double>(3, {24, 365}), Error);
  EXPECT_THROW(PeriodicTorus<double>(1, {0}), Error);
  EXPECT_THROW(PeriodicTorus<double>(1, {-24}), Error);
}

}  // namespace
}  // namespace riemflow::test
