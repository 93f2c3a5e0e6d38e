#pragma once
// fit --runs: flows of one configuration with seeds SEED, SEED + 1, … on one split: side by side on a GPU,
// one after the other, each with all threads, on the CPU.

#include <optional>
#include <string>
#include <vector>

#include "apps/riemflow/fit/run.hpp"
#include "riemflow/fit/option_values.hpp"

namespace riemflow::app {

/// "quakes.run-2.model" of "quakes.model".
std::string run_path(const std::string& path, const std::string& run);

/// Where the models of so many runs go; that of one run is `output` itself.
std::vector<std::string> outputs_of(const std::string& output, int runs);

/// Throws Error(Fault::usage) for a kind of model that has no use for runs.
void refuse_runs(const std::string& model);

/// What the model of a run, counted from 0, says of the first: its own settings with another seed. Throws
/// Error(Fault::bad_data).
Values settings_of_first(const Model& model, std::size_t run);

/// Throws Error(Fault::bad_data) where two of the checkpoints are not of one configuration.
void refuse_strangers(const std::vector<std::optional<Model>>& checkpoints);

/// The fit of each run, from that of the first; those with a checkpoint go on from there.
std::vector<FitRequest> requests_of(const FitRequest& first,
                                    const std::vector<std::optional<Model>>& checkpoints);

struct Runs {
  std::string data, output;  ///< as the user gave them
  std::vector<FitRequest> requests;
};

/// Trains those that are not finished, copies the best to `output` and prints a table or JSON. A run whose
/// computation fails is left out; then Error(Fault::numerical) in the end. Exit{130} after an interrupt, with
/// all checkpoints saved.
void run_fits(const Runs& runs, const DataSet& data);

}  // namespace riemflow::app
