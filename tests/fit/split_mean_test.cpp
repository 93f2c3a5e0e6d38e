#include "riemflow/fit/split_mean.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "riemflow/core/random.hpp"
#include "riemflow/fit/split.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kPoints = 100;
/// Simulated data sets; a deviation is known to 1/√(2 kSets) of itself.
constexpr std::uint64_t kSets = kSanitized ? 25 : 150;
const double kKnown = 3.5 / std::sqrt(2.0 * static_cast<double>(kSets));

/// How much better a normal density about the training points' mean is than one about 0, at the test points
/// of split j of a data set; or one about 1/2, which learns nothing.
TestedSplit tested(const std::vector<double>& data, std::uint64_t j, bool learns) {
  std::vector<std::size_t> groups(data.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  const Split split = split_points(groups, {80, 10, 10}, j);
  double centre = learns ? 0 : 0.5;
  if (learns)
    for (const std::size_t i : split.training) centre += data[i] / static_cast<double>(split.training.size());
  TestedSplit result{split.test, {}, split.training.size(), data.size()};
  for (const std::size_t i : split.test)
    result.values.push_back((std::pow(data[i], 2) - std::pow(data[i] - centre, 2)) / 2);
  return result;
}

struct Simulation {
  double deviation;  ///< of the mean over fresh data sets: the truth
  double reported;   ///< root of the mean square of the errors
  double naive;      ///< the same, of all test points of all splits as independent values
};

/// heavy: every fourth point has so many times the weight of the others.
Simulation simulate(std::uint64_t splits, bool learns, double heavy = 1) {
  double sum = 0, squares = 0, error = 0, naive = 0;
  for (std::uint64_t s = 0; s < kSets; ++s) {
    std::vector<double> data(kPoints);
    for (std::size_t i = 0; i < kPoints; ++i) data[i] = Random(s, Purpose::test, 7, i).normal();
    std::vector<TestedSplit> tests;
    for (std::uint64_t j = 0; j < splits; ++j) {
      tests.push_back(tested(data, 1000 * s + j, learns));
      for (const std::size_t i : tests.back().points) tests.back().weights.push_back(i % 4 == 0 ? heavy : 1);
    }
    const SplitMean mean = mean_over_splits(tests);
    sum += mean.mean;
    squares += mean.mean * mean.mean;
    error += mean.error * mean.error;
    double n = 0, all = 0;
    for (const TestedSplit& test : tests)
      for (const double d : test.values) {
        n += 1;
        all += std::pow(d - mean.mean, 2);
      }
    naive += all / (n * n);
  }
  const auto M = static_cast<double>(kSets);
  return {std::sqrt((squares - sum * sum / M) / (M - 1)), std::sqrt(error / M), std::sqrt(naive / M)};
}

TEST(SplitMean, IsTheDeviationOverFreshDataOfDensitiesThatLearnNothing) {
  for (const std::uint64_t splits : {1, 5}) {
    const Simulation found = simulate(splits, false);
    EXPECT_NEAR(found.reported / found.deviation, 1, kKnown) << splits;
  }
  const Simulation many = simulate(40, false);
  EXPECT_NEAR(many.reported / many.deviation, 1, kKnown);
  // What all splits' points as independent values would claim.
  EXPECT_LT(many.naive / many.deviation, 0.6);
}

TEST(SplitMean, IsNoLessThanTheDeviationOverFreshDataOfDensitiesThatLearn) {
  for (const std::uint64_t splits : {5, 40}) {
    const Simulation found = simulate(splits, true);
    EXPECT_GT(found.reported / found.deviation, 1 - kKnown) << splits;
    EXPECT_LT(found.reported / found.deviation, 1.8) << splits;
  }
}

TEST(SplitMean, DoesNotFallBelowThatOfThePointsAsSplitsAreAdded) {
  std::vector<double> data(kPoints);
  for (std::size_t i = 0; i < kPoints; ++i) data[i] = Random(3, Purpose::test, 7, i).normal();
  std::vector<TestedSplit> tests;
  std::vector<double> errors;
  for (std::uint64_t j = 0; j < 400; ++j) {
    tests.push_back(tested(data, j, false));
    if (j == 59 || j == 399) errors.push_back(mean_over_splits(tests).error);
  }
  // Without learning a point has the same difference in each split: d = x/2 − 1/8, of deviation 1/2.
  double mean = 0, square = 0;
  for (const double x : data) mean += x / kPoints;
  for (const double x : data) square += std::pow((x - mean) / 2, 2) / (kPoints - 1);
  const double floor = std::sqrt(square / kPoints);
  for (const double error : errors) {
    EXPECT_GE(error, floor * (1 - 1e-12));
    EXPECT_LT(error, floor * 1.2);
  }
}

TEST(SplitMean, OfOneSplitIsThatOfItsPoints) {
  const SplitMean mean = mean_over_splits({{{4, 7, 9, 2}, {1, 2, 3, 6}, 80, 100}});
  EXPECT_DOUBLE_EQ(mean.mean, 3);
  EXPECT_DOUBLE_EQ(mean.error, std::sqrt((4 + 1 + 0 + 9) / 3.0 / 4));
  EXPECT_EQ(mean.points, 4u);
}

TEST(SplitMean, FormulaByHand) {
  // Points 1, 2 and 2, 3: d̄ = 1, 3, 6; m = 13/4; split means 3/2 and 5; r = 1, 2, 1.
  const SplitMean mean = mean_over_splits({{{1, 2}, {1, 2}, 8, 10}, {{2, 3}, {4, 6}, 8, 10}});
  EXPECT_DOUBLE_EQ(mean.mean, 3.25);
  const double squares = 2.25 * 2.25 + 0.5 * 0.5 + 2.75 * 2.75, points = 1.5 * squares / 16;
  const double average = 10.0 / 3,
               floor =
                   (std::pow(1 - average, 2) + std::pow(3 - average, 2) + std::pow(6 - average, 2)) / 2 / 3;
  const double between = 3.5 * 3.5 / 2, within = (0.5 + 2) / 2, B = between - 0.8 * within / 2;
  EXPECT_DOUBLE_EQ(mean.error, std::sqrt(std::max(points, floor) + (0.5 + 0.25) * B));
}

// Point 1 is in all of three splits, of two and three points: it alone weighs more than the floor.
TEST(SplitMean, FormulaByHandOfPointsThatComeOften) {
  const SplitMean mean =
      mean_over_splits({{{1, 2}, {6, 0}, 8, 10}, {{1, 3}, {6, 1}, 8, 10}, {{1, 4, 5}, {6, 2, 3}, 7, 10}});
  const double m = 24.0 / 7;
  EXPECT_DOUBLE_EQ(mean.mean, m);
  const double squares = std::pow(18 - 3 * m, 2) + m * m + std::pow(1 - m, 2) + std::pow(2 - m, 2) +
                         std::pow(3 - m, 2),
               points = 5.0 / 4 * squares / 49;
  const double average = 12.0 / 5, floor = (36 + 0 + 1 + 4 + 9 - 5 * average * average) / 4 / 5;
  ASSERT_GT(points, 1.2 * floor);
  const double split_mean = (3 + 3.5 + 11.0 / 3) / 3;
  const double between =
      (std::pow(3 - split_mean, 2) + std::pow(3.5 - split_mean, 2) + std::pow(11.0 / 3 - split_mean, 2)) / 2;
  const double within = (18 + 12.5 + (49 - 121.0 / 3) / 2) / 3, by_chance = (0.4 + 0.4 + 0.7 / 3) / 3;
  const double B = std::max(0.0, between - within * by_chance);
  EXPECT_DOUBLE_EQ(mean.error, std::sqrt(points + (1.0 / 3 + (0.25 + 0.25 + 3.0 / 7) / 3) * B));
}

// Points of nine times the weight of others: as many points as there are would claim two thirds of the error.
// With five splits B, which is never below 0, adds 15 % (of 3000 data sets), and 14 % without weights.
TEST(SplitMean, OfWeightsIsTheDeviationOverFreshData) {
  for (const std::uint64_t splits : {1, 40}) {
    const Simulation found = simulate(splits, false, 9);
    EXPECT_NEAR(found.reported / found.deviation, 1, kKnown) << splits;
  }
  const Simulation five = simulate(5, false, 9);
  EXPECT_NEAR(five.reported / five.deviation, 1.15, kKnown);
  const Simulation learned = simulate(40, true, 9);
  EXPECT_GT(learned.reported / learned.deviation, 1 - kKnown);
  EXPECT_LT(learned.reported / learned.deviation, 1.8);
}

// v = 1, 2, 3 of points 1, 2, 3; d̄ = 1, 3, 6; Σ v d = 31 of N = 8.
TEST(SplitMean, FormulaByHandOfWeights) {
  const std::vector<TestedSplit> splits = {{{1, 2}, {1, 2}, 8, 10, {1, 2}}, {{2, 3}, {4, 6}, 8, 10, {2, 3}}};
  const SplitMean mean = mean_over_splits(splits);
  const double m = 31.0 / 8;
  EXPECT_DOUBLE_EQ(mean.mean, m);
  const double K = 36.0 / 14, c = K + 1 - 2 * 6.0 * 36 / (14 * 14);
  const double squares = std::pow(1 - m, 2) + std::pow(2 * (6 - 2 * m), 2) + std::pow(3 * (6 - m), 2);
  const double average = 25.0 / 6, floor = (std::pow(1 - average, 2) + 4 * std::pow(3 - average, 2) +
                                            9 * std::pow(6 - average, 2)) /
                                           (c * 14);
  const double first = 5.0 / 3, second = 26.0 / 5;
  // Of two values with weights: N_v, c_v, and the variance of their mean times N_v.
  const auto within = [](double v, double w, double split, double d, double e) {
    const double n = (v + w) * (v + w) / (v * v + w * w),
                 cv = n + 1 - 2 * (v + w) * (v * v * v + w * w * w) / std::pow(v * v + w * w, 2);
    return std::pair(
        n, (std::pow(v * (d - split), 2) + std::pow(w * (e - split), 2)) / (cv * (v * v + w * w)) * n);
  };
  const auto [n1, w1] = within(1, 2, first, 1, 2);
  const auto [n2, w2] = within(2, 3, second, 4, 6);
  const double between = std::pow(second - first, 2) / 2,
               B = between - (w1 + w2) / 2 * (0.8 / n1 + 0.8 / n2) / 2;
  const double J = 16.0 / (1.5 * 1.5 + 2.5 * 2.5);
  EXPECT_GT(B, 0);
  EXPECT_NEAR(mean.error, std::sqrt(std::max(K / c * squares / 64, floor) + (1 / J + 0.25) * B), 1e-12);
}

TEST(SplitMean, OfEqualWeightsIsThatOfNoneAndTheirScaleIsNone) {
  std::vector<TestedSplit> plain = {{{1, 2, 5}, {1, 2, 4}, 8, 10}, {{2, 3, 4}, {4, 6, 7}, 8, 10}};
  std::vector<TestedSplit> alike = plain, once = plain, thrice = plain;
  alike[0].weights = alike[1].weights = {1, 1, 1};
  EXPECT_EQ(mean_over_splits(alike).mean, mean_over_splits(plain).mean);
  EXPECT_EQ(mean_over_splits(alike).error, mean_over_splits(plain).error);
  once[0].weights = {1, 2, 3};
  once[1].weights = {2, 5, 1};
  thrice[0].weights = {3, 6, 9};
  thrice[1].weights = {6, 15, 3};
  EXPECT_NEAR(mean_over_splits(thrice).mean, mean_over_splits(once).mean, 1e-14);
  EXPECT_NEAR(mean_over_splits(thrice).error, mean_over_splits(once).error, 1e-14);
  // In the mean a weight of 2 is a point that is there twice; in the error it is not.
  std::vector<TestedSplit> twice = plain, two = plain;
  two[0].weights = {2, 1, 1};
  two[1].weights = {1, 1, 1};
  twice[0] = {{1, 9, 2, 5}, {1, 1, 2, 4}, 8, 10};
  EXPECT_NEAR(mean_over_splits(two).mean, mean_over_splits(twice).mean, 1e-14);
  EXPECT_GT(mean_over_splits(two).error, mean_over_splits(twice).error);
}

TEST(SplitMean, LeavesOutWhatFailed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const SplitMean mean = mean_over_splits({{{1, 2, 3}, {1, nan, 3}, 8, 10}, {{5}, {nan}, 8, 10}});
  EXPECT_DOUBLE_EQ(mean.mean, 2);
  EXPECT_EQ(mean.points, 2u);
  EXPECT_EQ(mean.splits, 1u);
  EXPECT_TRUE(std::isnan(mean_over_splits({}).mean));
}

}  // namespace
}  // namespace riemflow
