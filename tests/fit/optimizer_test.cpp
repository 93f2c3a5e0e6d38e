#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "riemflow/fit/batches.hpp"
#include "riemflow/fit/optimizer.hpp"

namespace riemflow {
namespace {

TEST(Adam, FirstStepsByHand) {
  // With g = 1 then −2: m̂/√v̂ = 1 at the first step; at the second m = 0.9·0.1 − 0.2, v = 0.999·0.001 + 0.004.
  Adam<double> adam(1, AdamConfig{});
  std::vector<double> x = {0.5}, g = {1};
  adam.step(x, g, 0.1);
  EXPECT_NEAR(x[0], 0.5 - 0.1 / (1 + 1e-8), 1e-15);
  g[0] = -2;
  const double before = x[0];
  adam.step(x, g, 0.1);
  const double m = (0.9 * 0.1 - 0.1 * 2) / (1 - 0.81), v = (0.999 * 0.001 + 0.001 * 4) / (1 - 0.999 * 0.999);
  EXPECT_NEAR(x[0], before - 0.1 * m / (std::sqrt(v) + 1e-8), 1e-14);
}

TEST(Adam, DecayIsApartFromTheGradient) {
  // g = 0: no step, and decay alone. g = 1: both, the step of size 1 whatever the decay.
  AdamConfig config;
  config.decay = 0.5;
  Adam<double> adam(2, config);
  std::vector<double> x = {2, 2};
  adam.step(x, std::vector<double>{0, 1}, 0.1);
  EXPECT_NEAR(x[0], 2 * 0.95, 1e-15);
  EXPECT_NEAR(x[1], 2 * 0.95 - 0.1 / (1 + 1e-8), 1e-15);
}

TEST(Adam, FindsTheMinimumOfAnIllConditionedBowl) {
  Adam<double> adam(2, AdamConfig{});
  std::vector<double> x = {3, -2}, g(2);
  for (int i = 0; i < 4000; ++i) {
    g = {2 * (x[0] - 1), 2000 * (x[1] + 0.5)};
    adam.step(x, g, 0.01);
  }
  EXPECT_NEAR(x[0], 1, 1e-3);
  EXPECT_NEAR(x[1], -0.5, 1e-3);
}

TEST(Schedule, EachShape) {
  Schedule s{Schedule::Shape::constant, 0.5, 100};
  EXPECT_EQ(s.at(0), 0.5);
  EXPECT_EQ(s.at(12345), 0.5);
  s.shape = Schedule::Shape::annealed;
  EXPECT_EQ(s.at(0), 0.5);
  EXPECT_NEAR(s.at(300), 0.5 * 0.98, 1e-15);
  EXPECT_NEAR(s.at(450), 0.5 * std::pow(0.98, 1.5), 1e-15);
  s.shape = Schedule::Shape::cosine;
  EXPECT_EQ(s.at(0), 0.5);
  EXPECT_NEAR(s.at(50), 0.25, 1e-15);
  EXPECT_NEAR(s.at(100), 0, 1e-15);
  EXPECT_NEAR(s.at(1000), 0, 1e-15);
}

TEST(Gradient, ClippingKeepsTheDirection) {
  std::vector<double> g = {3, 4};
  const double norm = gradient_norm<double>(g);
  EXPECT_DOUBLE_EQ(norm, 5);
  clip_gradient<double>(g, norm, 10);
  EXPECT_EQ(g, (std::vector<double>{3, 4}));
  clip_gradient<double>(g, norm, 0);
  EXPECT_EQ(g, (std::vector<double>{3, 4}));
  clip_gradient<double>(g, norm, 1);
  EXPECT_DOUBLE_EQ(g[0], 0.6);
  EXPECT_DOUBLE_EQ(g[1], 0.8);
}

TEST(MovingAverage, FollowsAndForgetsItsStart) {
  std::vector<double> x = {100};
  MovingAverage<double> average(x, 0.99);
  x[0] = 1;
  for (int i = 0; i < 2000; ++i) average.add(x);
  EXPECT_NEAR(average.parameters()[0], 1, 1e-6);
  // Settled, one step moves it by exactly 1 − decay.
  x[0] = 2;
  const double before = average.parameters()[0];
  average.add(x);
  EXPECT_NEAR(average.parameters()[0], before + 0.01 * (2 - before), 1e-12);
}

TEST(Batches, EachEpochHoldsEachPointOnce) {
  Batches batches(10, 4, 7);
  std::vector<std::size_t> sequence;
  for (std::uint64_t t = 0; t < 5; ++t) {
    const auto chosen = batches.indices(t);
    sequence.insert(sequence.end(), chosen.begin(), chosen.end());
  }
  for (std::size_t epoch = 0; epoch < 2; ++epoch) {
    const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(epoch * 10);
    EXPECT_EQ(std::set<std::size_t>(begin, begin + 10).size(), 10u);
  }
  EXPECT_NE(std::vector<std::size_t>(sequence.begin(), sequence.begin() + 10),
            std::vector<std::size_t>(sequence.begin() + 10, sequence.end()));
}

TEST(Batches, DependOnSeedAndIterationAlone) {
  Batches forward(1000, 64, 3), again(1000, 64, 3), other(1000, 64, 4);
  std::vector<std::vector<std::size_t>> seen;
  for (std::uint64_t t = 0; t < 40; ++t) seen.push_back(forward.indices(t));
  for (std::uint64_t t = 40; t-- > 0;) EXPECT_EQ(again.indices(t), seen[t]);
  EXPECT_NE(other.indices(0), seen[0]);
}

TEST(Batches, LargerThanTheData) {
  Batches batches(3, 8, 0);
  const auto chosen = batches.indices(0);
  ASSERT_EQ(chosen.size(), 8u);
  std::vector<int> count(3);
  for (std::size_t i : chosen) ++count[i];
  for (int c : count) EXPECT_GE(c, 2);
}

}  // namespace
}  // namespace riemflow
