#pragma once
// A model as a density.

#include <utility>
#include <vector>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// use(density), on the density of the model.
template <class Use>
auto with_density(const Model& model, const Evaluation& how, Use&& use) {
  return use(*make_density(model, how));
}

/// The same with exact divergences: densities that are to be added up cannot be Hutchinson's estimates, whose
/// logarithm is right on average and whose density is too large.
template <class Use>
auto with_exact_density(Model model, const Evaluation& how, Use&& use) {
  model.config = with_exact_divergence(model.config);
  return with_density(model, how, std::forward<Use>(use));
}
/// And the observer is told of a model that was trained otherwise.
template <class Use>
auto with_exact_density(const Model& model, const Evaluation& how, TaskObserver& observer, Use&& use) {
  if (model.config.divergence.estimator != DivergenceEstimator::exact)
    observer.say(
        "The model was trained with estimated divergences; its density is computed with exact ones.");
  return with_exact_density(model, how, std::forward<Use>(use));
}

/// Exact log-densities at points in double; NaN where it failed.
inline std::vector<double> log_densities_of_model(const Model& model, const Evaluation& how,
                                                  const Points<double>& points) {
  if (points.size() == 0) return {};
  return with_exact_density(model, how,
                            [&](const Density& density) { return density.log_prob(points).values; });
}

}  // namespace riemflow
