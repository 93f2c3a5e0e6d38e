#pragma once
// The log that `riemflow fit --log` writes: a JSON object a line.

#include <string>
#include <vector>

namespace riemflow::app {

struct TrainingCurve {
  std::vector<double> iteration, loss, evaluations;
  /// Where it was validated.
  std::vector<double> validated_at, validation;
  double best = 0, best_iteration = 0;  ///< of validation; 0 if there is none
  bool truncated = false;               ///< the last line is only a part of one, and was left out
};

/// Throws Error: no_input if it cannot be read, bad_data with file:line where it is not such a log, or holds
/// no iteration.
TrainingCurve read_training_log(const std::string& path);

}  // namespace riemflow::app
