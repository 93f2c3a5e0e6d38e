#include "riemflow/fit/pooling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "tests/fit/clusters.hpp"

namespace riemflow {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity(),
                 kNaN = std::numeric_limits<double>::quiet_NaN();

double log_normal(double x, double mean, double sigma) {
  return -0.5 * std::pow((x - mean) / sigma, 2) - std::log(sigma) - 0.5 * std::log(2 * std::numbers::pi);
}

/// n draws of Σ w_k N(μ_k, 1) and the log-densities of the components there.
std::vector<std::vector<double>> known_mixture(std::size_t n, const std::vector<double>& weights,
                                               const std::vector<double>& means) {
  std::vector<std::vector<double>> columns(weights.size());
  for (std::size_t i = 0; i < n; ++i) {
    Random random(1, Purpose::test, 0, i);
    double left = random.uniform();
    std::size_t k = 0;
    while (k + 1 < weights.size() && left >= weights[k]) left -= weights[k++];
    const double x = means[k] + random.normal();
    for (std::size_t m = 0; m < means.size(); ++m) columns[m].push_back(log_normal(x, means[m], 1));
  }
  return columns;
}

TEST(PoolWeights, RecoverAKnownMixture) {
  const std::vector<double> truth = {0.6, 0.3, 0.1}, means = {-2, 0, 3};
  const PoolWeights found = fit_pool_weights(known_mixture(20000, truth, means));
  for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(found.weights[m], truth[m], 0.02) << m;
  EXPECT_LE(found.gap, 1e-6);
}

TEST(PoolWeights, OfTwoMembersAreTheOptimumOfALine) {
  const auto columns = known_mixture(300, {0.8, 0.2}, {0, 1.5});
  const PoolWeights found = fit_pool_weights(columns, 1e-10);
  const auto nll = [&](double w) {
    const auto pooled = pooled_log_densities(columns, {w, 1 - w});
    return -std::accumulate(pooled.begin(), pooled.end(), 0.0) / 300;
  };
  double best = 0;
  for (int i = 0; i <= 1000; ++i)
    if (nll(1e-3 * i) < nll(best)) best = 1e-3 * i;
  EXPECT_NEAR(found.weights[0], best, 1e-3);
  EXPECT_NEAR(found.nll, nll(found.weights[0]), 1e-12);
  EXPECT_LE(found.nll, nll(best));
}

TEST(PoolWeights, OfPointsWithWeightsAreThoseOfRepeatedPoints) {
  const auto columns = known_mixture(300, {0.6, 0.3, 0.1}, {-2, 0, 3});
  const Weights counts = random_counts(300, 5);
  std::vector<std::vector<double>> all(3);
  for (std::size_t i = 0; i < 300; ++i)
    for (double k = 0; k < counts[i]; ++k)
      for (std::size_t m = 0; m < 3; ++m) all[m].push_back(columns[m][i]);
  Weights scaled = counts;
  for (double& w : scaled) w *= 0.37;
  const PoolWeights repeated = fit_pool_weights(all), alike = fit_pool_weights(columns);
  for (const Weights& weights : {counts, scaled}) {
    const PoolWeights found = fit_pool_weights(columns, kPoolTolerance, kPoolIterations, weights);
    for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(found.weights[m], repeated.weights[m], 1e-9) << m;
    EXPECT_NEAR(found.nll, repeated.nll, 1e-12);
    EXPECT_GT(std::abs(found.weights[0] - alike.weights[0]), 1e-3);
    const auto pooled = pooled_log_densities(columns, found.weights);
    EXPECT_NEAR(mean_score(pooled, weights).nll, found.nll, 1e-12);
  }
  const PoolWeights ones = fit_pool_weights(columns, kPoolTolerance, kPoolIterations, Weights(300, 1));
  EXPECT_EQ(ones.weights, alike.weights);
  EXPECT_THROW(fit_pool_weights(columns, kPoolTolerance, kPoolIterations, Weights(299, 1)), Error);
}

TEST(PoolWeights, AFailedPointTakesItsWeightWithIt) {
  const Weights weights = {1, 100, 2, 3};
  const PoolWeights with =
      fit_pool_weights({{-1, kNaN, -5, -2}, {-3, 7, -1, -3}}, kPoolTolerance, kPoolIterations, weights);
  const PoolWeights without =
      fit_pool_weights({{-1, -5, -2}, {-3, -1, -3}}, kPoolTolerance, kPoolIterations, {1, 2, 3});
  EXPECT_EQ(with.weights, without.weights);
  const MeanScore score = mean_score({-1, kNaN, -5, -2}, weights);
  EXPECT_EQ(score.failed, 1u);
  EXPECT_NEAR(score.nll, (1 + 10 + 6) / 6.0, 1e-14);
}

TEST(PoolWeights, NeverWorseThanTheBestMember) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, Purpose::test, 3, 0);
    std::vector<std::vector<double>> columns(4, std::vector<double>(15));
    for (auto& column : columns)
      for (double& value : column) value = 5 * random.normal();
    const PoolWeights found = fit_pool_weights(columns);
    double best = kInf;
    for (const auto& column : columns)
      best = std::min(best, -std::accumulate(column.begin(), column.end(), 0.0) / 15);
    EXPECT_LE(found.nll, best + 1e-6) << seed;
    EXPECT_NEAR(std::accumulate(found.weights.begin(), found.weights.end(), 0.0), 1, 1e-12);
  }
}

TEST(PoolWeights, AMemberThatNeverHelpsHasNone) {
  auto columns = known_mixture(100, {1}, {0});
  columns.push_back(columns[0]);
  for (double& value : columns[1]) value -= 1;
  const PoolWeights found = fit_pool_weights(columns);
  EXPECT_EQ(found.weights[0], 1);
  EXPECT_EQ(found.weights[1], 0);
}

/// Each half is scored with the weights of the other, with the points' own weights.
TEST(UnseenNll, IsOfWeightsThatOtherPointsChose) {
  const std::vector<std::vector<double>> columns{{-1, -4, -2, -1, -3, -2}, {-3, -1, -2.5, -3, -1, -2}};
  const Weights weights{1, 2, 1, 1, 3, 1};
  std::vector<Contender> contenders(2);
  for (std::size_t m = 0; m < 2; ++m) contenders[m].validation = columns[m];
  double sum = 0;
  for (const std::size_t half : {0u, 1u}) {
    std::vector<std::vector<double>> choosing(2);
    Weights of_choosing;
    for (std::size_t i = 1 - half; i < 6; i += 2) {
      for (std::size_t m = 0; m < 2; ++m) choosing[m].push_back(columns[m][i]);
      of_choosing.push_back(weights[i]);
    }
    const std::vector<double> w = fit_pool_weights(choosing, 1e-6, 100'000, of_choosing).weights;
    for (std::size_t i = half; i < 6; i += 2)
      sum -= weights[i] * std::log(w[0] * std::exp(columns[0][i]) + w[1] * std::exp(columns[1][i]));
  }
  EXPECT_NEAR(unseen_nll(contenders, weights), sum / 9, 1e-12);
}

/// Twenty copies of the truth with noise: the points that choose the weights believe in some, others do not.
TEST(UnseenNll, IsNotFlatteredByManyMembers) {
  std::vector<Contender> one(1), many(21);
  Random random(3, Purpose::test, 8, 0);
  for (int i = 0; i < 60; ++i) {
    const double truth = random.normal();
    one[0].validation.push_back(truth);
    many[0].validation.push_back(truth);
    for (std::size_t m = 1; m < many.size(); ++m)
      many[m].validation.push_back(truth - 0.5 * 0.6 * 0.6 + 0.6 * random.normal());
  }
  std::vector<std::vector<double>> columns;
  for (const Contender& contender : many) columns.push_back(contender.validation);
  const double alone = unseen_nll(one);
  EXPECT_LT(fit_pool_weights(columns).nll, alone - 0.02);
  EXPECT_GT(unseen_nll(many), alone - 0.005);
}

TEST(PoolWeights, EachWhereTheOtherHasNone) {
  const PoolWeights found = fit_pool_weights({{-1, -kInf, -2, -1}, {-kInf, -800, -kInf, -kInf}});
  EXPECT_NEAR(found.weights[0], 0.75, 1e-6);
  EXPECT_NEAR(found.weights[1], 0.25, 1e-6);
}

TEST(PoolWeights, PointsThatFailedTellNothing) {
  const PoolWeights all = fit_pool_weights({{-1, -5, -2}, {-3, -1, -3}}),
                    with = fit_pool_weights({{-1, kNaN, -5, -2, -kInf}, {-3, 7, -1, -3, -kInf}});
  EXPECT_EQ(all.weights, with.weights);
  EXPECT_EQ(all.nll, with.nll);
  EXPECT_THROW(fit_pool_weights({{kNaN}, {0}}), Error);
  EXPECT_THROW(fit_pool_weights({}), Error);
  EXPECT_THROW(fit_pool_weights({{}}), Error);
  EXPECT_THROW(fit_pool_weights({{0, 1}, {0}}), Error);
}

TEST(PoolWeights, PooledLogDensities) {
  const auto pooled = pooled_log_densities(
      {{-1, -2000, kNaN, -kInf, kNaN}, {-2, -2001, 0, -kInf, 0}, {kNaN, kNaN, kNaN, kNaN, 5}},
      {0.25, 0.75, 0});
  EXPECT_NEAR(pooled[0], std::log(0.25 * std::exp(-1) + 0.75 * std::exp(-2)), 1e-14);
  EXPECT_NEAR(pooled[1], -2000 + std::log(0.25 + 0.75 * std::exp(-1)), 1e-12);
  EXPECT_TRUE(std::isnan(pooled[2]));
  EXPECT_EQ(pooled[3], -kInf);
  EXPECT_TRUE(std::isnan(pooled[4]));
}

}  // namespace
}  // namespace riemflow
