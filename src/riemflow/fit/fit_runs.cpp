#include "riemflow/fit/fit_runs.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <new>
#include <thread>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/fit/provenance.hpp"

namespace riemflow {
namespace {

/// A batch of 400 fills a tenth of a GPU; more than this only wait for each other.
constexpr std::size_t kMostSideBySide = 32;

/// Settings by which two fits are of one configuration.
Values compared(Values values) {
  std::erase_if(values, [](const auto& value) { return may_change(value.first); });
  return values;
}

/// Whether the checkpoint is the end of this very fit, wherever that was computed.
bool is_finished(const Model& checkpoint, const FitOptions& options) {
  const auto about = read_provenance(checkpoint.metadata.at("provenance"));
  if (!about.is_object() || about.value("finished", nlohmann::ordered_json()) != true) return false;
  Values before = recorded_settings(checkpoint), now = recorded_values(options);
  before.erase("device");
  now.erase("device");
  return before == now;
}

/// Several fits as one progress. Side by side: the slowest run and the mean losses; in turns: the sum of the
/// iterations.
class Together {
 public:
  /// iterations: of one run at most; `workers` of the `runs` at a time.
  Together(std::size_t runs, std::size_t workers, long iterations, RunsObserver& observer)
      : runs_(runs), workers_(workers), iterations_(iterations), observer_(observer) {}

  long iterations() const {
    return workers_ >= runs_.size() ? iterations_ : iterations_ * static_cast<long>(runs_.size());
  }
  void step(std::size_t i, const FitProgress& progress) {
    const std::lock_guard lock(mutex_);
    runs_[i].progress = progress;
    runs_[i].begun = true;
    observer_.step(all(), workers_ > 1 ? fmt::format("{} runs", runs_.size())
                                       : fmt::format("run {}/{}", i + 1, runs_.size()));
  }
  /// It ended, be it early.
  void end(std::size_t i) {
    const std::lock_guard lock(mutex_);
    runs_[i].over = true;
  }

 private:
  FitProgress all() const {
    FitProgress all;
    all.best = std::numeric_limits<double>::quiet_NaN();
    RunningMean loss, validation;
    long slowest = iterations_, sum = 0;
    for (const Seen& run : runs_) {
      const long iteration = run.over ? iterations_ : run.begun ? run.progress.iteration : 0;
      slowest = std::min(slowest, iteration);
      sum += iteration;
      if (!run.begun) continue;
      if (!(run.progress.best >= all.best)) {
        all.best = run.progress.best;
        all.best_iteration = run.progress.best_iteration;
      }
      if (run.over) continue;
      if (std::isfinite(run.progress.loss)) loss.add(run.progress.loss);
      if (std::isfinite(run.progress.validation)) validation.add(run.progress.validation);
    }
    all.iteration = workers_ >= runs_.size() ? slowest : sum;
    all.loss = loss.mean();
    all.validation = validation.mean();
    return all;
  }

  struct Seen {
    FitProgress progress;
    bool begun = false, over = false;
  };
  std::mutex mutex_;
  std::vector<Seen> runs_;
  std::size_t workers_;
  long iterations_;
  RunsObserver& observer_;
};

/// One of several runs: seen by its own observer, and its steps by that of all.
class OneOfRuns final : public Observer {
 public:
  OneOfRuns(Observer& own, Together& together, std::size_t i) : own_(own), together_(together), i_(i) {}

  void say(const std::string& sentence) override { own_.say(sentence); }
  void begin(const PlannedStage& stage) override { own_.begin(stage); }
  void step(const FitProgress& progress, const std::string& note) override {
    own_.step(progress, note);
    together_.step(i_, progress);
  }
  void end_stage() override { own_.end_stage(); }
  void begin_task(const std::string& name, double units) override { own_.begin_task(name, units); }
  void task(double done, double of, const char* note) override { own_.task(done, of, note); }
  void end_task() override { own_.end_task(); }
  void checkpoint(const Model& model) override { own_.checkpoint(model); }
  bool cancelled() const override { return own_.cancelled(); }

 private:
  Observer& own_;
  Together& together_;
  std::size_t i_;
};

}  // namespace

double RunOutcome::number(const char* key) const {
  const auto all = read_provenance(about);
  const auto found = all.find(key);
  return found != all.end() && found->is_number() ? found->get<double>()
                                                  : std::numeric_limits<double>::quiet_NaN();
}

void refuse_runs(ModelKind model) {
  if (is_flow(model)) return;
  throw Error(
      fmt::format("‹runs› with ‹model› {}", name_of(model)),
      model == ModelKind::pool
          ? "a pool trains flows of its own: leave ‹runs› out, or name a flow, as in ‹model› riemannian"
      : model == ModelKind::kde
          ? "a kernel density depends on no seed: leave ‹runs› out"
          : "runs are of flows: leave ‹runs› out, or fit one by one with ‹seed› and ‹split-seed›",
      Fault::usage);
}

std::vector<FitOptions> options_of_runs(const FitOptions& first, std::size_t runs) {
  require(first.seed <= std::numeric_limits<std::uint64_t>::max() - runs,
          fmt::format("‹runs› from ‹seed› {} on", first.seed), "give a smaller seed");
  std::vector<FitOptions> all(runs, first);
  for (std::size_t run = 0; run < runs; ++run) {
    all[run].seed += run;
    if (first.target.empty()) all[run].split_seed = std::to_string(split_seed_of(first));  // one for all
  }
  return all;
}

Values settings_of_first(const Model& model, std::size_t run) {
  Values values = recorded_settings(model);
  if (run == 0 || values.empty()) return values;
  std::string& text = values["seed"];
  const auto seed = parse_number<std::uint64_t>(text);
  require(seed && *seed >= run,
          fmt::format("{}: it has the seed '{}', and cannot be run {}", model.path, text, run + 1),
          "start anew without ‹resume›", Fault::bad_data);
  text = std::to_string(*seed - run);
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
    const std::string strangers =
        fmt::format("{} and {} are not runs of one fit", first->path, checkpoints[run]->path);
    constexpr const char* kAdvice = "remove the one that is not, or start anew without ‹resume›";
    for (const auto& [name, value] : expected) {
      const auto own = values.find(name);
      const std::string other = own == values.end() ? "not set" : own->second;
      require(other == value, fmt::format("{}: ‹{}› is {} and {}", strangers, name, value, other), kAdvice,
              Fault::bad_data);
    }
    require(values.size() == expected.size(), strangers, kAdvice, Fault::bad_data);
  }
}

std::vector<RunOutcome> fit_runs(const DataSet& data, const std::vector<FitOptions>& runs,
                                 const std::vector<std::optional<Model>>& checkpoints,
                                 RunsObserver& observer) {
  std::vector<RunOutcome> outcomes(runs.size());
  std::vector<std::size_t> left;  // runs to train
  const auto checkpoint_of = [&](std::size_t run) {
    return run < checkpoints.size() && checkpoints[run] ? &*checkpoints[run] : nullptr;
  };
  for (std::size_t run = 0; run < runs.size(); ++run) {
    const Model* checkpoint = checkpoint_of(run);
    if (checkpoint != nullptr && is_finished(*checkpoint, runs[run]))
      outcomes[run].about = checkpoint->metadata.at("provenance");
    else
      left.push_back(run);
  }
  if (left.size() < runs.size())
    observer.tell("{} of {} runs are finished.", runs.size() - left.size(), runs.size());
  if (left.empty()) return outcomes;
  const FitOptions& first = runs.front();
  const bool gpu = first.device != Device::cpu && why_not_on_gpu(first, data.manifold).empty();
  const std::size_t workers = gpu ? std::min(left.size(), kMostSideBySide) : 1;
  const FitConfig config = fit_config(first, data.manifold, data.split.training.size());
  Together together(left.size(), workers, config.iterations + config.finetune, observer);

  const auto train = [&](std::size_t i) {
    const std::size_t run = left[i];
    RunOutcome& outcome = outcomes[run];
    Observer& own = observer.of(run);
    try {
      OneOfRuns seen(own, together, i);
      const FitResult result = fit(data, runs[run], seen, checkpoint_of(run));
      observer.over(run, result);
      if (result.stopped == "interrupted") return;
      outcome.about = provenance(data, runs[run], result.progress, &result).dump();
      outcome.seconds = result.seconds;
    } catch (const std::bad_alloc&) {
      outcome.problem = "there is not enough memory; give fewer runs, or a smaller network";
    } catch (const Error& error) {
      if (error.fault() != Fault::numerical) throw;
      outcome.problem = error.what();
    }
    if (!outcome.problem.empty()) own.say("failed: " + outcome.problem);
  };
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr lost;  // what would happen to every run: no point in more of them
  observer.begin({"", together.iterations(),
                  seconds_of(first.time_limit) *
                      std::ceil(static_cast<double>(left.size()) / static_cast<double>(workers))});
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < workers; ++t)
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < left.size() && !observer.cancelled(); i = next++) {
          try {
            train(i);
          } catch (...) {
            const std::lock_guard lock(mutex);
            if (!lost) lost = std::current_exception();
            next = left.size();
          }
          together.end(i);
        }
      });
  }
  observer.end_stage();
  if (lost) std::rethrow_exception(lost);
  return outcomes;
}

std::optional<std::size_t> best_run(const std::vector<RunOutcome>& outcomes) {
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

}  // namespace riemflow
