#pragma once
// Work that is a table: cells, each done with several seeds, side by side, and kept as it is done.

#include <functional>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/fit/results.hpp"
#include "riemflow/fit/split.hpp"

namespace riemflow {

struct Cell {
  std::string name;
  double seconds;  ///< of a run on one core, roughly: the long ones are begun first
};

struct Job {
  std::string cell;
  std::uint64_t seed;
  double seconds;  ///< expected
};

/// Those of the seeds that `results` lacks. Seed by seed, so that what is stopped has whole rows; within a
/// seed the longest first, so that no long one straggles at the end.
std::vector<Job> jobs_left(std::vector<Cell> cells, const Results& results, const SeedRange& seeds);

/// One run, from several threads at a time. Throws Cancelled when it is to stop, anything else where it
/// failed.
using JobWork = std::function<Json(const Job&)>;

struct FailedJob {
  Job job;
  std::string problem;
};

/// Does them, `side_by_side` at a time, and adds each to the results as it is done. A run that fails is said
/// and left out, and the others go on: those that failed. A run that another process has added to the file
/// meanwhile is not done again. Returns early when cancelled. The observer is called from this thread.
std::vector<FailedJob> work_off(const std::vector<Job>& jobs, const JobWork& work, int side_by_side,
                                Results& results, TaskObserver& observer);

}  // namespace riemflow
