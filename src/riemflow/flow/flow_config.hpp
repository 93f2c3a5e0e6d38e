#pragma once
// Everything that defines a flow but its parameters.

#include "riemflow/flow/field/config.hpp"
#include "riemflow/flow/model_kind.hpp"
#include "riemflow/flow/ode/solver.hpp"
#include "riemflow/manifold/space.hpp"

namespace riemflow {

struct Regularisation {
  double kinetic = 0;    ///< weight of E ∫‖f‖²_g dt
  double frobenius = 0;  ///< weight of E ∫‖∇f‖²_F dt
};

/// What a flow starts from.
enum class BaseKind {
  standard,    ///< default_base of the manifold (distribution/base.hpp)
  vmf_mixture  ///< learned with the field, on unit spheres (distribution/learned_mixture.hpp)
};
constexpr auto names_of(BaseKind) { return std::to_array<std::string_view>({"default", "vmf-mixture"}); }

struct BaseConfig {
  BaseKind kind = BaseKind::standard;
  int components = 0;  ///< of a mixture
};

struct FlowConfig {
  ModelKind model = ModelKind::riemannian;
  Space manifold;
  FieldConfig field;
  DivergenceConfig divergence;
  SolverOptions solver;
  Regularisation regularisation;
  BaseConfig base;
};

/// Throws Error on a configuration that cannot be meant.
void validate(const FlowConfig& config);

/// With the exact divergence, which integrals need.
FlowConfig with_exact_divergence(FlowConfig config);

}  // namespace riemflow
