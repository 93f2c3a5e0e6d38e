#include "apps/riemflow/reproduce/jobs.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <sstream>
#include <thread>

#include "apps/riemflow/commands.hpp"
#include "apps/riemflow/fit/progress.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/signals.hpp"
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
  double expected = 0, worked = 0;  // seconds of all jobs, and of those that are over
  for (const Job& job : jobs) expected += job.seconds;
  const auto start = Clock::now();
  const auto one = [&](const Job& job) {
    const auto begun = Clock::now();
    std::string problem;
    Json run;
    {
      const std::lock_guard lock(mutex);
      results.take_in();
      if (results.has(job.cell, job.seed)) {
        worked += job.seconds;
        say("{}/{}  {}, seed {}: another process has done it", ++done, jobs.size(), job.cell, job.seed);
        return;
      }
    }
    try {
      run = experiment.run(job.cell, job.seed, options);
      run["seconds"] = seconds_since(begun);
    } catch (const Exit&) {
      return;  // interrupted
    } catch (const std::exception& error) {
      problem = error.what();
    }
    const std::lock_guard lock(mutex);
    worked += job.seconds;
    const std::string place = fmt::format("{}/{}  {}, seed {}", ++done, jobs.size(), job.cell, job.seed);
    if (!problem.empty()) {
      ++failed;
      say("{}: failed: {}", place, problem);
      return;
    }
    results.add(job.cell, job.seed, std::move(run));
    say("{}: {}  ETA {}", place, clock_text(seconds_since(begun)),
        clock_text(seconds_since(start) * (expected - worked) / std::max(worked, 1e-9)));
  };
  std::exception_ptr lost;  // a result that could not be written: no point in computing more
  const auto worker = [&] {
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
