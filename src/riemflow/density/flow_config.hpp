#pragma once
// Everything that defines a flow but its parameters.

#include <string>

#include "riemflow/density/model_kind.hpp"
#include "riemflow/field/config.hpp"
#include "riemflow/ode/solver.hpp"

namespace riemflow {

struct Regularisation {
  double kinetic = 0;    ///< weight of E ∫‖f‖²_g dt
  double frobenius = 0;  ///< weight of E ∫‖∇f‖²_F dt
};

struct FlowConfig {
  ModelKind model = ModelKind::riemannian;
  std::string manifold = "sphere:2";
  FieldConfig field;
  DivergenceConfig divergence;
  SolverOptions solver;
  Regularisation regularisation;
};

/// Throws Error on a configuration that cannot be meant.
void validate(const FlowConfig& config);

}  // namespace riemflow
