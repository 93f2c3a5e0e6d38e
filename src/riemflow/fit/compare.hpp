#pragma once
// One table of what a user could take, on the same splits of the user's own data.
//
//   Observer silent;
//   const DataSet data = read_data_set("quakes.csv", FitOptions{}, silent);
//   const Comparison all = compare(data, {.seeds = {0, 2}}, silent);
//   for (const SummaryRow& row : all.summaries.front().rows) fmt::print("{} {}\n", row.method, row.nll.mean);

#include "riemflow/core/machine.hpp"
#include "riemflow/fit/comparison_summary.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/observer.hpp"

namespace riemflow {

/// "customary": equal points fall on both sides of the split; "distinct": one of each is kept.
inline constexpr const char *kCustomary = "customary", *kDistinct = "distinct";

struct CompareOptions {
  std::vector<Method> methods = all_methods();
  std::vector<std::string> protocols = {kCustomary, kDistinct};
  SeedRange seeds{0, 4};  ///< of the splits
  /// Of fit(), for all: time-limit, split, threads (of all fits together), device; group-within is of
  /// distinct points. Beside them manifold and columns, which the data were read with.
  Values settings = {{"time-limit", "60s"}};
  int jobs = 1;  ///< fits side by side
  /// Runs that this file holds are not done again, and each is added to it as it is done; empty: in memory
  /// alone.
  std::string results = "";
  std::string command = "";  ///< for the header of the results
  Notes notes = {};          ///< the same
};

struct Comparison {
  bool interrupted = false;     ///< there are no summaries yet
  std::vector<Method> methods;  ///< those that the manifold has
  std::string configuration;    ///< what all runs of the results have in common
  std::string origin;           ///< where the runs were made, in words: machine, version, notes
  std::vector<ComparedRun> runs;
  std::vector<Summary> summaries;    ///< one a protocol
  std::size_t jobs = 0, failed = 0;  ///< runs that were to be done, and that failed
};

/// data: with their duplicates; how they are split does not matter. Where points have weights, all is
/// learned, chosen and scored by them, and distinct points have those of their duplicates together. A cell is
/// a method under a protocol, a run one split. A run that fails is the `problem` of its row, and the others
/// go on. What the GPU has no code for is fitted on the CPU, which is said. Throws Error,
/// (Fault::configuration) where the results are of another comparison.
Comparison compare(const DataSet& data, const CompareOptions& options, Observer& observer);

}  // namespace riemflow
