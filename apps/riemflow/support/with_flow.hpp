#pragma once
// A model file as a density of its own precision.

#include <fmt/format.h>

#include <memory>

#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/model_file.hpp"

namespace riemflow::app {

/// use(density), a Density<float> or a Density<double> as the model is, with the tolerance that was chosen.
template <class Use>
auto with_density(const Model& model, const ModelChoice& choice, Use&& use) {
  const auto run = [&]<class T>(std::unique_ptr<Density<T>> density) {
    if (auto* flow = dynamic_cast<Transport<T>*>(density.get()); flow != nullptr && choice.tolerance > 0)
      flow->set_tolerance(choice.tolerance, choice.tolerance);
    return use(*density);
  };
  return model.precision == "double" ? run(make_density<double>(model, choice.threads, choice.device()))
                                     : run(make_density<float>(model, choice.threads, choice.device()));
}

/// use(flow), a Transport, of a model that is one. Throws Error for others: `what` they do not have.
template <class Use>
auto with_flow(const Model& model, const ModelChoice& choice, const char* what, Use&& use) {
  require(is_flow(model.config.model),
          fmt::format("{}: a {} has no {}", model.path, name_of(model.config.model), what),
          "give a model that is a flow");
  return with_density(
      model, choice, [&]<class T>(Density<T>& density) { return use(dynamic_cast<Transport<T>&>(density)); });
}

/// Of the solver; 0 where there is none.
template <class T>
double tolerance_of(const Density<T>& density) {
  const auto* flow = dynamic_cast<const Transport<T>*>(&density);
  return flow == nullptr ? 0 : flow->config().solver.rtol;
}

}  // namespace riemflow::app
