#pragma once
// The fit of each kind of model, as fit() chooses among them; data are standardised.

#include "riemflow/fit/fit_model.hpp"

namespace riemflow {

/// One flow, of options.precision.
FitResult fit_flow(const DataSet& data, const FitOptions& options, Observer& observer, const Model* resume);
/// Kernel densities and flows, weighed on held-out points.
FitResult fit_pool(const DataSet& data, const FitOptions& options, Observer& observer);
FitResult fit_kernel_model(const DataSet& data, const FitOptions& options, Observer& observer);
/// Learned kernels or a mixture of normals, by options.model. Of kernels all points that are known are
/// centres in the end; scores of the validation points are of the density without them.
FitResult fit_learned_kernels(const DataSet& data, const FitOptions& options, Observer& observer);
/// Each number of options.components with each of options.rates (adam) or alone (em), the best on the
/// validation points kept.
FitResult fit_mixture(const DataSet& data, const FitOptions& options, Observer& observer);

/// Of the training points, by options.kernel; every choice by the validation points, in that share of the
/// time limit. Throws Cancelled.
KernelFit choose_kernels(const DataSet& data, const FitOptions& options, double share, Observer& observer);

}  // namespace riemflow
