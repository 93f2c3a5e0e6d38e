#pragma once
// The runs of an experiment that are still to be done, side by side.

#include "apps/riemflow/reproduce/experiment.hpp"

namespace riemflow::app {

/// Seeds first..last.
struct SeedRange {
  std::uint64_t first = 0, last = 0;
};

struct Job {
  std::string cell;
  std::uint64_t seed;
  double seconds;  ///< expected
};

/// Those of the seeds that `results` lacks, in the cells whose names hold every word of `only`.
/// Seed by seed, so that an experiment that is stopped has whole rows; within a seed the longest first, so
/// that no long one straggles at the end. Error, with the names of the cells, if `only` fits none.
std::vector<Job> jobs_left(const Experiment& experiment, const Results& results, const SeedRange& seeds,
                           const std::string& only, bool quick);

/// Does them, `side_by_side` at a time, and writes each to the results as it is done. A run that fails is
/// said and left out, and the others go on: the number of failed ones. A run that another process has added
/// to the file meanwhile is not done again. Returns early when interrupted.
std::size_t work_off(const Experiment& experiment, const std::vector<Job>& jobs, const RunOptions& options,
                     int side_by_side, Results& results);

}  // namespace riemflow::app
