#pragma once
// From a flow's configuration to what the kernels are told, and whether they can.

#include "riemflow/flow/flow_config.hpp"
#include "riemflow/flow/cuda/solve.cuh"
#include "riemflow/flow/field/vector_field.hpp"
#include "riemflow/flow/ode/status.hpp"

namespace riemflow::cuda {

/// What does not change from call to call. The manifold has at most kMostFactors.
Problem describe(const FlowConfig& config, const VectorField<float>& field);
/// The value and its derivatives.
int jets_of(const FlowConfig& config, const Manifold<float>& manifold);
/// How a block is laid out for so many jets and, at most, groups of points; false if no kernel is large enough.
bool arrange(Problem& problem, int jets, int groups);

Status status_of(int status);

}  // namespace riemflow::cuda
