// Fits by flow matching: what they reach where the truth is known, and that they can be taken up again.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/parse_target.hpp"
#include "riemflow/distribution/rounded.hpp"
#include "riemflow/fit/fit.hpp"
#include "riemflow/flow/transport.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/fit/draw.hpp"

namespace riemflow {
namespace {

FitConfig quick_matching(const std::string& manifold = "sphere:2") {
  FitConfig config;
  config.flow.manifold = manifold;
  config.flow.field.width = 16;
  config.flow.field.depth = 2;
  config.flow.field.activation = Activation::swish;
  config.objective = Objective::flow_matching;
  config.train.batch = 100;
  config.train.schedule.rate = 5e-3;
  config.train.average = 0.9;
  config.train.seed = 3;
  config.iterations = 40;
  config.validate_every = 10;
  config.validation_points = 30;
  config.patience = 0;
  return config;
}

Points<float> points_of(const std::string& target, const std::string& manifold, std::size_t n,
                        std::uint64_t seed) {
  const std::shared_ptr<const Manifold<double>> on = parse_manifold<double>(manifold);
  return converted<float>(draw(*parse_target<double>(target, on), n, seed));
}

struct MatchingData {
  Points<float> training = points_of("vmf:mu=0;0.6;0.8,kappa=5", "sphere:2", 400, 1),
                validation = points_of("vmf:mu=0;0.6;0.8,kappa=5", "sphere:2", 100, 2);
};

TEST(MatchingFit, RestoredGoesOnToTheSameBits) {
  const MatchingData data;
  FitConfig config = quick_matching();
  config.finetune = 15;
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> whole(flow, config, data.training, data.validation);
  std::vector<FitState<float>> states;
  while (!whole.done()) {
    const long t = whole.step().iteration;
    if (t == 1 || t == 25 || t == 40 || t == 41 || t == 52) states.push_back(whole.state());
  }
  EXPECT_EQ(whole.progress().iteration, 55);
  whole.finish();
  ASSERT_EQ(states.size(), 5u);
  for (const FitState<float>& state : states) {
    Flow<float> other(config.flow, 99, 2);  // other first parameters, other threads
    Fit<float> resumed(other, config, data.training, data.validation);
    resumed.restore(state);
    while (!resumed.done()) resumed.step();
    EXPECT_EQ(resumed.progress().loss, whole.progress().loss);
    EXPECT_EQ(resumed.progress().best_iteration, whole.progress().best_iteration);
    resumed.finish();
    EXPECT_EQ(resumed.progress().best, whole.progress().best);
    EXPECT_EQ(parameters_of(other), parameters_of(flow)) << "from iteration " << state.progress.iteration;
  }
}

TEST(MatchingFit, FineTuningStartsFromTheBestAndImprovesTheLikelihood) {
  const MatchingData data;
  FitConfig config = quick_matching();
  config.finetune = 40;
  config.finetune_rate = 2e-3;
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  for (int i = 0; i < 40; ++i) fit.step();
  EXPECT_FALSE(fit.done());
  const std::vector<float> best(fit.best_parameters().begin(), fit.best_parameters().end());
  const double matched = fit.progress().best;
  config.finetune_rate = 1e-30;  // a step that leaves the parameters where they are
  Flow<float> other(config.flow, 4, 1);
  Fit<float> still(other, config, data.training, data.validation);
  still.restore(fit.state());
  still.step();
  EXPECT_EQ(parameters_of(other), best);
  EXPECT_GT(still.progress().evaluations, 5);  // a solve
  while (!fit.done()) fit.step();
  EXPECT_EQ(fit.progress().iteration, 80);
  EXPECT_LT(fit.progress().best, matched - 0.01);
  EXPECT_GT(fit.progress().best_iteration, 40);
}

TEST(MatchingFit, TheLastValidationIsOfAllPoints) {
  const MatchingData data;
  const FitConfig config = quick_matching();
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  while (!fit.done()) fit.step();
  const double rough = fit.progress().best;
  fit.finish();
  EXPECT_NE(fit.progress().best, rough);
  EXPECT_EQ(fit.progress().best, -flow.log_prob(data.validation).mean());
}

TEST(MatchingFit, PatienceEndsTheMatchingAndThenTheFineTuning) {
  const MatchingData data;
  FitConfig config = quick_matching();
  config.train.schedule.rate = config.finetune_rate = 1e-12;  // nothing improves, or by rounding only
  config.train.average = 0;
  config.iterations = config.finetune = 1000;
  config.patience = 2;
  Flow<float> flow(config.flow, 4, 1);
  Fit<float> fit(flow, config, data.training, data.validation);
  while (!fit.out_of_patience()) fit.step();
  EXPECT_FALSE(fit.done());
  const long matched = fit.progress().iteration;
  EXPECT_LT(matched, 200);
  while (!fit.done()) fit.step();
  EXPECT_TRUE(fit.out_of_patience());
  EXPECT_GE(fit.progress().iteration, matched + 20);
  EXPECT_LT(fit.progress().iteration, matched + 200);
}

TEST(MatchingFit, RefusesWhatCannotBeMeant) {
  const MatchingData data;
  Flow<float> flow(quick_matching().flow, 4, 1);
  const auto refused = [&](auto change) {
    FitConfig config = quick_matching();
    change(config);
    EXPECT_THROW(Fit<float>(flow, config, data.training, data.validation), Error);
  };
  refused([](FitConfig& c) { c.finetune = -1; });
  refused([](FitConfig& c) { c.finetune = 5, c.finetune_rate = 0; });
  refused([](FitConfig& c) { c.finetune = 5, c.objective = Objective::likelihood; });
  refused([](FitConfig& c) { c.train.adam.decay = -1; });
}

// Every kind of flow has it, charts and chains too.
TEST(MatchingFit, LowersItsLossForEveryKind) {
  struct Kind {
    ModelKind model;
    std::string manifold, target;
    double gain;  // of the likelihood, in nats; field lines that end short of the data have less
  };
  for (const Kind& kind : {Kind{ModelKind::stereographic, "sphere:2", "vmf:mu=0;0.6;0.8,kappa=5", 0.75},
                           Kind{ModelKind::wrapped, "ball:2", "wrapped-normal:alpha=1,sigma=0.3;0.5", 3},
                           Kind{ModelKind::autoregressive, "torus:2", "", 3}}) {
    FitConfig config = quick_matching(kind.manifold);
    config.flow.model = kind.model;
    config.iterations = 100;
    Points<float> data(400, 2);
    if (kind.target.empty()) {
      for (std::size_t i = 0; i < data.size(); ++i) {
        Random random(1, Purpose::test, 0, i);
        data[i][0] = static_cast<float>(0.3 * random.normal());
        data[i][1] = data[i][0] + static_cast<float>(0.2 * random.normal());
      }
    } else {
      data = points_of(kind.target, kind.manifold, 400, 1);
    }
    const auto flow = make_transport<float>(config.flow, 4, 1);
    const double rest = -flow->log_prob(data).mean();
    Fit<float> fit(*flow, config, data, data);
    fit.step();
    const double before = fit.progress().loss;
    while (!fit.done()) fit.step();
    EXPECT_LT(fit.progress().loss, 0.85 * before) << name_of(kind.model);
    fit.finish();
    EXPECT_LT(-flow->log_prob(data).mean(), rest - kind.gain) << name_of(kind.model);
  }
}

struct Known {
  std::string manifold, target;
};

// 8,000 points, so that what is left is the model's: the excess over the truth on fresh points.
TEST(SlowMatchingFit, ComesCloseToKnownDensities) {
  for (const Known& known :
       {Known{"sphere:2", "0.4*vmf:mu=0;0.6;0.8,kappa=20 + 0.6*vmf:mu=0.8;0;-0.6,kappa=5"},
        Known{"ball:2",
              "0.5*wrapped-normal:alpha=1,sigma=0.3;0.5 + 0.5*wrapped-normal:alpha=-1,sigma=0.5"}}) {
    FitConfig config = quick_matching(known.manifold);
    config.flow.field.width = 64;
    config.flow.field.depth = 3;
    config.train.batch = 256;
    config.train.schedule = {Schedule::Shape::cosine, 5e-3, 3000};
    config.train.average = 0.99;
    config.iterations = 3000;
    config.validate_every = 1000;
    config.validation_points = 500;
    const std::shared_ptr<const Manifold<double>> on = parse_manifold<double>(known.manifold);
    const auto target = parse_target<double>(known.target, on);
    const auto flow = make_transport<float>(config.flow, 4, 2);
    Fit<float> fit(*flow, config, points_of(known.target, known.manifold, 8000, 1),
                   points_of(known.target, known.manifold, 2000, 2));
    while (!fit.done()) fit.step();
    fit.finish();
    const Points<double> fresh = draw(*target, 4000, 3);
    const LogProb<float> scored = flow->log_prob(converted<float>(fresh));
    ASSERT_TRUE(scored.summary.ok());
    double excess = 0;
    std::vector<Pack<double>> x(static_cast<std::size_t>(fresh.dimension));
    for (std::size_t t = 0; t < fresh.tiles(); ++t) {
      fresh.load_tile(t, x.data());
      const Pack<double> truth = target->log_density(x.data());
      for (int l = 0; l < fresh.lanes(t); ++l)
        excess +=
            (truth[l] - static_cast<double>(scored.values[t * kLanes + static_cast<std::size_t>(l)])) / 4000;
    }
    EXPECT_LT(excess, 0.03) << known.manifold;
    EXPECT_GT(excess, -0.01) << known.manifold;
  }
}

// Wrapped normals on the torus, of entropy Σ log(σ√(2πe)): σ is small beside the circle.
TEST(SlowMatchingFit, ComesCloseToTheEntropyOnTheTorus) {
  constexpr double sigma = 0.4;
  const auto points = [&](std::size_t n, std::uint64_t seed) {
    Points<float> data(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      Random random(seed, Purpose::test, 1, i);
      for (float& angle : data[i])  // around the seam
        angle = static_cast<float>(std::remainder(3 + sigma * random.normal(), 2 * std::numbers::pi));
    }
    return data;
  };
  FitConfig config = quick_matching("torus:2");
  config.flow.field.width = 64;
  config.train.batch = 256;
  config.train.schedule = {Schedule::Shape::cosine, 5e-3, 2000};
  config.train.average = 0.99;
  config.iterations = 2000;
  config.validate_every = 1000;
  const auto flow = make_transport<float>(config.flow, 4, 2);
  Fit<float> fit(*flow, config, points(20000, 1), points(1000, 2));
  while (!fit.done()) fit.step();
  fit.finish();
  const double entropy = 2 * std::log(sigma * std::sqrt(2 * std::numbers::pi * std::numbers::e));
  const LogProb<float> scored = flow->log_prob(points(4000, 3));
  EXPECT_NEAR(-scored.mean(), entropy, 0.02 + 2 * scored.standard_error());
}

}  // namespace
}  // namespace riemflow
