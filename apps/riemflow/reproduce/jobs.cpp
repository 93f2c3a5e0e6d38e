#include "apps/riemflow/reproduce/jobs.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/signals.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow::app {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

bool holds(const std::vector<std::string>& all, const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(all.begin(), all.end(), word) != all.end();
  });
}

/// How far all jobs are, those that run by the time since they began: they say nothing of themselves. What a
/// job is expected to take is a guess, which those that are over correct.
class JobsProgress {
 public:
  explicit JobsProgress(const std::vector<Job>& jobs) {
    for (const Job& job : jobs) expected_ += job.seconds;
  }

  void begin(const Job& job) {
    const std::lock_guard lock(mutex_);
    running_.emplace(&job, Clock::now());
    tell();
  }
  /// worked: its time says something of the others'.
  void end(const Job& job, bool worked) {
    const std::lock_guard lock(mutex_);
    const double seconds = seconds_since(running_.extract(&job).mapped());
    over_ += job.seconds;
    if (worked) {
      taken_ += seconds;
      foreseen_ += job.seconds;
    }
    tell();
  }
  /// Seconds until all are done.
  double left() {
    const double done = share();
    return seconds_since(start_) * (1 - done) / std::max(done, 1e-9);
  }

 private:
  double share() {
    const std::lock_guard lock(mutex_);
    const double slower = foreseen_ > 0 ? std::max(taken_ / foreseen_, 1e-6) : 1;
    double done = over_;
    for (const auto& [job, begun] : running_)
      done += std::min(kMostOfOne * job->seconds, seconds_since(begun) / slower);
    return done / expected_;
  }
  void tell() {
    if (running_.empty()) return;
    const Job& job = *running_.begin()->first;
    progress_.note(running_.size() > 1 ? fmt::format("{} side by side", running_.size())
                                       : fmt::format("{}, seed {}", job.cell, job.seed));
  }

  static constexpr double kMostOfOne = 0.95;  // a job that takes longer than foreseen is not over
  std::mutex mutex_;
  double expected_ = 0, over_ = 0;   // seconds as foreseen, of all jobs and of those that are over
  double taken_ = 0, foreseen_ = 0;  // of those that were worked on
  std::map<const Job*, Clock::time_point> running_;
  Clock::time_point start_ = Clock::now();
  TaskProgress progress_{"Runs", [this] { return share(); }};  // last: it asks until it ends
};

}  // namespace

std::vector<Job> jobs_left(const Experiment& experiment, const Results& results, const SeedRange& seeds,
                           const std::string& only, bool quick) {
  const std::vector<Cell> all = experiment.cells(quick);
  std::vector<Cell> cells;
  for (const Cell& cell : all)
    if (holds(words_of(cell.name), words_of(only))) cells.push_back(cell);
  if (cells.empty()) {
    std::vector<std::string> names;
    for (const Cell& cell : all) names.push_back(cell.name);
    throw Error(fmt::format("no cell of {} has the words '{}' in its name", experiment.name(), only),
                fmt::format("the cells are: {}", fmt::join(names, "; ")), Fault::usage);
  }
  std::stable_sort(cells.begin(), cells.end(),
                   [](const Cell& a, const Cell& b) { return a.seconds > b.seconds; });
  std::vector<Job> jobs;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
    for (const Cell& cell : cells)
      if (!results.has(cell.name, seed)) jobs.push_back({cell.name, seed, cell.seconds});
  return jobs;
}

std::size_t work_off(const Experiment& experiment, const std::vector<Job>& jobs, const RunOptions& options,
                     int side_by_side, Results& results) {
  std::mutex mutex;
  std::atomic<std::size_t> next = 0;
  std::size_t done = 0, failed = 0;
  JobsProgress progress(jobs);
  const auto one = [&](const Job& job) {
    const auto begun = Clock::now();
    std::string problem;
    Json run;
    progress.begin(job);
    {
      const std::lock_guard lock(mutex);
      results.take_in();
      if (results.has(job.cell, job.seed)) {
        progress.end(job, false);
        say("{}/{}  {}, seed {}: another process has done it", ++done, jobs.size(), job.cell, job.seed);
        return;
      }
    }
    try {
      run = experiment.run(job.cell, job.seed, options);
      run["seconds"] = seconds_since(begun);
    } catch (const Exit&) {
      return;  // interrupted
    } catch (const Cancelled&) {
      return;
    } catch (const std::exception& error) {
      problem = error.what();
    }
    progress.end(job, problem.empty());
    const std::lock_guard lock(mutex);
    const std::string place = fmt::format("{}/{}  {}, seed {}", ++done, jobs.size(), job.cell, job.seed);
    if (!problem.empty()) {
      ++failed;
      say("{}: failed: {}", place, problem);
      return;
    }
    results.add(job.cell, job.seed, std::move(run));
    say("{}: {}  ETA {}", place, clock_text(seconds_since(begun)), clock_text(progress.left()));
  };
  std::exception_ptr lost;  // a result that could not be written: no point in computing more
  const auto worker = [&] {
    const CancelScope scope(interrupted);
    for (std::size_t i = next++; i < jobs.size() && !interrupted(); i = next++) {
      try {
        one(jobs[i]);
      } catch (...) {
        const std::lock_guard lock(mutex);
        lost = std::current_exception();
        next = jobs.size();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < side_by_side; ++t) threads.emplace_back(worker);
  }
  if (lost) std::rethrow_exception(lost);
  return failed;
}

}  // namespace riemflow::app
