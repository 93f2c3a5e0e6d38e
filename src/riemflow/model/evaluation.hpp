#pragma once
// A model as a density of its own precision.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "riemflow/model/mass.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

struct Evaluation {
  double tolerance = 0;  ///< of the solver, relative and absolute; 0: the model's own
  int threads = 0;       ///< 0: one for each core
  Device device = Device::cpu;
};

/// use(density), a Density<float> or a Density<double> as the model is.
template <class Use>
auto with_density(const Model& model, const Evaluation& how, Use&& use) {
  const auto run = [&]<class T>(std::unique_ptr<Density<T>> density) {
    if (how.tolerance > 0) {
      if (auto* flow = dynamic_cast<Transport<T>*>(density.get()))
        flow->set_tolerance(how.tolerance, how.tolerance);
      if (auto* pool = dynamic_cast<PoolDensity<T>*>(density.get()))
        pool->set_tolerance(how.tolerance, how.tolerance);
    }
    return use(*density);
  };
  return model.precision == "double" ? run(make_density<double>(model, how.threads, how.device))
                                     : run(make_density<float>(model, how.threads, how.device));
}

/// To be said where the next is asked of a model that was trained otherwise.
inline constexpr const char* kExactInstead =
    "The model was trained with estimated divergences; its density is computed with exact ones.";

/// The same with exact divergences: densities that are to be added up cannot be Hutchinson's estimates, whose
/// logarithm is right on average and whose density is too large.
template <class Use>
auto with_exact_density(Model model, const Evaluation& how, Use&& use) {
  model.config = with_exact_divergence(model.config);
  return with_density(model, how, std::forward<Use>(use));
}

/// Exact log-densities at points in double; NaN where it failed.
inline std::vector<double> log_densities_of_model(const Model& model, const Evaluation& how,
                                                  const Points<double>& points) {
  if (points.size() == 0) return {};
  return with_exact_density(model, how, [&](auto& density) { return log_density_at(density, points); });
}

/// Of the solver, of a pool the loosest; 0 where there is none.
template <class T>
double tolerance_of(Density<T>& density) {
  double loosest = 0;
  if (auto* pool = dynamic_cast<PoolDensity<T>*>(&density))
    for (std::size_t m = 0; m < pool->size(); ++m) loosest = std::max(loosest, tolerance_of(pool->member(m)));
  const auto* flow = dynamic_cast<const Transport<T>*>(&density);
  return flow == nullptr ? loosest : flow->config().solver.rtol;
}

}  // namespace riemflow
