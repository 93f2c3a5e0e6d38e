#include "apps/riemflow/fit/runs.hpp"

#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/output_file.hpp"
#include "apps/riemflow/fit/runs_progress.hpp"
#include "apps/riemflow/fit/runs_result.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/fit/recorded.hpp"
#include "riemflow/io/atomic_file.hpp"

namespace riemflow::app {
namespace {

/// A batch of 400 fills a tenth of a GPU; more than this only wait for each other.
constexpr std::size_t kMostSideBySide = 32;

/// Settings by which two fits are of one configuration.
Values compared(Values values) {
  std::erase_if(values, [](const auto& value) { return may_change(value.first); });
  return values;
}

/// Whether its checkpoint is the end of this very fit, wherever that was computed.
bool is_finished(const FitRequest& request) {
  if (request.resume == nullptr) return false;
  const auto about = read_provenance(request.resume->metadata.at("provenance"));
  if (!about.is_object() || about.value("finished", nlohmann::ordered_json()) != true) return false;
  Values before = recorded_settings(*request.resume), now = recorded_values(request.options);
  before.erase("device");
  now.erase("device");
  return before == now;
}

class Training {
 public:
  Training(const std::vector<FitRequest>& requests, const DataSet& data)
      : requests_(requests), data_(data), outcomes_(requests.size()) {}

  std::vector<Outcome> operator()() {
    const FitOptions& settings = requests_.front().options;
    for (std::size_t run = 0; run < requests_.size(); ++run) {
      if (is_finished(requests_[run]))
        outcomes_[run].about = read_provenance(requests_[run].resume->metadata.at("provenance"));
      else
        left_.push_back(run);
    }
    if (left_.size() < requests_.size())
      say("{} of {} runs are finished.", requests_.size() - left_.size(), requests_.size());
    if (left_.empty()) return std::move(outcomes_);
    const bool gpu = settings.device != "cpu" && why_not_on_gpu(settings, data_.manifold).empty();
    const std::size_t workers = gpu ? std::min(left_.size(), kMostSideBySide) : 1;
    const FitConfig config = fit_config(settings, data_.manifold, data_.split.training.size());
    watch_interrupts();
    {
      RunsProgress progress(left_.size(), workers, config.iterations + config.finetune,
                            seconds_of(settings.time_limit), settings.quiet);
      std::vector<std::jthread> threads;
      for (std::size_t t = 0; t < workers; ++t) threads.emplace_back([&] { work(progress); });
    }
    if (lost_) std::rethrow_exception(lost_);
    return std::move(outcomes_);
  }

 private:
  void work(RunsProgress& progress) {
    for (std::size_t i = next_++; i < left_.size() && !interrupted(); i = next_++) {
      const std::size_t run = left_[i];
      FitRequest request = requests_[run];
      request.watch = [&progress, i](const FitProgress& p) { progress.update(i, p); };
      try {
        train(request, outcomes_[run]);
      } catch (...) {  // what would happen to every run: no point in more of them
        const std::lock_guard lock(mutex_);
        if (!lost_) lost_ = std::current_exception();
        next_ = left_.size();
      }
      progress.end(i);
    }
  }

  void train(const FitRequest& request, Outcome& outcome) const {
    try {
      const FitResult result = run_fit(request, data_);
      outcome.about = provenance(data_, request.options, result.progress, &result);
      outcome.seconds = result.seconds;
    } catch (const Exit&) {  // interrupted
    } catch (const std::bad_alloc&) {
      outcome.problem = "there is not enough memory; give fewer runs, or a smaller network";
    } catch (const Error& error) {
      if (error.fault() != Fault::numerical) throw;
      outcome.problem = error.what();
    }
    if (!outcome.problem.empty()) say("{}failed: {}", request.label, outcome.problem);
  }

  const std::vector<FitRequest>& requests_;
  const DataSet& data_;
  std::vector<Outcome> outcomes_;
  std::vector<std::size_t> left_;  // runs to train
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr lost_;
};

/// That with the lowest validation loss, of those that ended.
std::optional<std::size_t> best_of(const std::vector<Outcome>& outcomes) {
  std::optional<std::size_t> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    if (!outcomes[run].ended()) continue;
    const double loss = outcomes[run].number("validation_nll");
    if (best && !(loss < least)) continue;
    best = run;
    if (loss < least) least = loss;
  }
  return best;
}

void copy_file(const std::string& from, const std::string& to) {
  std::ifstream file(from, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  require(file.is_open() && !file.bad(), "cannot read " + from, "was it removed?", Fault::no_input);
  write_file_atomically(to, bytes);
}

void end_on_failed_runs(const Runs& runs, const std::vector<Outcome>& outcomes) {
  std::string failed;
  std::size_t n = 0;
  bool failed_points = false;
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    failed_points |= outcomes[run].number("failed_test_points") > 0;
    if (outcomes[run].problem.empty()) continue;
    if (n++ == 0) failed = fmt::format("{}{}", runs.requests[run].label, outcomes[run].problem);
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

void refuse_runs(const std::string& model) {
  if (is_flow(model_kind(model).value())) return;
  throw Error(
      fmt::format("--runs with --model {}", model),
      model == name_of(ModelKind::pool)
          ? "a pool trains flows of its own: leave --runs out, or name a flow, as in --model riemannian"
      : model == name_of(ModelKind::kde)
          ? "a kernel density depends on no seed: leave --runs out"
          : "runs are of flows: leave --runs out, or fit one by one with --seed and --split-seed",
      Fault::usage);
}

Values settings_of_first(const Model& model, std::size_t run) {
  Values values = recorded_settings(model);
  if (run == 0 || values.empty()) return values;
  std::string& text = values["seed"];
  std::uint64_t seed = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
  require(code == std::errc() && end == text.data() + text.size() && seed >= run,
          fmt::format("{}: it has the seed '{}', and cannot be run {}", model.path, text, run + 1),
          "start anew without --resume", Fault::bad_data);
  text = std::to_string(seed - run);
  return values;
}

void refuse_strangers(const std::vector<std::optional<Model>>& checkpoints) {
  const Model* first = nullptr;
  Values expected;
  for (std::size_t run = 0; run < checkpoints.size(); ++run) {
    if (!checkpoints[run]) continue;
    const Values values = compared(settings_of_first(*checkpoints[run], run));
    if (first == nullptr) {
      first = &*checkpoints[run];
      expected = values;
    }
    for (const auto& [name, value] : expected) {
      const auto own = values.find(name);
      const std::string other = own == values.end() ? "not set" : own->second;
      require(other == value,
              fmt::format("{} and {} are not runs of one fit: --{} is {} and {}", first->path,
                          checkpoints[run]->path, name, value, other),
              "remove the one that is not, or start anew without --resume", Fault::bad_data);
    }
    require(values.size() == expected.size(),
            fmt::format("{} and {} are not runs of one fit", first->path, checkpoints[run]->path),
            "remove the one that is not, or start anew without --resume", Fault::bad_data);
  }
}

std::vector<FitRequest> requests_of(const FitRequest& first,
                                    const std::vector<std::optional<Model>>& checkpoints) {
  require(first.options.seed <= std::numeric_limits<std::uint64_t>::max() - checkpoints.size(),
          fmt::format("--runs from --seed {} on", first.options.seed), "give a smaller seed");
  std::vector<FitRequest> requests;
  for (std::size_t run = 0; run < checkpoints.size(); ++run) {
    const std::string number = std::to_string(run + 1);
    FitRequest request = first;
    request.output = run_path(first.output, number);
    request.options.seed = first.options.seed + run;
    if (!first.options.log.empty()) request.options.log = run_path(first.options.log, number);
    if (checkpoints[run]) request.resume = &*checkpoints[run];
    request.label = "run " + number + ": ";
    requests.push_back(std::move(request));
  }
  return requests;
}

void run_fits(const Runs& runs, const DataSet& data) {
  require_file(runs.output);
  require_writable(runs.output);
  for (const FitRequest& request : runs.requests) require_place(request.output);
  const std::vector<Outcome> outcomes = Training(runs.requests, data)();
  const std::string all = run_path(runs.output, "*");
  std::size_t ended = 0, failed = 0;
  for (const Outcome& outcome : outcomes) {
    ended += outcome.ended();
    failed += !outcome.problem.empty();
  }
  if (ended + failed < outcomes.size()) {
    say("Interrupted; {} of {} runs are finished ({}), and {} hold the best models so far of those that were "
        "begun. The same command with --resume goes on.",
        ended, outcomes.size(), all, partial_path(all));
    throw Exit{kInterrupted};
  }
  const std::optional<std::size_t> best = best_of(outcomes);
  if (best) copy_file(runs.requests[*best].output, runs.output);
  if (runs.requests.front().options.json) {
    print_json(json_of_runs(runs, data, outcomes, best));
  } else {
    answer("{}\n", table_of_runs(runs, data, outcomes));
    if (best)
      answer("model       {}: run {}, the lowest on the validation points\nruns        {}\n", runs.output,
             *best + 1, all);
    if (best && !data.split.test.empty()) {
      const auto& about = outcomes[*best].about;
      const auto reference = about.find("reference");
      fmt::print("{:<11} {:.4f} nats\n",
                 reference != about.end() && *reference == "uniform density" ? "uniform" : "base",
                 outcomes[*best].number("test_nll_reference"));
    }
  }
  if (ended > 1 && !data.target && runs.data != "-")
    say("riemflow pool {} {} -o pool.model makes one density of them.", runs.data, all);
  end_on_failed_runs(runs, outcomes);
}

}  // namespace riemflow::app
