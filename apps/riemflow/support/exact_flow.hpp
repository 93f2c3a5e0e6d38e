#pragma once
// A model file as an exact density: densities that are to be added up cannot be Hutchinson's
// estimates, whose logarithm is right on average and whose density is too large.

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/with_flow.hpp"
#include "riemflow/model/mass.hpp"

namespace riemflow::app {

/// use(density) as with_density; says so where the model's own divergence is another.
template <class Use>
auto with_exact_density(Model model, const ModelChoice& choice, Use&& use) {
  if (model.config.divergence.estimator != DivergenceEstimator::exact)
    say("The model was trained with estimated divergences; its density is computed with exact ones.");
  model.config = with_exact_divergence(model.config);
  return with_density(model, choice, std::forward<Use>(use));
}

}  // namespace riemflow::app
