#include "riemflow/core/running_mean.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "riemflow/core/random.hpp"
#include "riemflow/core/weights.hpp"

namespace riemflow {
namespace {

std::vector<double> numbers(std::size_t n, std::uint64_t seed) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 1e3 + Random(seed, Purpose::test, 0, i).normal();
  return values;
}

Weights weights_for(std::size_t n) {
  Weights weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = std::exp(Random(9, Purpose::test, 0, i).normal());
  return weights;
}

TEST(RunningMean, WeightedByItsDefinition) {
  const std::vector<double> x = numbers(50, 1);
  const Weights w = weights_for(50);
  RunningMean mean, scaled;
  double W = 0, W2 = 0, W3 = 0, m = 0, squares = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    mean.add(x[i], w[i]);
    scaled.add(x[i], 3 * w[i]);
    W += w[i];
    W2 += w[i] * w[i];
    W3 += w[i] * w[i] * w[i];
    m += w[i] * x[i];
  }
  m /= W;
  for (std::size_t i = 0; i < 50; ++i) squares += w[i] * w[i] * (x[i] - m) * (x[i] - m);
  // Σ w²(x − m)² is σ²(Σ w² − 2 Σ w³/W + (Σ w²)²/W²) in the mean, and the variance of m is σ² Σ w²/W².
  const double variance = squares / (W2 - 2 * W3 / W + W2 * W2 / (W * W)) * W2 / (W * W);
  EXPECT_NEAR(mean.mean(), m, 1e-10);
  EXPECT_NEAR(mean.mean(), weighted_mean(x, w), 1e-10);
  EXPECT_NEAR(mean.standard_error(), std::sqrt(variance), 1e-10);
  EXPECT_NEAR(scaled.mean(), mean.mean(), 1e-10);
  EXPECT_NEAR(scaled.standard_error(), mean.standard_error(), 1e-10);
}

TEST(RunningMean, OfEqualWeightsIsTheOrdinaryOne) {
  const std::vector<double> x = numbers(40, 2);
  RunningMean plain, alike;
  double m = 0, squares = 0;
  for (const double value : x) {
    plain.add(value);
    alike.add(value, 0.125);
    m += value / 40;
  }
  for (const double value : x) squares += (value - m) * (value - m);
  EXPECT_NEAR(plain.standard_error(), std::sqrt(squares / 39 / 40), 1e-12);
  EXPECT_EQ(alike.mean(), plain.mean());
  EXPECT_NEAR(alike.standard_error(), plain.standard_error(), 1e-15);
  EXPECT_EQ(weighted_mean(x, {}), weighted_mean(x, Weights(40, 1)));
}

/// Over many draws of the values the square of the error is the variance of the mean.
TEST(RunningMean, TheErrorIsThatOfTheMean) {
  const Weights w = weights_for(60);
  double square = 0, claimed = 0;
  const int rounds = 4000;
  for (int r = 0; r < rounds; ++r) {
    const std::vector<double> x = numbers(60, 100 + static_cast<std::uint64_t>(r));
    RunningMean mean;
    for (std::size_t i = 0; i < 60; ++i) mean.add(x[i], w[i]);
    square += (mean.mean() - 1e3) * (mean.mean() - 1e3) / rounds;
    claimed += mean.standard_error() * mean.standard_error() / rounds;
  }
  EXPECT_NEAR(claimed / square, 1, 0.08);
}

}  // namespace
}  // namespace riemflow
