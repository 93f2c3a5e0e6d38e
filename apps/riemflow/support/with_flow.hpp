#pragma once
// A model file as a flow of its own precision.

#include <memory>

#include "apps/riemflow/support/options.hpp"
#include "riemflow/io/model_file.hpp"

namespace riemflow::app {

/// use(flow), a Flow<float> or a Flow<double> as the model is, with the tolerance that was chosen.
template <class Use>
auto with_flow(const Model& model, const ModelChoice& choice, Use&& use) {
  const auto run = [&]<class T>(std::unique_ptr<Flow<T>> flow) {
    if (choice.tolerance > 0) flow->set_tolerance(choice.tolerance, choice.tolerance);
    return use(*flow);
  };
  return model.precision == "double" ? run(make_flow<double>(model, choice.threads))
                                     : run(make_flow<float>(model, choice.threads));
}

/// Points in the precision of a flow. Rounding to float leaves the manifold by no more than it must: callers
/// project where that matters.
template <class T>
Points<T> converted(const Points<double>& points) {
  Points<T> result(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.values.size(); ++i) result.values[i] = static_cast<T>(points.values[i]);
  return result;
}

}  // namespace riemflow::app
