#pragma once
// A fit of a kernel density, from data to model file or to the base of a flow.

#include <nlohmann/json.hpp>

#include "apps/riemflow/fit/run.hpp"

namespace riemflow::app {

/// Of the training points, by --kernel; every choice by the validation points, in that share of the time
/// limit. Throws Exit{130} after an interrupt.
KernelFit fit_kernels(const FitSettings& settings, const TrainingData& data, double share);

/// Throws Error.
FitResult run_kernel_fit(const FitRequest& request, const TrainingData& data);

/// "local kernels at 4358 centres, bandwidth 0.0073 · (8th neighbour)^0.625, wide share 0.0098"
std::string text_of(const KernelSummary& kernels);
nlohmann::ordered_json json_of(const KernelSummary& kernels);

}  // namespace riemflow::app
