#pragma once
// A fit as the tool runs it: shown as it goes, logged, its checkpoints and its model saved.

#include <memory>
#include <string>

#include "riemflow/fit/fit_model.hpp"

namespace riemflow::app {

struct FitRequest {
  std::string output;
  FitOptions options;
  const Model* resume = nullptr;  ///< a checkpoint to go on from
  /// Of a fit that is one of several, before its messages, as in "run 2: ": the caller shows its progress,
  /// and says what an interrupt left.
  std::string label = "";
};

/// Says, shows and logs; saves checkpoints.
std::unique_ptr<Observer> make_fit_observer(const FitRequest& request);

/// The model of a fit that has ended; of one that was interrupted what there is of it, as MODEL.partial.
void save_result(const std::string& output, const FitResult& result);

/// Throws Error, and Exit{130} after an interrupt, with what there is saved.
FitResult run_fit(const FitRequest& request, const DataSet& data);

}  // namespace riemflow::app
