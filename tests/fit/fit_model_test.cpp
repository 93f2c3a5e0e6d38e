// What `riemflow fit` fits, of every kind, by numbers of steps: the same bits on every run.

#include "riemflow/fit/fit_model.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/fit/learn_kernels.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/model_file.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

FitOptions options_with(Values values) {
  values["manifold"] = "sphere:2";
  return options_of(values);
}

/// Keeps what it is told; cancels after so many steps.
struct Witness : Observer {
  long most_steps = -1, steps = 0, logged_steps = 0;
  std::vector<std::string> sentences, stages;
  std::vector<Model> checkpoints;
  int open_stages = 0, open_tasks = 0;

  void say(const std::string& sentence) override { sentences.push_back(sentence); }
  void begin(const PlannedStage& stage) override {
    stages.push_back(stage.name);
    ++open_stages;
  }
  void step(const FitProgress&, const std::string&) override {
    EXPECT_EQ(open_stages, 1);
    ++steps;
  }
  void end_stage() override { --open_stages; }
  void logged(const std::string&, const FitProgress&) override { ++logged_steps; }
  void begin_task(const std::string&, double) override { ++open_tasks; }
  void task(double done, double of, const char*) override {
    EXPECT_EQ(open_tasks, 1);
    EXPECT_GE(done, 0);
    EXPECT_LE(done, of);
  }
  void end_task() override { --open_tasks; }
  void checkpoint(const Model& model) override { checkpoints.push_back(model); }
  bool cancelled() const override { return most_steps >= 0 && steps >= most_steps; }

  bool said(const std::string& part) const {
    return std::any_of(sentences.begin(), sentences.end(),
                       [&](const std::string& sentence) { return sentence.find(part) != sentence.npos; });
  }
};

std::string bytes_of(const Model& model) {
  std::string all = model.metadata.at("provenance");
  for (const Tensor& tensor : tensors_of(model))
    all += tensor.name + std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return all;
}

const Values kQuickFlow{
    {"width", "8"}, {"depth", "1"}, {"iterations", "30"}, {"validate-every", "10"}, {"batch", "50"}};

TEST(FitModel, AFlowThatIsCancelledGoesOnToTheSameBits) {
  const FitOptions options = options_with(kQuickFlow);
  Witness whole;
  const DataSet data = data_set_of(two_clusters(300, 1), options, whole);
  const FitResult result = fit(data, options, whole);
  EXPECT_EQ(result.stopped, "iterations");
  EXPECT_EQ(whole.steps, 30);
  EXPECT_EQ(whole.stages, std::vector<std::string>{""});
  EXPECT_EQ(whole.open_stages + whole.open_tasks, 0);
  EXPECT_EQ(whole.checkpoints.size(), 1u);
  EXPECT_TRUE(whole.said("300 points: 240 for training, 30 for validation, 30 for the test (seed 0)."));
  for (const long most : {0L, 7L, 29L}) {
    Witness cut;
    cut.most_steps = most;
    const FitResult part = fit(data, options, cut);
    EXPECT_EQ(part.stopped, "interrupted");
    EXPECT_EQ(part.progress.iteration, most);
    ASSERT_TRUE(part.model.has_value());
    Witness rest;
    const FitResult resumed = fit(data, options, rest, &*part.model);
    EXPECT_EQ(rest.steps, 30 - most);
    EXPECT_EQ(bytes_of(*resumed.model), bytes_of(*result.model)) << most;
  }
}

TEST(FitModel, ItsScoresAreThoseOfTheModelItReturns) {
  for (const char* model : {"riemannian", "kde", "normal-mixture", "vmf-mixture", "pool"}) {
    Values values{{"model", model}};
    if (std::string_view(model) == "riemannian") values.insert(kQuickFlow.begin(), kQuickFlow.end());
    if (std::string_view(model) == "vmf-mixture") values.insert({{"components", "2,3"}, {"optimizer", "em"}});
    if (std::string_view(model) == "pool")
      values.insert({{"flow-steps", kSanitized ? "3" : "20"}, {"kernel-steps", kSanitized ? "6" : "100"}});
    const FitOptions options = options_with(values);
    Witness witness;
    const DataSet data = data_set_of(two_clusters(kSanitized ? 150 : 400, 2), options, witness);
    const FitResult result = fit(data, options, witness);
    ASSERT_TRUE(result.model.has_value()) << model;
    EXPECT_EQ(witness.open_stages + witness.open_tasks, 0) << model;
    EXPECT_EQ(name_of(result.model->config.model), model);
    EXPECT_EQ(result.model->metadata.at("data_sha256"), data.sha256);
    const std::vector<double> test =
        log_densities_of_model(*result.model, {}, part_of<double>(data.points, data.split.test));
    double nll = 0;
    for (const double value : test) nll -= value / static_cast<double>(test.size());
    EXPECT_NEAR(result.test_nll, nll, 1e-4) << model;
    EXPECT_LT(result.test_nll, result.reference_nll - 0.5) << model;
    EXPECT_NEAR(result.reference_nll, std::log(4 * std::numbers::pi), 1e-6);
    EXPECT_EQ(recorded_settings(*result.model).at("model"), model);
  }
}

/// Euclidean columns are standardised inside: what is said of the model is in the units of the data.
TEST(FitModel, ScoresAreInTheUnitsOfTheData) {
  Points<double> points(kSanitized ? 120 : 300, 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    Random random(11, Purpose::test, 0, i);
    points[i][0] = 5e5 + 2000 * (random.uniform() + random.uniform() - 1);
    points[i][1] = 4e6 + 30 * (random.uniform() + random.uniform() - 1);
  }
  for (const char* model : {"riemannian", "kde", "normal-mixture", "pool"}) {
    Values values{{"model", model}, {"manifold", "euclidean:2"}};
    if (std::string_view(model) == "riemannian") values.insert(kQuickFlow.begin(), kQuickFlow.end());
    if (std::string_view(model) == "pool")
      values.insert({{"flow-steps", kSanitized ? "3" : "10"}, {"kernel-steps", kSanitized ? "6" : "100"}});
    const FitOptions options = options_of(values);
    Witness witness;
    const DataSet data = data_set_of(points, options, witness);
    const FitResult result = fit(data, options, witness);
    EXPECT_TRUE(witness.said("Euclidean columns are standardised inside the model"));
    const std::vector<double> test =
        log_densities_of_model(*result.model, {}, part_of<double>(data.points, data.split.test));
    double nll = 0;
    for (const double value : test) nll -= value / static_cast<double>(test.size());
    EXPECT_NEAR(result.test_nll, nll, 1e-3) << model;
    // Of two triangular distributions: ln 2000 + ln 30 + 1 nat, roughly.
    EXPECT_NEAR(result.test_nll, 12, 1) << model;
    EXPECT_NEAR(result.progress.best, 12, 1) << model;
    for (const MemberScore& member : result.members) EXPECT_NEAR(member.validation_nll, 12, 2) << member.name;
  }
}

/// Smooth data: a flow of 1,000 steps is worth its while there, one of 3 is not.
TEST(SlowFitModel, FlowsThatDoNotPayAreLeftOut) {
  for (const char* steps : {"3", "1000"}) {
    const FitOptions options = options_with({{"model", "pool"}, {"flow-steps", steps}});
    Witness witness;
    const DataSet data = data_set_of(two_clusters(1600, 3), options, witness);
    const FitResult result = fit(data, options, witness);
    const bool flow = std::any_of(result.members.begin(), result.members.end(),
                                  [](const MemberScore& member) { return member.name == "flow 1"; });
    EXPECT_EQ(flow, witness.steps > 100) << steps;
    EXPECT_EQ(witness.said("Without "), !flow);  // a flow that does not pay, or flow 1
  }
}

TEST(FitModel, ThePoolIsNeverWorseThanItsMembers) {
  const FitOptions options = options_with({{"model", "pool"},
                                           {"flow-steps", kSanitized ? "3" : "30"},
                                           {"kernel-steps", kSanitized ? "6" : "100"}});
  Witness witness;
  const DataSet data = data_set_of(two_clusters(kSanitized ? 300 : 1600, 3), options, witness);
  const FitResult result = fit(data, options, witness);
  double weights = 0, best = INFINITY;
  for (const MemberScore& member : result.members) {
    weights += member.weight;
    best = std::min(best, member.validation_nll);
  }
  EXPECT_NEAR(weights, 1, 1e-9);
  EXPECT_LE(result.progress.best, best + 1e-6);
  EXPECT_EQ(result.progress.iteration, witness.steps + witness.logged_steps);
  EXPECT_GT(witness.logged_steps, 0);
  // With the shipped network, with each that was trained, with mixtures, and with kernel densities of few
  // points; 30 steps leave no flow worth the name.
  EXPECT_EQ(witness.checkpoints.size(), kSanitized ? 7u : 4u);
  // The scores that choose the weights are kept with the points they are of.
  const auto held = held_out_of(*result.model);
  ASSERT_TRUE(held.has_value());
  EXPECT_EQ(held->points.size(), held->log_densities.size());
}

TEST(FitModel, ThePoolHasTheSameBitsForAnyNumberOfThreads) {
  std::string first;
  for (const char* threads : {"1", "3"}) {
    const FitOptions options = options_with({{"model", "pool"},
                                             {"flow-steps", kSanitized ? "3" : "20"},
                                             {"kernel-steps", kSanitized ? "6" : "60"},
                                             {"threads", threads}});
    Witness witness;
    const DataSet data = data_set_of(two_clusters(kSanitized ? 100 : 300, 4), options, witness);
    const std::string bytes = bytes_of(*fit(data, options, witness).model);
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
}

/// Points of two normals: more of them are not worth their numbers, and the mixture is better than any kernel
/// density. With folds, held-out scores are of mixtures that do not know the points.
TEST(FitModel, AMixtureHasAsManyNormalsAsThePoints) {
  for (const std::size_t n : {1600u, 300u}) {
    const FitOptions options = options_with({{"model", "normal-mixture"}});
    Witness witness;
    const DataSet data = data_set_of(two_clusters(n, 12), options, witness);
    const FitResult mixture = fit(data, options, witness);
    EXPECT_EQ(mixture.model->config.model, ModelKind::normal_mixture);
    const FitResult kernels = fit(data, options_with({{"model", "kde"}}), witness);
    EXPECT_LT(mixture.test_nll, kernels.test_nll) << n;
    const HeldOutScores held = *held_out_of(*mixture.model);
    EXPECT_EQ(held.points.size(), n == 300 ? data.split.known().size() : data.split.validation.size());
    EXPECT_NEAR(mixture.progress.best, -weighted_mean(held.log_densities, {}), 1e-12);
    // They are about what points score that nobody has seen.
    const double fresh =
        weighted_mean(log_densities_of_model(*mixture.model, {}, two_clusters(3000, 99)), {});
    EXPECT_NEAR(weighted_mean(held.log_densities, {}), fresh, 0.3) << n;
    EXPECT_EQ(bytes_of(*fit(data, options, witness).model), bytes_of(*mixture.model));
  }
}

TEST(FitModel, AMixtureWithoutTimeIsOneNormal) {
  const FitOptions options = options_with({{"model", "normal-mixture"}, {"time-limit", "0.000001s"}});
  Witness witness;
  const FitResult mixture = fit(data_set_of(two_clusters(300, 12), options, witness), options, witness);
  ASSERT_TRUE(mixture.model);
  EXPECT_EQ(kernels_of(*mixture.model)->parameters().size(), 1u);
}

TEST(FitModel, FewPointsAreWeighedByFolds) {
  const FitOptions options = options_with({{"model", "pool"}, {"kernel-steps", kSanitized ? "6" : "100"}});
  Witness witness;
  const DataSet data = data_set_of(two_clusters(100, 5), options, witness);
  const FitResult result = fit(data, options, witness);
  EXPECT_TRUE(
      witness.said("10 validation points are few: the weights are chosen by 5 folds of the 90 training and "
                   "validation points."));
  EXPECT_EQ(held_out_of(*result.model)->points.size(), 90u);
  // Learned kernels and kernel densities; no flow.
  EXPECT_TRUE(witness.stages.empty());
  for (const char* name : {"learned kernels", "kernel density, one"})
    EXPECT_TRUE(std::any_of(result.members.begin(), result.members.end(), [&](const MemberScore& member) {
      return member.name == name;
    })) << name;
}

void expect_learned_kernels_of(std::size_t n) {
  const FitOptions options = options_with({{"model", "kernels"}});
  Witness witness;
  const DataSet data = data_set_of(two_clusters(n, 7), options, witness);
  const FitResult result = fit(data, options, witness);
  ASSERT_TRUE(result.model);
  EXPECT_EQ(result.model->config.model, ModelKind::kernels);
  EXPECT_EQ(result.stopped, "iterations");
  // Better than kernels that have learned nothing.
  const std::vector<std::size_t> known = data.split.known();
  const std::shared_ptr<const Manifold<double>> sphere = parse_manifold<double>("sphere:2");
  const KernelData centres(sphere, part_of<double>(data.points, known), LearnedKernels::kSeenNeighbours);
  const KernelMixture first(sphere, LearnedKernels(centres).parameters(LearnedKernels::network(1)));
  const Points<double> test = part_of<double>(data.points, data.split.test);
  EXPECT_LT(result.test_nll, -weighted_mean(first.log_prob(test), {}));
  // Held-out scores are of points that the scored density did not know.
  const HeldOutScores held = *held_out_of(*result.model);
  EXPECT_EQ(held.points.size(), n < 1500 ? known.size() : data.split.validation.size());
  EXPECT_NEAR(result.progress.best, -weighted_mean(held.log_densities, {}), 1e-12);
  const std::vector<double> seen =
      log_densities_of_model(*result.model, {}, part_of<double>(data.points, held.points));
  EXPECT_LT(weighted_mean(held.log_densities, {}), weighted_mean(seen, {}) - 0.1);
  const double fresh = weighted_mean(log_densities_of_model(*result.model, {}, two_clusters(3000, 99)), {});
  EXPECT_NEAR(weighted_mean(held.log_densities, {}), fresh, 0.4);
  EXPECT_EQ(bytes_of(*fit(data, options, witness).model), bytes_of(*result.model));
}

TEST(FitModel, LearnedKernelsOfFewPointsHaveFolds) { expect_learned_kernels_of(60); }
TEST(SlowFitModel, LearnedKernelsHaveAValidationSet) { expect_learned_kernels_of(1500); }

TEST(FitModel, LearnedKernelsThatAreInterruptedAreThoseSoFar) {
  const FitOptions options = options_with({{"model", "kernels"}});
  struct Impatient : Witness {
    int reports = 0;
    void task(double done, double of, const char* note) override {
      Witness::task(done, of, note);
      ++reports;
    }
    bool cancelled() const override { return reports > 10; }
  };
  for (const std::size_t n : {1500u, 60u}) {  // 60: in the first fold
    Impatient impatient;
    const DataSet data = data_set_of(two_clusters(n, 7), options, impatient);
    const FitResult result = fit(data, options, impatient);
    EXPECT_EQ(result.stopped, "interrupted");
    ASSERT_TRUE(result.model);
    EXPECT_EQ(result.progress.iteration, 11);
    EXPECT_EQ(make_density(*result.model)->parts().size(), 1u);
    EXPECT_EQ(held_out_of(*result.model).has_value(), n == 1500);
  }
}

TEST(FitModel, APoolOfAHandfulOfPoints) {
  const FitOptions options = options_with({{"model", "pool"}, {"kernel-steps", kSanitized ? "6" : "60"}});
  Points<double> handful = two_clusters(4, 5);
  const std::vector<double> four = handful.values;
  for (int copy = 1; copy < 4; ++copy) handful.values.insert(handful.values.end(), four.begin(), four.end());
  for (const Points<double>& points : {two_clusters(10, 5), handful}) {
    Witness witness;
    const FitResult result = fit(data_set_of(points, options, witness), options, witness);
    ASSERT_TRUE(result.model);
    EXPECT_NEAR(make_density(*result.model)->mass({}).integral.value, 1, 2e-3);
  }
}

TEST(FitModel, AnInterruptedPoolIsThatOfItsKernels) {
  const FitOptions options =
      options_with({{"model", "pool"}, {"flow-steps", "100000"}, {"kernel-steps", "5"}});
  Witness witness;
  witness.most_steps = 3;
  const DataSet data = data_set_of(two_clusters(1600, 6), options, witness);
  const FitResult result = fit(data, options, witness);
  EXPECT_EQ(result.stopped, "interrupted");
  ASSERT_TRUE(result.model.has_value());
  EXPECT_EQ(result.model->config.model, ModelKind::pool);
  EXPECT_LE(witness.steps, 4);
  EXPECT_GE(result.members.size(), 1u);
  Witness at_once;
  at_once.most_steps = 0;
  const FitResult nothing = fit(data, options, at_once);
  EXPECT_EQ(nothing.stopped, "interrupted");
  EXPECT_FALSE(nothing.model.has_value());
}

/// One is planned in less than two minutes; quicker than planned, they are as many as may be.
TEST(SlowFitModel, FurtherFlowsWhileThereIsTime) {
  const FitOptions options =
      options_with({{"model", "pool"}, {"flow-steps", "500"}, {"kernel-steps", "5"}, {"time-limit", "119s"}});
  Witness witness;
  const DataSet data = data_set_of(two_clusters(1600, 9), options, witness);
  fit(data, options, witness);
  std::set<std::string> flows;
  for (const std::string& stage : witness.stages) flows.insert(stage.substr(0, stage.find(',')));
  EXPECT_EQ(flows, (std::set<std::string>{"flow 1", "flow 2", "flow 3", "flow 4"}));
  // A pool with the shipped network, with each that was trained, with mixtures, and after each flow.
  EXPECT_EQ(witness.checkpoints.size(), 8u);
}

TEST(SlowFitModel, TwoNetworksAreTriedFirst) {
  const FitOptions options = options_with({{"model", "pool"}, {"flow-steps", "1000"}, {"kernel-steps", "5"}});
  Witness witness;
  witness.most_steps = 1205;  // the likelihood's steps are long
  const DataSet data = data_set_of(two_clusters(3000, 7), options, witness);
  fit(data, options, witness);
  EXPECT_EQ(witness.stages,
            (std::vector<std::string>{"flow 1, trial of Fourier features", "flow 1, trial of a linear input",
                                      "flow 1, flow matching", "flow 1, likelihood"}));
  EXPECT_EQ(witness.steps, 1205);
}

TEST(FitModel, RefusesWhatCannotBeMeant) {
  Witness witness;
  const FitOptions options = options_with({{"model", "kde"}});
  const DataSet data = data_set_of(two_clusters(100, 8), options, witness);
  const FitResult result = fit(data, options, witness);
  EXPECT_THROW(fit(data, options, witness, &*result.model), Error);  // resumed
  FitOptions to_target = options_with({{"model", "kde"}, {"target", "vmf:mu=0;0;1,kappa=5"}});
  EXPECT_THROW(fit(target_of(to_target), to_target, witness), Error);
  Points<double> off = two_clusters(10, 9);
  off[3][0] = 2;
  EXPECT_THROW(data_set_of(off, options, witness), Error);
  EXPECT_THROW(data_set_of(two_clusters(10, 9), options_of({}), witness), Error);
  EXPECT_THROW(data_set_of(two_clusters(10, 9), options_of({{"manifold", "sphere:3"}}), witness), Error);
}

}  // namespace
}  // namespace riemflow
