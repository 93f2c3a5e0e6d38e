#include "riemflow/fit/fit.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "tests/fit/draw.hpp"

namespace riemflow {
namespace {

FitConfig quick() {
  FitConfig config;
  config.flow.field.width = 16;
  config.flow.field.depth = 2;
  config.train.batch = 64;
  config.train.schedule.rate = 5e-3;
  config.train.seed = 3;
  config.iterations = 60;
  config.validate_every = 10;
  config.patience = 0;
  return config;
}

struct Data {
  VonMisesFisher<float> target{Eigen::Vector3d(0, 0.6, 0.8), 5};
  Points<float> training = draw(target, 400, 1), validation = draw(target, 100, 2);
};

double mean_nll(Flow<float>& flow, const Points<float>& points) { return -flow.log_prob(points).mean(); }

TEST(Fit, KeepsTheBestOfItsValidations) {
  const Data data;
  FitConfig config = quick();
  config.train.schedule.rate = 0.1;  // wild, so that the last is not the best
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  double best = INFINITY;
  long best_iteration = 0;
  int validations = 0;
  while (!fit.done()) {
    const FitProgress& progress = fit.step();
    EXPECT_EQ(progress.validated, progress.iteration % 10 == 0);
    if (!progress.validated) continue;
    ++validations;
    if (progress.validation >= best) continue;
    best = progress.validation;
    best_iteration = progress.iteration;
  }
  EXPECT_EQ(validations, 6);
  EXPECT_EQ(fit.progress().iteration, 60);
  EXPECT_EQ(fit.progress().best, best);
  EXPECT_EQ(fit.progress().best_iteration, best_iteration);
  ASSERT_LT(best_iteration, 60) << "the test needs a run whose last validation is not its best";
  fit.finish();
  // The same points, parameters and tolerance: the same number.
  EXPECT_EQ(mean_nll(flow, data.validation), best);
}

TEST(Fit, StopsWhenPatienceEnds) {
  const Data data;
  FitConfig config = quick();
  config.train.schedule.rate =
      1e-12;  // nothing ever improves after the first validation, or by rounding only
  config.iterations = 1000;
  config.patience = 3;
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  while (!fit.done()) fit.step();
  EXPECT_EQ(fit.progress().iteration, fit.progress().best_iteration + 3 * config.validate_every);
  EXPECT_LT(fit.progress().iteration, 1000);
}

TEST(Fit, StopsWhenItDiverges) {
  const Data data;
  FitConfig config = quick();
  config.iterations = 1000;
  config.validate_every = 5;
  Flow<float> flow(config.flow, 4, 1);
  {
    Fit<float> fit(flow, config, data.training, data.validation);
    for (int i = 0; i < 5; ++i) fit.step();
    EXPECT_TRUE(std::isfinite(fit.progress().best));
    EXPECT_EQ(fit.divergence(), "");
    const double best = fit.progress().best;
    flow.parameters()[0] = NAN;  // from here on no gradient is finite
    long steps = 0;
    while (!fit.done()) fit.step(), ++steps;
    EXPECT_EQ(steps, Fit<float>::kMostSkipped);
    EXPECT_EQ(fit.divergence(), "10 steps in a row had no finite gradient");
    fit.finish();  // leaves the best there was
    EXPECT_EQ(fit.progress().best, best);
    EXPECT_EQ(fit.progress().best_iteration, 5);
    EXPECT_EQ(mean_nll(flow, data.validation), best);
  }
  // A rate that no training bears.
  config.train.schedule.rate = 1e6;
  config.flow.solver.max_evaluations = 200;
  Flow<float> wild(config.flow, 4, 1);
  Fit<float> fit(wild, config, data.training, data.validation);
  while (!fit.done()) fit.step();
  EXPECT_LT(fit.progress().iteration, 50);
  EXPECT_NE(fit.divergence(), "");
}

TEST(Fit, StopsWhenNoValidationIsFinite) {
  const Data data;
  FitConfig config = quick();
  config.iterations = 1000;
  config.validate_every = 2;
  config.flow.solver.rtol = config.flow.solver.atol = 1e-9;  // of validation; no solve reaches it in so few
  config.flow.solver.max_evaluations = 60;
  Flow<float> flow(config.flow, 4, 1);
  for (float& p : flow.parameters()) p *= 3;
  Fit<float> fit(flow, config, data.training, data.validation);
  while (!fit.done()) fit.step();
  EXPECT_EQ(fit.progress().iteration, 2 * Fit<float>::kMostInfinite);
  EXPECT_EQ(fit.divergence(), "5 validations in a row were not finite");
}

TEST(Fit, ValidatesAtTheTolerancesOfEvaluation) {
  const Data data;
  FitConfig config = quick();
  config.iterations = 10;
  config.train_tolerance = 0.05;
  config.flow.solver.rtol = config.flow.solver.atol = 1e-6;
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  while (!fit.done()) fit.step();
  const double claimed = fit.progress().validation;
  flow.set_tolerance(0.05, 0.05);
  const double loose = mean_nll(flow, data.validation);
  flow.set_tolerance(1e-6, 1e-6);
  EXPECT_EQ(mean_nll(flow, data.validation), claimed);
  EXPECT_NE(loose, claimed);
}

TEST(Fit, ScoresAndKeepsTheMovingAverage) {
  const Data data;
  FitConfig config = quick();
  config.train.average = 0.99;
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  while (!fit.done()) fit.step();
  const std::vector<float> last = parameters_of(flow);
  fit.finish();
  EXPECT_NE(parameters_of(flow), last);
  EXPECT_EQ(mean_nll(flow, data.validation), fit.progress().best);
}

TEST(Fit, RestoredGoesOnToTheSameBits) {
  const Data data;
  for (const double average : {0.0, 0.9}) {
    FitConfig config = quick();
    config.train.average = average;
    Flow<float> flow(config.flow, 4, 1);
    Fit<float> whole(flow, config, data.training, data.validation);
    std::vector<FitState<float>> states;
    while (!whole.done()) {
      const long t = whole.step().iteration;
      if (t == 1 || t == 9 || t == 10 || t == 37) states.push_back(whole.state());
    }
    whole.finish();
    for (const FitState<float>& state : states) {
      Flow<float> other(config.flow, 99, 2);  // other first parameters, other threads
      Fit<float> resumed(other, config, data.training, data.validation);
      resumed.restore(state);
      while (!resumed.done()) resumed.step();
      EXPECT_EQ(resumed.progress().loss, whole.progress().loss);
      EXPECT_EQ(resumed.progress().best, whole.progress().best);
      EXPECT_EQ(resumed.progress().best_iteration, whole.progress().best_iteration);
      resumed.finish();
      EXPECT_EQ(parameters_of(other), parameters_of(flow)) << "from iteration " << state.progress.iteration;
    }
  }
}

/// Wherever in a step or its validation it is given up, it is as if that step had not begun.
TEST(Fit, GivenUpGoesOnToTheSameBits) {
  const Data data;
  FitConfig config = quick();
  config.iterations = 20;
  Flow<float> flow(config.flow, 4, 1), other(config.flow, 4, 1);
  Fit<float> whole(flow, config, data.training, data.validation);
  while (!whole.done()) whole.step();
  Fit<float> stopped(other, config, data.training, data.validation);
  int times = 0, in_validations = 0;
  for (int most = 1; !stopped.done(); ++most) {
    const long before = stopped.progress().iteration;
    try {
      std::atomic<int> calls = 0;
      const CancelScope scope([&] { return ++calls == most; });
      stopped.step();
      most = 0;  // for the next step
    } catch (const Cancelled&) {
      ++times;
      EXPECT_EQ(stopped.progress().iteration, before);
      EXPECT_EQ(stopped.state().trainer.iteration, before);
      if (most > 2 && before % 10 == 9) ++in_validations;
    }
  }
  EXPECT_GT(times, 20);
  EXPECT_GT(in_validations, 2);
  EXPECT_EQ(stopped.progress().best, whole.progress().best);
  EXPECT_EQ(parameters_of(other), parameters_of(flow));
}

TEST(Fit, PatienceIsPartOfTheState) {
  const Data data;
  FitConfig config = quick();
  config.train.schedule.rate = 1e-12;
  config.iterations = 1000;
  config.patience = 4;
  Flow<float> flow(config.flow, 4, 1), other(config.flow, 4, 1);
  Fit<float> whole(flow, config, data.training, data.validation);
  Fit<float> resumed(other, config, data.training, data.validation);
  for (int i = 0; i < 25; ++i) whole.step();
  resumed.restore(whole.state());
  while (!whole.done()) whole.step();
  while (!resumed.done()) resumed.step();
  EXPECT_EQ(resumed.progress().iteration, whole.progress().iteration);
}

TEST(Fit, FinishedBeforeAnyValidationHasOne) {
  const Data data;
  FitConfig config = quick();
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  for (int i = 0; i < 3; ++i) fit.step();
  const std::vector<float> last = parameters_of(flow);
  EXPECT_TRUE(std::isnan(fit.progress().best));
  fit.finish();
  EXPECT_EQ(fit.progress().best_iteration, 3);
  EXPECT_EQ(mean_nll(flow, data.validation), fit.progress().best);
  EXPECT_EQ(parameters_of(flow), last);
}

TEST(Fit, RefusesWhatCannotBeMeant) {
  const Data data;
  Flow<float> flow(quick().flow, 4, 1);
  const auto refused = [&](auto change) {
    FitConfig config = quick();
    change(config);
    EXPECT_THROW(Fit<float>(flow, config, data.training, data.validation), Error);
  };
  refused([](FitConfig& c) { c.train_tolerance = 0; });
  refused([](FitConfig& c) { c.iterations = 0; });
  refused([](FitConfig& c) { c.validate_every = 0; });
  refused([](FitConfig& c) { c.patience = -1; });
  EXPECT_THROW(Fit<float>(flow, quick(), data.training, Points<float>(0, 3)), Error);
  Fit<float> fit(flow, quick(), data.training, data.validation);
  FitState<float> state = fit.state();
  state.parameters.pop_back();
  EXPECT_THROW(fit.restore(state), Error);
}

}  // namespace
}  // namespace riemflow
