#pragma once
// fit --runs (riemflow/fit/fit_runs.hpp): where the models go, and what is printed.

#include <optional>
#include <string>
#include <vector>

#include "riemflow/fit/fit_runs.hpp"

namespace riemflow::app {

/// "quakes.run-2.model" of "quakes.model".
std::string run_path(const std::string& path, const std::string& run);

/// Where the models of so many runs go; that of one run is `output` itself.
std::vector<std::string> outputs_of(const std::string& output, int runs);

struct RunsRequest {
  std::string data, output;  ///< as the user gave them
  FitOptions first;
  std::vector<std::optional<Model>> checkpoints;  ///< one a run, where there is one to go on from
};

/// Trains those that are not finished, copies the best to `output` and prints a table or JSON. A run whose
/// computation fails is left out; then Error(Fault::numerical) in the end. Exit{130} after an interrupt, with
/// all checkpoints saved.
void run_fits(const RunsRequest& runs, const DataSet& data);

}  // namespace riemflow::app
