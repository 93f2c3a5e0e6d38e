#pragma once
// From a flow's configuration to what the kernels are told, and whether they can.

#include "riemflow/density/flow_config.hpp"
#include "riemflow/engine/cuda/solve.cuh"
#include "riemflow/field/vector_field.hpp"
#include "riemflow/ode/status.hpp"

namespace riemflow::cuda {

/// What does not change from call to call.
Problem describe(const FlowConfig& config, const VectorField<float>& field);

Status status_of(int status);

}  // namespace riemflow::cuda
