#pragma once
// The log of a fit, thinned to what a figure can show.

#include <string>
#include <vector>

namespace riemflow::app {

struct TrainingCurves {
  std::vector<double> iterations, loss, evaluations;  ///< means over equal pieces of the log
  std::vector<double> validated_at, validation;       ///< empty: none
  bool empty() const { return iterations.empty(); }
  /// The iteration and value of the lowest validation; NaN without.
  double best_at() const;
  double best() const;
};

/// Of a file that `riemflow fit --log` wrote. Throws Error(Fault::no_input), Error(Fault::bad_data) with the
/// line.
TrainingCurves read_training_curves(const std::string& path);

}  // namespace riemflow::app
