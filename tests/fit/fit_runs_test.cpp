#include "riemflow/fit/fit_runs.hpp"

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"
#include "riemflow/io/atomic_file.hpp"
#include "tests/fit/clusters.hpp"

namespace riemflow {
namespace {

const Values kFlowOfARun{{"manifold", "sphere:2"}, {"width", "8"},           {"depth", "1"},
                         {"iterations", "20"},     {"validate-every", "10"}, {"batch", "50"}};

struct RunsWitness : RunsObserver {
  struct One : Observer {
    long steps = 0, most = -1;
    std::optional<Model> last;
    void step(const FitProgress&, const std::string&) override { ++steps; }
    void checkpoint(const Model& model) override { last = model; }
    bool cancelled() const override { return most >= 0 && steps >= most; }
  };
  std::vector<One> runs;
  std::vector<std::optional<Model>> models;
  std::vector<long> iterations;  // of all together
  long planned = 0;
  std::string said;

  explicit RunsWitness(std::size_t n) : runs(n), models(n) {}
  void say(const std::string& sentence) override { said += sentence; }
  void begin(const PlannedStage& stage) override { planned = stage.iterations; }
  void step(const FitProgress& progress, const std::string&) override {
    iterations.push_back(progress.iteration);
  }
  Observer& of(std::size_t run) override { return runs[run]; }
  void over(std::size_t run, const FitResult& result) override { models[run] = result.model; }
};

std::string file_of(const Model& model) {
  const std::string path = testing::TempDir() + "/riemflow-runs-" + std::to_string(::getpid());
  save_model(path, model);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  std::string bytes(1 << 20, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  std::remove(path.c_str());
  return bytes;
}

TEST(FitRuns, ARunIsTheFitWithItsSeedOnTheSplitOfTheFirst) {
  FitOptions first = options_of(kFlowOfARun);
  first.seed = 5;
  RunsWitness witness(3);
  const DataSet data = data_set_of(two_clusters(200, 3), first, witness);
  const std::vector<FitOptions> runs = options_of_runs(first, 3);
  const std::vector<RunOutcome> outcomes = fit_runs(data, runs, {}, witness);
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(witness.planned, 60);
  EXPECT_EQ(witness.iterations.size(), 60u);
  EXPECT_EQ(witness.iterations.back(), 60);
  for (std::size_t run = 0; run < 3; ++run) {
    Values alone = kFlowOfARun;
    alone["seed"] = std::to_string(5 + run);
    alone["split-seed"] = "5";
    const FitOptions options = options_of(alone);
    Observer silent;
    const FitResult result = fit(data_set_of(two_clusters(200, 3), options, silent), options, silent);
    EXPECT_EQ(file_of(*witness.models[run]), file_of(*result.model)) << run;
    EXPECT_TRUE(outcomes[run].ended());
    EXPECT_EQ(outcomes[run].number("test_nll"), result.test_nll);
  }
  const std::size_t best = best_run(outcomes).value();
  for (const RunOutcome& outcome : outcomes)
    EXPECT_GE(outcome.number("validation_nll"), outcomes[best].number("validation_nll"));
}

TEST(FitRuns, GoOnWhereTheyStoppedAndLeaveTheFinishedAlone) {
  const FitOptions first = options_of(kFlowOfARun);
  RunsWitness whole(2), stopped(2), rest(2);
  const DataSet data = data_set_of(two_clusters(200, 3), first, whole);
  const std::vector<FitOptions> runs = options_of_runs(first, 2);
  fit_runs(data, runs, {}, whole);
  stopped.runs[1].most = 7;
  const std::vector<RunOutcome> outcomes = fit_runs(data, runs, {}, stopped);
  EXPECT_TRUE(outcomes[0].ended());
  EXPECT_FALSE(outcomes[1].ended());
  EXPECT_EQ(outcomes[1].problem, "");
  EXPECT_EQ(best_run(outcomes), 0u);

  const std::vector<RunOutcome> resumed = fit_runs(data, runs, stopped.models, rest);
  EXPECT_EQ(rest.said, "1 of 2 runs are finished.");
  EXPECT_EQ(rest.runs[0].steps, 0);
  EXPECT_EQ(rest.runs[1].steps, 13);
  EXPECT_EQ(file_of(*rest.models[1]), file_of(*whole.models[1]));
  EXPECT_EQ(resumed[0].number("test_nll"), outcomes[0].number("test_nll"));
  EXPECT_TRUE(std::isnan(resumed[0].seconds) && resumed[1].seconds > 0);

  // Checkpoints are of one configuration, a seed apart.
  EXPECT_EQ(settings_of_first(*whole.models[1], 1).at("seed"), "0");
  EXPECT_THROW(settings_of_first(*whole.models[1], 2), Error);
  EXPECT_NO_THROW(refuse_strangers(whole.models));
  EXPECT_THROW(refuse_strangers({whole.models[0], whole.models[0]}), Error);
  EXPECT_THROW(refuse_strangers({whole.models[1], std::nullopt, whole.models[1]}), Error);
}

TEST(FitRuns, ThatFailAreLeftOut) {
  Values values = kFlowOfARun;
  values["rate"] = "1e38";
  const FitOptions first = options_of(values);
  RunsWitness witness(2);
  const DataSet data = data_set_of(two_clusters(200, 3), first, witness);
  const std::vector<RunOutcome> outcomes = fit_runs(data, options_of_runs(first, 2), {}, witness);
  for (const RunOutcome& outcome : outcomes) {
    EXPECT_FALSE(outcome.ended());
    EXPECT_NE(outcome.problem.find("diverged"), std::string::npos) << outcome.problem;
  }
  EXPECT_EQ(best_run(outcomes), std::nullopt);
}

TEST(FitRuns, AreOfFlows) {
  for (const ModelKind model : {ModelKind::pool, ModelKind::kde, ModelKind::vmf_mixture})
    EXPECT_THROW(refuse_runs(model), Error) << name_of(model);
  EXPECT_NO_THROW(refuse_runs(ModelKind::stereographic));
  FitOptions late;
  late.seed = std::numeric_limits<std::uint64_t>::max() - 1;
  EXPECT_THROW(options_of_runs(late, 3), Error);
}

}  // namespace
}  // namespace riemflow
