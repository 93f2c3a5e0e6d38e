#pragma once
// A model file as a density of its own precision.

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

/// use(density), a Density<float> or a Density<double> as the model is, with the tolerance that was chosen.
template <class Use>
auto with_density(const Model& model, const ModelChoice& choice, Use&& use) {
  const auto run = [&]<class T>(std::unique_ptr<Density<T>> density) {
    if (choice.tolerance > 0) {
      if (auto* flow = dynamic_cast<Transport<T>*>(density.get()))
        flow->set_tolerance(choice.tolerance, choice.tolerance);
      if (auto* pool = dynamic_cast<PoolDensity<T>*>(density.get()))
        pool->set_tolerance(choice.tolerance, choice.tolerance);
    }
    return use(*density);
  };
  return model.precision == "double" ? run(make_density<double>(model, choice.threads, choice.device()))
                                     : run(make_density<float>(model, choice.threads, choice.device()));
}

/// use(flow), a Transport, of a model that is one, or of a pool's flow with the largest weight, which is
/// said. Throws Error for others: `what` they do not have.
template <class Use>
auto with_flow(const Model& model, const ModelChoice& choice, const char* what, Use&& use) {
  const std::optional<Model> flow = leading_flow(model);
  require(flow.has_value(),
          fmt::format("{}: a {} {}has no {}", model.path, name_of(model.config.model),
                      model.config.model == ModelKind::pool ? "without flows " : "", what),
          "give a model that is a flow");
  if (model.config.model == ModelKind::pool)
    say("The {} are those of the pool's flow with the largest weight.", what);
  return with_density(
      *flow, choice, [&]<class T>(Density<T>& density) { return use(dynamic_cast<Transport<T>&>(density)); });
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

}  // namespace riemflow::app
