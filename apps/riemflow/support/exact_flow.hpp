#pragma once
// A model file as an exact density (riemflow/model/evaluation.hpp), with a word to the user.

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/with_flow.hpp"

namespace riemflow::app {

/// As with_exact_density; says so where the model's own divergence is another.
template <class Use>
auto with_exact_density_said(const Model& model, const ModelChoice& choice, Use&& use) {
  if (model.config.divergence.estimator != DivergenceEstimator::exact) say_text(kExactInstead);
  return with_exact_density(model, choice, std::forward<Use>(use));
}

}  // namespace riemflow::app
