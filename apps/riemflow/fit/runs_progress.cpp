#include "apps/riemflow/fit/runs_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace riemflow::app {
namespace {

/// Of what is there.
class Mean {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    sum_ += value;
    ++n_;
  }
  double value() const { return n_ > 0 ? sum_ / n_ : std::numeric_limits<double>::quiet_NaN(); }

 private:
  double sum_ = 0;
  int n_ = 0;
};

}  // namespace

RunsProgress::RunsProgress(std::size_t runs, std::size_t workers, long iterations, double seconds, bool quiet)
    : runs_(runs),
      workers_(workers),
      iterations_(iterations),
      line_(workers >= runs ? iterations : iterations * static_cast<long>(runs),
            seconds * std::ceil(static_cast<double>(runs) / static_cast<double>(workers)), quiet) {}

void RunsProgress::update(std::size_t run, const FitProgress& progress) {
  const std::lock_guard lock(mutex_);
  runs_[run].progress = progress;
  runs_[run].begun = true;
  line_.note(workers_ > 1 ? fmt::format("{} runs", runs_.size())
                          : fmt::format("run {}/{}", run + 1, runs_.size()));
  line_.update(together());
}

void RunsProgress::end(std::size_t run) {
  const std::lock_guard lock(mutex_);
  runs_[run].over = true;
}

FitProgress RunsProgress::together() const {
  FitProgress all;
  all.best = std::numeric_limits<double>::quiet_NaN();
  Mean loss, validation;
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
    loss.add(run.progress.loss);
    validation.add(run.progress.validation);
  }
  all.iteration = workers_ >= runs_.size() ? slowest : sum;
  all.loss = loss.value();
  all.validation = validation.value();
  return all;
}

}  // namespace riemflow::app
