#pragma once
// The default of `riemflow fit`: kernel densities and flows, as many as the time allows, in a pool whose
// weights the held-out points choose. The best kernel density is a member, so that the pool is never worse on
// them.

#include "apps/riemflow/fit/run.hpp"

namespace riemflow::app {

/// Throws Error, and Exit{130} after an interrupt, with the pool of what there is saved. The file is replaced
/// whenever there is a better pool: killed at any moment, it holds the last one.
FitResult run_pool_fit(const FitRequest& request, const TrainingData& data);

}  // namespace riemflow::app
