#pragma once
// A comparison as an experiment: a cell is a method under a protocol, a run one split.

#include <map>

#include "apps/riemflow/compare/summary.hpp"
#include "apps/riemflow/reproduce/experiment.hpp"
#include "apps/riemflow/reproduce/jobs.hpp"

namespace riemflow::app {

struct ComparisonOptions {
  std::string data;  ///< a file, or the name of a data set
  Values extra;      ///< settings of fit for all: reading, split, threads
  std::string time_limit;
  std::string group_within;  ///< of fit, for distinct points; empty: none
  SeedRange seeds;           ///< of the splits
  std::string directory;     ///< where a model is kept while it is scored
  std::vector<const Method*> methods;
  std::map<const Method*, std::string> devices;  ///< of those that are not fitted on the CPU
  std::vector<std::string> protocols;
};

/// "customary": equal points fall on both sides of the split; "distinct": one of each is kept.
inline constexpr const char *kCustomary = "customary", *kDistinct = "distinct";

/// What the runs say of each protocol; reads the data again to know which points a split tests.
std::vector<Summary> summaries_of(const Results& results, const ComparisonOptions& options);
/// Their tables, as Markdown.
std::string tables_of(const std::vector<Summary>& summaries);

std::unique_ptr<Experiment> make_comparison(ComparisonOptions options);

}  // namespace riemflow::app
