#pragma once
// The log of a fit, thinned to what a figure can show.

#include <string>
#include <vector>

#include "apps/riemflow/plot/training_log.hpp"

namespace riemflow::app {

/// At most some hundred points a curve: means over equal pieces of the loss and the evaluations, single
/// validations with the best and the last among them. Throws as read_training_log.
TrainingCurve read_training_curves(const std::string& path);

}  // namespace riemflow::app
