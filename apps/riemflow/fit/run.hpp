#pragma once
// A fit as the tool runs it: shown as it goes, logged, its checkpoints and its model saved.

#include <functional>
#include <string>

#include "riemflow/fit/fit_model.hpp"

namespace riemflow::app {

struct FitRequest {
  std::string output;
  FitOptions options;
  const Model* resume = nullptr;  ///< a checkpoint to go on from
  /// Of a fit that is one of several: called after every iteration in place of a progress line, and the
  /// caller says what an interrupt left. `label`: before its messages, as in "run 2: ".
  std::function<void(const FitProgress&)> watch = nullptr;
  std::string label = "";
};

/// Throws Error, and Exit{130} after an interrupt, with what there is saved.
FitResult run_fit(const FitRequest& request, const DataSet& data);

}  // namespace riemflow::app
