#include "apps/riemflow/fit/runs.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/fit/run.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {
namespace {

using Json = nlohmann::ordered_json;

/// One progress line for all, and what each leaves in its files.
class RunsShown final : public RunsObserver {
 public:
  RunsShown(const std::vector<FitRequest>& requests, bool quiet)
      : requests_(requests), quiet_(quiet), observers_(requests.size()) {}

  void say(const std::string& sentence) override { Voice{quiet_}.say_text(sentence); }
  void begin(const PlannedStage& stage) override {
    line_ = std::make_unique<ProgressLine>(stage.iterations, stage.seconds, quiet_);
  }
  void step(const FitProgress& progress, const std::string& note) override {
    line_->note(note);
    line_->update(progress);
  }
  void end_stage() override { line_.reset(); }
  bool cancelled() const override { return interrupted(); }

  Observer& of(std::size_t run) override { return *(observers_[run] = make_fit_observer(requests_[run])); }
  void over(std::size_t run, const FitResult& result) override { save_result(requests_[run].output, result); }

 private:
  const std::vector<FitRequest>& requests_;
  bool quiet_;
  std::vector<std::unique_ptr<Observer>> observers_;
  std::unique_ptr<ProgressLine> line_;
};

/// Over the runs that have it.
RunningMean mean_of_runs(const std::vector<RunOutcome>& outcomes, const char* key) {
  RunningMean mean;
  for (const RunOutcome& outcome : outcomes)
    if (const double x = outcome.number(key); std::isfinite(x)) mean.add(x);
  return mean;
}

std::string with_error(double value, double error) {
  if (std::isnan(value)) return "–";
  return std::isnan(error) ? fmt::format("{:.4f}", value) : fmt::format("{:.4f} ± {:.4f}", value, error);
}

/// The keys of a provenance that score a run: on test points, or against a target.
struct ScoreKeys {
  const char *title, *value, *error;
};
ScoreKeys score_keys(const DataSet& data) {
  if (data.target) return {"reverse KL", "reverse_kl", "reverse_kl_standard_error"};
  return {"test NLL", "test_nll", "test_nll_standard_error"};
}

/// A line a run, and the mean of those that ended ± its standard error.
std::string table_of_runs(const std::vector<FitRequest>& runs, const DataSet& data,
                          const std::vector<RunOutcome>& outcomes) {
  const ScoreKeys score = score_keys(data);
  std::string text = fmt::format("{:>4}  {:>6}  {:>17}  {:>17}  {:>8}\n", "run", "seed", "validation",
                                 score.title, "seconds");
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    const RunOutcome& outcome = outcomes[run];
    text += fmt::format("{:>4}  {:>6}  ", run + 1, runs[run].options.seed);
    if (outcome.ended())
      text +=
          fmt::format("{:>17}  {:>17}  {:>8}\n", with_error(outcome.number("validation_nll"), std::nan("")),
                      with_error(outcome.number(score.value), outcome.number(score.error)),
                      std::isnan(outcome.seconds) ? "–" : fmt::format("{:.1f}", outcome.seconds));
    else
      text += fmt::format("{:>17}\n", "failed");
  }
  const RunningMean validation = mean_of_runs(outcomes, "validation_nll"),
                    mean = mean_of_runs(outcomes, score.value);
  return text + fmt::format("{:>4}  {:>6}  {:>17}  {:>17}\n", "mean", "",
                            with_error(validation.mean(), validation.standard_error()),
                            with_error(mean.mean(), mean.standard_error()));
}

Json json_of_runs(const std::vector<FitRequest>& runs, const DataSet& data,
                  const std::vector<RunOutcome>& outcomes, const std::string& output) {
  Json rows = Json::array();
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    const RunOutcome& outcome = outcomes[run];
    const Json about = read_provenance(outcome.about);
    Json row = {{"run", run + 1}, {"seed", runs[run].options.seed}, {"model", runs[run].output}};
    for (const char* key :
         {"iterations", "best_iteration", "stopped", "validation_nll", "test_nll", "test_nll_standard_error",
          "failed_test_points", "reverse_kl", "reverse_kl_standard_error", "effective_sample_share",
          "forward_kl", "forward_kl_standard_error", "missed_target_share"})
      if (about.is_object() && about.contains(key)) row[key] = about[key];
    if (outcome.ended())
      row["seconds"] = outcome.seconds;
    else
      row["error"] = outcome.problem;
    rows.push_back(std::move(row));
  }
  Json mean = Json::object();
  for (const char* key : {"validation_nll", score_keys(data).value}) {
    const RunningMean of = mean_of_runs(outcomes, key);
    mean[key] = of.mean();
    mean[std::string(key) + "_standard_error"] = of.standard_error();
  }
  Json settings = Json::object();
  for (const auto& [name, value] : recorded_values(runs.front().options)) settings[name] = value;
  const std::optional<std::size_t> best = best_run(outcomes);
  return {{"model", best ? Json(output) : Json()},
          {"best_run", best ? Json(*best + 1) : Json()},
          {"manifold", data.manifold.name()},
          {"data", data_json(data)},
          {"runs", rows},
          {"mean", mean},
          {"settings", settings}};
}

void copy_file(const std::string& from, const std::string& to) {
  std::ifstream file(from, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  require(file.is_open() && !file.bad(), "cannot read " + from, "was it removed?", Fault::no_input);
  write_file_atomically(to, bytes);
}

void end_on_failed_runs(const std::vector<FitRequest>& runs, const std::vector<RunOutcome>& outcomes) {
  std::string failed;
  std::size_t n = 0;
  bool failed_points = false;
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    failed_points |= outcomes[run].number("failed_test_points") > 0;
    if (outcomes[run].problem.empty()) continue;
    if (n++ == 0) failed = fmt::format("{}{}", runs[run].label, outcomes[run].problem);
  }
  require(n == 0, fmt::format("{} of {} runs failed ({})", n, outcomes.size(), failed),
          n < outcomes.size() ? "the others are kept" : "give a smaller --rate, or --clip 1",
          Fault::numerical);
  if (failed_points) throw Exit{static_cast<int>(Fault::numerical)};
}

}  // namespace

std::string run_path(const std::string& path, const std::string& run) {
  const std::filesystem::path whole(path);
  return (whole.parent_path() / (whole.stem().string() + ".run-" + run + whole.extension().string()))
      .string();
}

std::vector<std::string> outputs_of(const std::string& output, int runs) {
  if (runs == 1) return {output};
  std::vector<std::string> outputs;
  for (int run = 1; run <= runs; ++run) outputs.push_back(run_path(output, std::to_string(run)));
  return outputs;
}

void run_fits(const RunsRequest& runs, const DataSet& data) {
  require_writable_file(runs.output);
  std::vector<FitRequest> requests;
  const std::vector<FitOptions> options = options_of_runs(runs.first, runs.checkpoints.size());
  for (std::size_t run = 0; run < options.size(); ++run) {
    const std::string number = std::to_string(run + 1);
    FitRequest& request = requests.emplace_back(
        FitRequest{run_path(runs.output, number), options[run], nullptr, "run " + number + ": "});
    if (!runs.first.log.empty()) request.options.log = run_path(runs.first.log, number);
    if (runs.checkpoints[run]) request.resume = &*runs.checkpoints[run];
    require_place(request.output);
  }
  watch_interrupts();
  const Voice voice{runs.first.quiet};
  RunsShown shown(requests, voice.quiet);
  const std::vector<RunOutcome> outcomes = fit_runs(data, options, runs.checkpoints, shown);
  const std::string all = run_path(runs.output, "*");
  std::size_t ended = 0, failed = 0;
  for (const RunOutcome& outcome : outcomes) {
    ended += outcome.ended();
    failed += !outcome.problem.empty();
  }
  if (ended + failed < outcomes.size()) {
    voice.say(
        "Interrupted; {} of {} runs are finished ({}), and {} hold the best models so far of those that were "
        "begun. The same command with --resume goes on.",
        ended, outcomes.size(), all, partial_path(all));
    throw Exit{kInterrupted};
  }
  const std::optional<std::size_t> best = best_run(outcomes);
  if (best) copy_file(requests[*best].output, runs.output);
  if (runs.first.json) {
    print_json(json_of_runs(requests, data, outcomes, runs.output));
  } else {
    answer("{}\n", table_of_runs(requests, data, outcomes));
    if (best)
      answer("model       {}: run {}, the lowest on the validation points\nruns        {}\n", runs.output,
             *best + 1, all);
    if (best && !data.split.test.empty()) {
      const Json about = read_provenance(outcomes[*best].about);
      const auto reference = about.find("reference");
      fmt::print("{:<11} {:.4f} nats\n",
                 reference != about.end() && *reference == "uniform density" ? "uniform" : "base",
                 outcomes[*best].number("test_nll_reference"));
    }
  }
  if (ended > 1 && !data.target && runs.data != "-")
    voice.say("riemflow pool {} {} -o pool.model makes one density of them.", runs.data, all);
  end_on_failed_runs(requests, outcomes);
}

}  // namespace riemflow::app
