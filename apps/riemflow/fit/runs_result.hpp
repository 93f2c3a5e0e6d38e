#pragma once
// What came of several runs, as a table and as JSON.

#include <limits>
#include <nlohmann/json.hpp>

#include "apps/riemflow/fit/runs.hpp"

namespace riemflow::app {

struct Outcome {
  nlohmann::ordered_json about;  ///< the provenance of the run's model; null: it did not end
  std::string problem;           ///< why it failed
  /// Of training in this process; NaN: it was finished before.
  double seconds = std::numeric_limits<double>::quiet_NaN();

  bool ended() const { return !about.is_null(); }
  /// Of `about`; NaN where there is none.
  double number(const char* key) const;
};

/// A line a run, and the mean of those that ended ± its standard error.
std::string table_of_runs(const Runs& runs, const DataSet& data, const std::vector<Outcome>& outcomes);
nlohmann::ordered_json json_of_runs(const Runs& runs, const DataSet& data,
                                    const std::vector<Outcome>& outcomes, std::optional<std::size_t> best);

}  // namespace riemflow::app
