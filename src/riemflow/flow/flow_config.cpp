#include "riemflow/flow/flow_config.hpp"

#include <cmath>

#include "riemflow/core/error.hpp"

namespace riemflow {

void validate(const FlowConfig& config) {
  validate(config.solver);
  require(config.divergence.probes >= 1 && config.divergence.probes <= 4096,
          "the number of Hutchinson probes is " + std::to_string(config.divergence.probes), "give 1 to 4096");
  for (const double weight : {config.regularisation.kinetic, config.regularisation.frobenius})
    require(std::isfinite(weight) && weight >= 0, "a regulariser's weight is " + std::to_string(weight),
            "give a positive number, or 0 for none");
  if (config.base.kind == BaseKind::standard) {
    require(config.base.components == 0, "components of a base that has none", "give 0");
    return;
  }
  require(config.base.components >= 1 && config.base.components <= 65536,
          "a mixture base of " + std::to_string(config.base.components) + " components", "give 1 to 65536");
  const auto manifold = config.manifold.on<double>();
  const KernelForm kernels = manifold->kernel_form();  // round ones on a sphere are von Mises–Fisher
  require(config.model == ModelKind::riemannian && kernels.family == KernelForm::Family::chord &&
              kernels.curvature == 1,
          "a vmf-mixture base for a " + std::string(name_of(config.model)) + " model on " + manifold->name(),
          "it is for riemannian models on unit spheres, such as sphere:2");
}

FlowConfig with_exact_divergence(FlowConfig config) {
  config.divergence.estimator = DivergenceEstimator::exact;
  return config;
}

}  // namespace riemflow
