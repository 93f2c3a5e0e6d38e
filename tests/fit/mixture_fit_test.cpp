#include "riemflow/fit/mixture_fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher_mixture.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/fit/draw.hpp"

namespace riemflow {
namespace {

MixtureParameters truth_on_two_sphere() {
  MixtureParameters p{Points<double>(3, 3), {0.5, 0.3, 0.2}, {5, 30, 200}};
  p.means.values = {1, 0, 0, 0, 0.6, 0.8, 0, -1, 0};
  return p;
}

double mean_nll(const MixtureParameters& p, const Points<double>& points) {
  const std::vector<double> values = VonMisesFisherMixture<double>(p).log_prob(points);
  return -std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Each component of the truth has one of the fit within sampling error: n points of S², about four
/// deviations.
void expect_recovered(const MixtureParameters& fit, const MixtureParameters& truth, double n) {
  for (std::size_t k = 0; k < truth.size(); ++k) {
    std::size_t nearest = 0;
    for (std::size_t j = 1; j < fit.size(); ++j)
      if (dot(fit.means[j], truth.means[k]) > dot(fit.means[nearest], truth.means[k])) nearest = j;
    const double mine = n * truth.weights[k];
    EXPECT_NEAR(fit.weights[nearest], truth.weights[k], 4 * std::sqrt(truth.weights[k] / n)) << k;
    // σ of log κ is 1/√mine on S², more at low κ and where components overlap.
    EXPECT_NEAR(std::log(fit.kappas[nearest] / truth.kappas[k]), 0, 6 / std::sqrt(mine)) << k;
    EXPECT_LT(std::acos(std::min(1.0, dot(fit.means[nearest], truth.means[k]))),
              5 / std::sqrt(mine * truth.kappas[k]))
        << k;
  }
}

TEST(MixtureFit, BothOptimisersRecoverAKnownMixture) {
  const MixtureParameters truth = truth_on_two_sphere();
  const VonMisesFisherMixture<double> p(truth);
  const Points<double> training = draw<double>(p, 4000, 1), validation = draw<double>(p, 1000, 2);
  Executor executor(2);
  const MixtureParameters start = mixture_start(training, 3, 4);
  // The maximum is above the truth by χ²_{11}/2n, 0.0014 ± 0.0006 nats a point.
  const double at_truth = mean_nll(truth, training);
  const MixtureFit em = fit_mixture_em(start, training, validation, {}, executor);
  EXPECT_LT(mean_nll(em.last, training), at_truth);
  EXPECT_GT(mean_nll(em.last, training), at_truth - 0.005);
  expect_recovered(em.last, truth, 4000);
  EXPECT_NEAR(em.validation, mean_nll(em.parameters, validation), 1e-13);
  EXPECT_LT(em.validation, mean_nll(truth, validation) + 0.005);

  MixtureAdamConfig config;
  config.rate = 0.05;
  config.epochs = 600;
  config.schedule = Schedule::Shape::cosine;
  const MixtureFit adam = fit_mixture_adam(start, training, validation, config, executor);
  expect_recovered(adam.last, truth, 4000);
  EXPECT_NEAR(mean_nll(adam.last, training), mean_nll(em.last, training), 1e-5);
  EXPECT_NEAR(adam.validation, mean_nll(adam.parameters, validation), 1e-13);

  config.batch = 400;
  config.epochs = 60;
  config.rate = 0.02;
  const MixtureFit batches = fit_mixture_adam(start, training, validation, config, executor);
  expect_recovered(batches.last, truth, 4000);
  EXPECT_NEAR(mean_nll(batches.last, training), mean_nll(em.last, training), 1e-3);
  EXPECT_EQ(batches.training.size(), 60u);
}

TEST(MixtureFit, AgreeOnTheOptimumFromTheSameStartInOtherDimensions) {
  for (const int d : {1, 4}) {
    MixtureParameters truth{Points<double>(2, d + 1), {0.6, 0.4}, {8, 40}};
    truth.means[0][0] = 1;
    truth.means[1][1] = 1;
    const Points<double> training = draw<double>(VonMisesFisherMixture<double>(truth), 500, 3);
    Executor executor(2);
    const MixtureParameters start = mixture_start(training, 2, 1);
    MixtureAdamConfig config;
    config.rate = 0.05;
    config.epochs = 300;
    config.schedule = Schedule::Shape::cosine;
    const MixtureFit adam = fit_mixture_adam(start, training, training, config, executor);
    const MixtureFit em = fit_mixture_em(start, training, training, {}, executor);
    EXPECT_NEAR(adam.validation, em.validation, 2e-5) << d;
    EXPECT_LT(em.validation, mean_nll(truth, training)) << d;
  }
}

TEST(MixtureFit, EmNeverLosesLikelihood) {
  // Too many components for the data, equal points among them: ceilings, dead components and new places.
  const MixtureParameters truth = truth_on_two_sphere();
  Points<double> training = draw<double>(VonMisesFisherMixture<double>(truth), 300, 5);
  for (std::size_t i = 0; i < 20; ++i)
    std::copy(training[0].begin(), training[0].end(), training[40 + i].begin());
  Executor executor(2);
  for (const std::uint64_t seed : {0u, 1u, 2u}) {
    for (const double ceiling : {50.0, 1e6}) {
      MixtureParameters start = mixture_start(training, 40, seed);
      for (std::size_t k = 0; k < 5; ++k) {  // dead from the start: a needle at the wrong place
        start.kappas[k] = 1e6;
        for (double& mu : start.means[k]) mu = -mu;
      }
      MixtureEmConfig config;
      config.iterations = 200;
      config.tolerance = 0;
      config.bounds.kappa_ceiling = ceiling;
      for (double& kappa : start.kappas) kappa = std::min(kappa, ceiling);
      const MixtureFit fit = fit_mixture_em(start, training, training, config, executor);
      for (std::size_t i = 1; i < fit.training.size(); ++i)
        ASSERT_LE(fit.training[i], fit.training[i - 1] + 1e-11) << seed << ' ' << ceiling << ' ' << i;
      EXPECT_LT(fit.training.back(), fit.training.front() - 0.5);
      EXPECT_LE(*std::max_element(fit.last.kappas.begin(), fit.last.kappas.end()), ceiling);
    }
  }
}

TEST(MixtureFit, EmMovesADeadComponentToWhereItIsNeeded) {
  const MixtureParameters truth = truth_on_two_sphere();
  const Points<double> training = draw<double>(VonMisesFisherMixture<double>(truth), 300, 5);
  Executor executor(2);
  MixtureParameters start = truth;
  start.kappas = {30, 30, 1e6};
  start.means.values = {1, 0, 0, 0, 0.6, 0.8, 0, -0.6, -0.8};  // the last a needle away from all points
  const MixtureFit from_truth = fit_mixture_em(truth, training, training, {}, executor);
  const MixtureFit from_needle = fit_mixture_em(start, training, training, {}, executor);
  EXPECT_NEAR(from_needle.training.back(), from_truth.training.back(), 1e-4);
  expect_recovered(from_needle.last, truth, 300);
}

TEST(MixtureFit, EmLeavesADeadComponentWhereMovingItMayLose) {
  // At a maximum of one broad component a second is worth as much as it costs, E_p(q/p) = 1, up to chance:
  // for some of these samples it would lose.
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    MixtureParameters start{Points<double>(2, 3), {1, 1e-9}, {0.5, 1e6}};
    start.means.values = {0, 0, 1, -1, 0, 0};
    const Points<double> training = draw<double>(VonMisesFisherMixture<double>(start), 300, seed);
    MixtureParameters one{Points<double>(1, 3), {1}, {0.5}};
    one.means.values = {0, 0, 1};
    Executor executor(2);
    MixtureEmConfig config;
    config.iterations = 5;
    config.tolerance = -1;
    const MixtureParameters best = fit_mixture_em(one, training, training, config, executor).last;
    std::copy(best.means[0].begin(), best.means[0].end(), start.means[0].begin());
    start.kappas[0] = best.kappas[0];
    const MixtureFit fit = fit_mixture_em(start, training, training, config, executor);
    for (std::size_t i = 1; i < fit.training.size(); ++i)
      EXPECT_LE(fit.training[i], fit.training[i - 1] + 1e-13) << seed << ' ' << i;
  }
}

TEST(MixtureFit, OneComponentIsTheClosedForm) {
  // μ = Σx/|Σx|, A_d(κ) = |Σx|/n; at κ = 1e5 the resultant's drop has ten digits cancelled.
  for (const double kappa : {2.0, 1e5}) {
    MixtureParameters one{Points<double>(1, 3), {1}, {kappa}};
    one.means.values = {0, 0.6, 0.8};
    const Points<double> training = draw<double>(VonMisesFisherMixture<double>(one), 200, 6);
    Executor executor(1);
    MixtureEmConfig config;
    config.tolerance = 0;
    config.iterations = 1;  // one M-step, from a mean that is not the maximum
    const MixtureFit em = fit_mixture_em(mixture_start(training, 1, 0), training, training, config, executor);
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < training.size(); ++i)
      for (int c = 0; c < 3; ++c) sum[c] += training[i][static_cast<std::size_t>(c)];
    // S²: coth κ − 1/κ = |Σx|/n, checked where it is a number of full precision: as Σ|x − μ|²/2n.
    const Eigen::Vector3d mu = sum.normalized();
    double drop = 0;
    for (std::size_t i = 0; i < training.size(); ++i)
      for (int c = 0; c < 3; ++c) drop += std::pow(training[i][static_cast<std::size_t>(c)] - mu[c], 2) / 400;
    const double k = em.last.kappas[0];
    EXPECT_NEAR((1 / k - 2 / std::expm1(2 * k)) / drop, 1, 1e-9) << kappa;
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(em.last.means[0][static_cast<std::size_t>(c)], mu[c], 1e-12);
  }
}

TEST(MixtureFit, AdamsFirstStepFollowsTheGradient) {
  // With Adam's first step of rate·sign(slope), a tiny rate changes the loss by −rate·Σ|slope|, |·| of a
  // mean's the tangent length: compared with differences of the loss itself, parameter by parameter.
  const Points<double> training = draw<double>(VonMisesFisherMixture<double>(truth_on_two_sphere()), 100, 7);
  MixtureParameters start = truth_on_two_sphere();
  start.kappas = {3, 60, 90};
  Executor executor(1);
  MixtureAdamConfig config;
  config.rate = 1e-5;
  config.epochs = 1;
  const MixtureParameters after = fit_mixture_adam(start, training, training, config, executor).last;
  const double at_start = mean_nll(start, training);
  double expected = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    MixtureParameters moved = start;
    moved.kappas[k] = after.kappas[k];
    EXPECT_NEAR(std::abs(std::log(after.kappas[k] / start.kappas[k])), 1e-5, 1e-9);
    const double by_kappa = mean_nll(moved, training) - at_start;
    EXPECT_LT(by_kappa, 0);
    moved = start;
    std::copy(after.means[k].begin(), after.means[k].end(), moved.means[k].begin());
    const double by_mean = mean_nll(moved, training) - at_start;
    // Steepest: no direction turned by 0.1 within the tangent plane does better.
    const std::span<const double> x = start.means[k], y = after.means[k];
    const Eigen::Vector3d from(x[0], x[1], x[2]), to(y[0], y[1], y[2]), u = to - from;
    EXPECT_NEAR(u.norm(), 1e-5, 1e-9);
    for (const double turn : {-0.1, 0.1}) {
      const Eigen::Vector3d v = from + std::cos(turn) * u + std::sin(turn) * from.cross(u);
      for (int c = 0; c < 3; ++c) moved.means[k][static_cast<std::size_t>(c)] = v[c];
      EXPECT_GT(mean_nll(moved, training) - at_start, by_mean) << k;
    }
    expected += by_kappa + by_mean;
  }
  MixtureParameters moved = start;
  moved.weights = after.weights;
  const double by_weights = mean_nll(moved, training) - at_start;
  EXPECT_LT(by_weights, 0);
  EXPECT_NEAR((mean_nll(after, training) - at_start) / (expected + by_weights), 1, 1e-3);
}

TEST(MixtureFit, SameBitsForAnyNumberOfThreads) {
  const Points<double> training = draw<double>(VonMisesFisherMixture<double>(truth_on_two_sphere()), 700, 8);
  Executor one(1), three(3);
  const MixtureParameters start = mixture_start(training, 6, 9);
  MixtureAdamConfig config;
  config.epochs = 15;
  config.batch = 300;
  const MixtureFit a = fit_mixture_adam(start, training, training, config, one);
  const MixtureFit b = fit_mixture_adam(start, training, training, config, three);
  EXPECT_EQ(a.last.means.values, b.last.means.values);
  EXPECT_EQ(a.last.kappas, b.last.kappas);
  EXPECT_EQ(a.last.weights, b.last.weights);
  EXPECT_EQ(a.training, b.training);
  MixtureEmConfig short_em;
  short_em.iterations = 15;
  const MixtureFit c = fit_mixture_em(start, training, training, short_em, one);
  const MixtureFit d = fit_mixture_em(start, training, training, short_em, three);
  EXPECT_EQ(c.last.means.values, d.last.means.values);
  EXPECT_EQ(c.last.kappas, d.last.kappas);
  EXPECT_EQ(c.training, d.training);
  config.seed = 1;
  EXPECT_NE(fit_mixture_adam(start, training, training, config, one).training, a.training);
}

TEST(MixtureFit, StartIsSpreadOverDistinctPoints) {
  Points<double> training(40, 2);  // four places, ten points each
  for (std::size_t i = 0; i < 40; ++i) {
    training[i][0] = std::cos(static_cast<double>(i % 4));
    training[i][1] = std::sin(static_cast<double>(i % 4));
  }
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const MixtureParameters start = mixture_start(training, 4, seed);
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < j; ++k) EXPECT_LT(dot(start.means[j], start.means[k]), 0.9);
    EXPECT_EQ(start.kappas[0], MixtureBounds{}.kappa_ceiling);
    EXPECT_THROW(mixture_start(training, 5, seed), Error);
  }
  EXPECT_THROW(mixture_start(training, 0, 0), Error);
  EXPECT_THROW(mixture_start(training, 41, 0), Error);
}

TEST(MixtureFit, GridKeepsTheBestByValidation) {
  const VonMisesFisherMixture<double> p(truth_on_two_sphere());
  const Points<double> training = draw<double>(p, 300, 10), validation = draw<double>(p, 300, 11);
  Executor executor(2);
  MixtureAdamConfig config;
  config.epochs = 60;
  const MixtureSearch search = grid_search(training, validation, {{0.1, 0.001}, {1, 3, 8}}, config, executor);
  ASSERT_EQ(search.scores.size(), 6u);
  for (const MixtureScore& score : search.scores)
    EXPECT_GE(score.validation, search.scores[search.chosen].validation);
  EXPECT_EQ(search.fit.validation, search.scores[search.chosen].validation);
  EXPECT_EQ(search.fit.parameters.size(), search.scores[search.chosen].components);
  EXPECT_NEAR(mean_nll(search.fit.parameters, validation), search.fit.validation, 1e-13);
  EXPECT_EQ(search.scores[0].components, 1u);
  EXPECT_EQ(search.scores[1].rate, 0.001);
  EXPECT_GT(search.scores[0].validation, search.fit.validation + 0.1);  // one component cannot do
}

TEST(MixtureFit, TheWatchSeesEachEpochAndCanStop) {
  const VonMisesFisherMixture<double> p(truth_on_two_sphere());
  const Points<double> training = draw<double>(p, 300, 10), validation = draw<double>(p, 300, 11);
  Executor executor(2);
  MixtureAdamConfig config;
  config.epochs = 40;
  std::vector<MixtureProgress> seen;
  config.watch = [&](const MixtureProgress& progress) {
    seen.push_back(progress);
    return progress.epoch < 25;
  };
  const MixtureFit fit =
      fit_mixture_adam(mixture_start(training, 3, 0), training, validation, config, executor);
  EXPECT_TRUE(fit.stopped);
  ASSERT_EQ(seen.size(), 25u);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].epoch, static_cast<long>(i) + 1);
    EXPECT_EQ(seen[i].training, fit.training[i]);
    EXPECT_EQ(seen[i].validated, (i + 1) % 10 == 0);
    EXPECT_GE(seen[i].validation, seen[i].best);
  }
  EXPECT_EQ(seen.back().best, fit.validation);
  EXPECT_NEAR(mean_nll(fit.parameters, validation), fit.validation, 1e-13);

  // A search ends with the fit that is stopped, and keeps the best of what was made.
  seen.clear();
  config.watch = [&](const MixtureProgress& progress) {
    seen.push_back(progress);
    return progress.run < 2 || progress.epoch < 5;
  };
  const MixtureSearch search = grid_search(training, validation, {{0.1, 0.05}, {2, 3}}, config, executor);
  EXPECT_TRUE(search.stopped);
  ASSERT_EQ(search.scores.size(), 3u);
  EXPECT_EQ(seen.size(), 40u + 40u + 5u);
  EXPECT_EQ(seen.back().runs, 4u);
  EXPECT_EQ(seen.back().components, 3u);
  EXPECT_EQ(seen.back().rate, 0.1);
  EXPECT_EQ(search.fit.validation, search.scores[search.chosen].validation);

  MixtureEmConfig em;
  em.watch = [&](const MixtureProgress& progress) { return progress.run == 0 || progress.epoch < 2; };
  const MixtureSearch by_em = grid_search_em(training, validation, {1, 3, 5}, em, executor);
  EXPECT_TRUE(by_em.stopped);
  EXPECT_EQ(by_em.scores.size(), 2u);
  em.watch = nullptr;
  const MixtureSearch whole = grid_search_em(training, validation, {1, 3, 5}, em, executor);
  EXPECT_FALSE(whole.stopped);
  ASSERT_EQ(whole.scores.size(), 3u);
  for (const MixtureScore& score : whole.scores) EXPECT_GE(score.validation, whole.fit.validation);
}

TEST(MixtureFit, PatienceEndsAFitThatGainsNoMore) {
  const VonMisesFisherMixture<double> p(truth_on_two_sphere());
  const Points<double> training = draw<double>(p, 100, 10), validation = draw<double>(p, 100, 11);
  Executor executor(2);
  MixtureAdamConfig config;
  config.rate = 0.1;
  config.epochs = 5000;
  config.patience = 5;
  const MixtureFit fit =
      fit_mixture_adam(mixture_start(training, 20, 0), training, validation, config, executor);
  EXPECT_FALSE(fit.stopped);
  EXPECT_EQ(static_cast<long>(fit.training.size()), fit.best + 50);
}

TEST(MixtureFit, RefusesWhatMakesNoSense) {
  const Points<double> points = draw<double>(VonMisesFisherMixture<double>(truth_on_two_sphere()), 10, 12);
  const MixtureParameters start = truth_on_two_sphere();
  Executor executor(1);
  EXPECT_THROW(fit_mixture_em(start, Points<double>(0, 3), points, {}, executor), Error);
  EXPECT_THROW(fit_mixture_em(start, points, Points<double>(4, 2), {}, executor), Error);
  EXPECT_THROW(fit_mixture_em({}, points, points, {}, executor), Error);
  MixtureAdamConfig config;
  config.rate = 0;
  EXPECT_THROW(fit_mixture_adam(start, points, points, config, executor), Error);
  config = {};
  config.bounds.kappa_floor = 0;
  EXPECT_THROW(fit_mixture_adam(start, points, points, config, executor), Error);
  EXPECT_THROW(grid_search(points, points, {{}, {1}}, {}, executor), Error);
}

TEST(MixtureFit, WeightsAreRepeatedPoints) {
  const VonMisesFisherMixture<double> p(truth_on_two_sphere());
  const Points<double> training = draw<double>(p, 400, 1), validation = draw<double>(p, 150, 2);
  const SplitWeights counts{random_counts(400, 3), random_counts(150, 4)};
  const Points<double> more = repeated(training, counts.training),
                       also = repeated(validation, counts.validation);
  SplitWeights scaled = counts;
  for (double& w : scaled.training) w *= 0.3;
  for (double& w : scaled.validation) w *= 7;
  Executor executor(2);
  const MixtureParameters start = mixture_start(training, 3, 4);
  const auto expect_same = [](const MixtureFit& a, const MixtureFit& b, double tolerance) {
    EXPECT_EQ(a.best, b.best);
    EXPECT_NEAR(a.validation, b.validation, tolerance);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(a.last.weights[k], b.last.weights[k], tolerance);
      EXPECT_NEAR(std::log(a.last.kappas[k] / b.last.kappas[k]), 0, tolerance);
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a.last.means[k][c], b.last.means[k][c], tolerance);
    }
  };
  const MixtureFit truth = fit_mixture_em(start, more, also, {}, executor);
  expect_same(fit_mixture_em(start, training, validation, {}, executor, counts), truth, 1e-9);
  expect_same(fit_mixture_em(start, training, validation, {}, executor, scaled), truth, 1e-9);
  const MixtureFit alike = fit_mixture_em(start, training, validation, {}, executor);
  EXPECT_GT(std::abs(alike.last.weights[0] - truth.last.weights[0]), 1e-4);
  EXPECT_EQ(fit_mixture_em(start, training, validation, {}, executor, {Weights(400, 1), Weights(150, 1)})
                .last.kappas,
            alike.last.kappas);
  // A batch of all points.
  MixtureAdamConfig adam;
  adam.epochs = 30;
  expect_same(fit_mixture_adam(start, training, validation, adam, executor, counts),
              fit_mixture_adam(start, more, also, adam, executor), 1e-9);
  EXPECT_THROW(fit_mixture_em(start, training, validation, {}, executor, {Weights(399, 1), {}}), Error);
}

/// Two clusters of as many points: batches have them 9:1, and so has the mixture.
TEST(MixtureFit, BatchesHaveTheWeights) {
  const Points<double> points = two_poles(400, 1);
  const SplitWeights weights{two_weights(400, 9, 1), two_weights(400, 9, 1)};
  Executor executor(2);
  MixtureAdamConfig adam;
  adam.batch = 50;
  adam.epochs = 60;
  adam.rate = 0.02;
  MixtureParameters start{Points<double>(2, 3), {0.5, 0.5}, {5, 5}};
  start.means.values = {0, 0, 1, 0, 0, -1};
  const auto share = [&](const SplitWeights& own) {
    const MixtureParameters p = fit_mixture_adam(start, points, points, adam, executor, own).last;
    return p.weights[p.means[0][2] > 0 ? 0 : 1];
  };
  EXPECT_NEAR(share(weights), 0.9, 0.02);
  EXPECT_NEAR(share({}), 0.5, 0.02);
}

/// With one mean it is drawn in proportion to the weights.
TEST(MixtureFit, AStartIsDrawnByTheWeights) {
  const Points<double> points = two_poles(100, 2);
  int north = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    north += mixture_start(points, 1, seed, {}, two_weights(100, 9, 1)).means[0][2] > 0;
  EXPECT_NEAR(north, 900, 5 * std::sqrt(90.0));
}

/// A component without points goes where weight is, not to an outlier that has none.
TEST(MixtureFit, AnIdleComponentMovesToWherePointsWeigh) {
  Points<double> points = two_poles(100, 3);
  for (std::size_t i = 0; i < 50; ++i)  // all but two in the north: one of little weight, one of much
    for (std::size_t c = 0; c < 3; ++c) points[2 * i + 1][c] = points[2 * i][c];
  points.values.resize(3 * 98);
  points.values.insert(points.values.end(), {0, 0, -1, 1, 0, 0});
  Weights weights(100, 1);
  weights[98] = 1e-3;
  weights[99] = 5;
  MixtureParameters start{Points<double>(2, 3), {1 - 1e-9, 1e-9}, {20, 1e4}};
  start.means.values = {0, 0, 1, 0, 1, 0};
  MixtureEmConfig config;
  config.iterations = 1;
  Executor executor(1);
  const MixtureFit fit = fit_mixture_em(start, points, points, config, executor, {weights, {}});
  EXPECT_EQ(fit.last.means[1][0], 1);
  EXPECT_EQ(fit_mixture_em(start, points, points, config, executor).last.means[1][2], -1);
}

/// x and −x of each, one after the other.
Points<double> both_ends(const Points<double>& points) {
  Points<double> lifts(2 * points.size(), points.dimension);
  for (std::size_t i = 0; i < lifts.size(); ++i)
    for (std::size_t c = 0; c < lifts[i].size(); ++c) lifts[i][c] = (i % 2 == 0 ? 1 : -1) * points[i / 2][c];
  return lifts;
}

/// Of axes: the density at one is the sum over its ends.
double mean_nll_of_axes(const MixtureParameters& p, const Points<double>& lifts) {
  const std::vector<double> values = VonMisesFisherMixture<double>(p).log_prob(lifts);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); i += 2)
    sum -= std::log(std::exp(values[i]) + std::exp(values[i + 1]));
  return 2 * sum / static_cast<double>(values.size());
}

TEST(MixtureFit, BothOptimisersRecoverAMixtureOfAxes) {
  const MixtureParameters truth = truth_on_two_sphere();
  const VonMisesFisherMixture<double> p(truth);
  const auto axes = [&](std::size_t n, std::uint64_t seed) {
    Points<double> points = draw<double>(p, n, seed);
    for (std::size_t i = 0; i < n; ++i)
      if (i * i % 7 < 2)
        for (double& c : points[i]) c = -c;
    return both_ends(points);
  };
  const Points<double> training = axes(4000, 1), validation = axes(1000, 2);
  Executor executor(2);
  const MixtureParameters start = mixture_start(training, 3, 4, {}, {}, 2);
  const double at_truth = mean_nll_of_axes(truth, training);
  const auto expect_truth = [&](MixtureParameters fit) {
    for (std::size_t k = 0; k < fit.size(); ++k)  // a component is at either end
      for (std::size_t j = 0; j < truth.size(); ++j)
        if (dot(fit.means[k], truth.means[j]) < -0.9)
          for (double& c : fit.means[k]) c = -c;
    expect_recovered(fit, truth, 4000);
  };
  MixtureEmConfig em_config;
  em_config.lifts = 2;
  em_config.tolerance = 1e-10;
  em_config.iterations = 500;
  const MixtureFit em = fit_mixture_em(start, training, validation, em_config, executor);
  EXPECT_LT(mean_nll_of_axes(em.last, training), at_truth);
  EXPECT_GT(mean_nll_of_axes(em.last, training), at_truth - 0.005);
  for (std::size_t i = 1; i < em.training.size(); ++i)
    ASSERT_LE(em.training[i], em.training[i - 1] + 1e-11) << i;
  expect_truth(em.last);
  EXPECT_NEAR(em.validation, mean_nll_of_axes(em.parameters, validation), 1e-13);

  MixtureAdamConfig config;
  config.lifts = 2;
  config.rate = 0.05;
  config.epochs = 600;
  config.schedule = Schedule::Shape::cosine;
  const MixtureFit adam = fit_mixture_adam(start, training, validation, config, executor);
  expect_truth(adam.last);
  EXPECT_NEAR(mean_nll_of_axes(adam.last, training), mean_nll_of_axes(em.last, training), 1e-5);
  EXPECT_NEAR(adam.training.front(), mean_nll_of_axes(start, training), 1e-12);
  EXPECT_NEAR(adam.validation, mean_nll_of_axes(adam.parameters, validation), 1e-13);

  config.batch = 400;
  config.epochs = 60;
  config.rate = 0.02;
  const MixtureFit batches = fit_mixture_adam(start, training, validation, config, executor);
  expect_truth(batches.last);
  EXPECT_NEAR(mean_nll_of_axes(batches.last, training), mean_nll_of_axes(em.last, training), 1e-3);
}

TEST(MixtureFit, WeightsOfAxesAreRepeatedAxes) {
  const VonMisesFisherMixture<double> p(truth_on_two_sphere());
  const Points<double> points = draw<double>(p, 300, 6);
  Points<double> repeated = points;
  SplitWeights weights{Weights(300, 1.0), {}};
  for (std::size_t i = 0; i < 300; i += 3) {
    weights.training[i] = 2;
    repeated.values.insert(repeated.values.end(), points[i].begin(), points[i].end());
  }
  weights.validation = weights.training;
  Executor executor(2);
  const MixtureParameters start = mixture_start(both_ends(points), 3, 4, {}, {}, 2);
  MixtureEmConfig config;
  config.lifts = 2;
  config.iterations = 20;
  config.tolerance = 0;
  const MixtureFit weighted =
      fit_mixture_em(start, both_ends(points), both_ends(points), config, executor, weights);
  const MixtureFit counted =
      fit_mixture_em(start, both_ends(repeated), both_ends(repeated), config, executor);
  ASSERT_EQ(weighted.training.size(), counted.training.size());
  for (std::size_t i = 0; i < counted.training.size(); ++i)
    EXPECT_NEAR(weighted.training[i], counted.training[i], 1e-10);
  EXPECT_NEAR(weighted.validation, counted.validation, 1e-10);
  EXPECT_THROW(fit_mixture_em(start, both_ends(points), points, config, executor,
                              {weights.training, Weights(300, 1.0)}),
               Error);
}

}  // namespace
}  // namespace riemflow
