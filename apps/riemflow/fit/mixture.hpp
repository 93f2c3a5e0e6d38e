#pragma once
// A fit of a mixture of von Mises–Fisher distributions, from data to model file.

#include "apps/riemflow/fit/run.hpp"

namespace riemflow::app {

/// Each number of --components with each of --rates (adam) or alone (em), the best on the validation points
/// kept. Throws Error, and Exit{130} after an interrupt, with the best so far saved.
FitResult run_mixture_fit(const FitRequest& request, const TrainingData& data);

/// Throws Error for options on the command line that this kind of model does not have.
void refuse_foreign_options(const std::string& model, const Values& given);

}  // namespace riemflow::app
