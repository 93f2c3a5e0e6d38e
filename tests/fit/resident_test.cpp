// Steps on a device of its own, with the host as that device: what the trainer hands over and takes back.

#include "riemflow/flow/resident.hpp"

#include <gtest/gtest.h>

#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/fit/fit.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/fit/draw.hpp"

namespace riemflow {
namespace {

/// A flow on the host that trains in stretches.
class Stretched final : public Transport<float>, public ResidentTraining<float> {
 public:
  /// fails_at: the numbers of steps whose points fail on the device, which makes a mess of the parameters.
  explicit Stretched(const FlowConfig& config, std::vector<std::uint64_t> fails_at = {})
      : flow_(config, 4, 1), fails_at_(std::move(fails_at)) {}

  const FlowConfig& config() const override { return flow_.config(); }
  const Manifold<float>& manifold() const override { return flow_.manifold(); }
  int threads() const override { return 1; }
  std::span<float> parameters() override { return flow_.parameters(); }
  std::span<const float> parameters() const override { return flow_.parameters(); }
  ParameterLayout layout() const override { return flow_.layout(); }
  void set_tolerance(double rtol, double atol) override { flow_.set_tolerance(rtol, atol); }
  LogProb<float> log_prob(const Points<float>& x, const NoiseKey& key) override {
    return flow_.log_prob(x, key);
  }
  Points<float> sample_base(std::size_t n, std::uint64_t seed, std::uint64_t t,
                            std::uint64_t first) const override {
    return flow_.sample_base(n, seed, t, first);
  }
  std::vector<double> log_base(const Points<float>& x) const override { return flow_.log_base(x); }
  Carried<float> carry(const Points<float>& x, const std::vector<double>& t) override {
    return flow_.carry(x, t);
  }
  ResidentTraining<float>* resident() override { return this; }

  std::vector<ResidentOutcome> train(const ResidentSteps<float>& steps, ResidentState<float> state) override {
    stretches.push_back(steps.size());
    Adam<float> adam(parameters().size(), {steps.beta1, steps.beta2, steps.epsilon, steps.decay});
    adam.restore({state.adam_steps, state.mean, state.square});
    MovingAverage<float> average(parameters(), steps.average);
    if (!state.average.empty()) average.restore({state.average_steps, state.average});
    std::vector<float> gradient(parameters().size());
    std::vector<ResidentOutcome> outcomes;
    for (std::size_t t = 0; t < steps.size(); ++t) {
      Points<float> batch(steps.batch, steps.data.dimension);
      for (std::size_t i = 0; i < steps.batch; ++i) {
        const auto from = steps.data[steps.picks[t * steps.batch + i]];
        std::copy(from.begin(), from.end(), batch[i].begin());
      }
      const NoiseKey key{steps.seed, steps.first + t};
      const Loss loss =
          steps.group == nullptr
              ? flow_.gradient_of(LikelihoodBatch{batch}, gradient, {key, state.first_step})
              : flow_.gradient_of(MatchingBatch{batch, steps.group}, gradient, {key, state.first_step});
      const double norm = gradient_norm<float>(gradient);
      clip_gradient<float>(gradient, norm, steps.clip);
      adam.step(parameters(), gradient, steps.rates[t]);
      if (!state.average.empty()) average.add(parameters());
      state.first_step = loss.summary.first_step();
      outcomes.push_back({loss.likelihood, loss.kinetic, norm, state.first_step, loss.summary.evaluations,
                          loss.summary.accepted, loss.summary.rejected, static_cast<int>(loss.summary.solves),
                          0, 0});
      if (std::find(fails_at_.begin(), fails_at_.end(), key.iteration) != fails_at_.end()) {
        outcomes.back().failed = 3;
        for (float& parameter : parameters()) parameter += 1;
        state.first_step = 1;
      }
    }
    state.adam_steps = adam.state().steps;
    state.mean = adam.state().mean;
    state.square = adam.state().square;
    if (!state.average.empty()) {
      state.average_steps = average.state().steps;
      state.average = average.state().average;
    }
    return outcomes;
  }

  std::vector<std::size_t> stretches;

 private:
  Loss compute_gradient(const Batch<float>& batch, std::span<float> gradient,
                        const GradientOptions& options) override {
    return flow_.gradient_of(batch, gradient, options);
  }

  Flow<float> flow_;
  std::vector<std::uint64_t> fails_at_;
};

FitConfig fit_config() {
  FitConfig config;
  config.flow.field.width = 16;
  config.flow.field.depth = 2;
  config.flow.divergence.estimator = DivergenceEstimator::hutchinson;  // the noise too is named by the step
  config.flow.regularisation.kinetic = 0.1;
  config.train.batch = 50;
  config.train.average = 0.9;
  config.train.clip = 0.05;
  config.train.schedule = {Schedule::Shape::cosine, 1e-2, 25};
  config.iterations = 25;
  config.validate_every = 10;
  return config;
}

/// Step by step and in stretches: the same bits, the same reports, the same progress.
void expect_the_same(const FitConfig& config, std::size_t points, const std::vector<std::size_t>& stretches,
                     const std::vector<std::uint64_t>& fails_at = {}) {
  const VonMisesFisher<float> target(Eigen::Vector3d(0, 0.6, 0.8), 5);
  const Points<float> data = draw(target, points, 1), validation = draw(target, 40, 2);
  Flow<float> stepped(config.flow, 4, 1);
  Stretched stretched(config.flow, fails_at);
  Fit<float> one(stepped, config, data, validation), other(stretched, config, data, validation);
  std::vector<FitProgress> singles, seen;
  while (!one.done()) singles.push_back(one.step());
  while (!other.done()) other.advance([&](const FitProgress& progress) { seen.push_back(progress); });

  EXPECT_EQ(stretched.stretches, stretches);
  ASSERT_EQ(seen.size(), singles.size());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].iteration, singles[i].iteration);
    EXPECT_EQ(seen[i].loss, singles[i].loss) << i;
    EXPECT_EQ(seen[i].evaluations, singles[i].evaluations) << i;
    EXPECT_EQ(seen[i].rate, singles[i].rate) << i;
    EXPECT_EQ(seen[i].validated, singles[i].validated) << i;
    if (i >= 10) {
      EXPECT_EQ(seen[i].validation, singles[i].validation) << i;
    }
  }
  const FitState<float> a = one.state(), b = other.state();
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.best_parameters, b.best_parameters);
  EXPECT_EQ(a.trainer.adam.mean, b.trainer.adam.mean);
  EXPECT_EQ(a.trainer.adam.steps, b.trainer.adam.steps);
  EXPECT_EQ(a.trainer.average.average, b.trainer.average.average);
  EXPECT_EQ(a.trainer.first_step, b.trainer.first_step);
}

TEST(Resident, StretchesAreTheStepsTheyStandFor) { expect_the_same(fit_config(), 180, {10, 10, 5}); }

TEST(Resident, WeightDecay) {
  FitConfig config = fit_config();
  config.train.adam.decay = 0.1;
  expect_the_same(config, 180, {10, 10, 5});
}

TEST(Resident, FlowMatchingAndItsFineTuning) {
  FitConfig config = fit_config();
  config.objective = Objective::flow_matching;
  config.finetune = 7;
  expect_the_same(config, 180, {10, 10, 5, 5, 2});
  // 8192 points are averaged over: of more a group is so many batches, and a stretch ends with it.
  config.train.batch = 1000;
  config.finetune = 0;
  expect_the_same(config, 9000, {8, 2, 6, 4, 4, 1});
}

/// A device has no weights in the means of flow matching: the points of its groups are as often as they
/// weigh.
TEST(Resident, WeightsAreInBatchesAndGroups) {
  const Points<float> data = converted<float>(two_poles(200, 1));
  const SplitWeights weights{two_weights(200, 9, 1), {}};
  FitConfig config = fit_config();
  Stretched flow(config.flow);
  const auto north = [&](const auto& each, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += each(i) ? 1 : 0;
    return sum / static_cast<double>(n);
  };
  for (const Objective kind : {Objective::likelihood, Objective::flow_matching}) {
    const auto objective = make_objective<float>(kind, flow, data, config.train, &data, 0, weights);
    const auto steps = objective->stretch(0, 40);
    ASSERT_TRUE(steps);
    EXPECT_NEAR(north([&](std::size_t i) { return steps->picks[i] % 2 == 0; }, steps->picks.size()), 0.9,
                0.01);
    if (kind == Objective::likelihood) continue;
    const Points<float>& group = *steps->group;
    EXPECT_NEAR(north([&](std::size_t i) { return group[i][2] > 0; }, group.size()), 0.9, 0.01);
  }
  // By likelihood the same steps as on the host.
  Flow<float> host(config.flow, 4, 1);
  Fit<float> one(host, config, data, data, weights), other(flow, config, data, data, weights);
  while (!one.done()) one.step();
  while (!other.done()) other.advance([](const FitProgress&) {});
  EXPECT_EQ(one.state().parameters, other.state().parameters);
}

TEST(Resident, AStepWhosePointsFailIsTheHosts) {
  // At step 3 the stretch is made again up to it; then stretches grow from one step. At 10 it is the first.
  expect_the_same(fit_config(), 180, {10, 3, 6, 1, 2, 3, 8, 1, 2, 4, 2, 5}, {3, 10});
}

}  // namespace
}  // namespace riemflow
