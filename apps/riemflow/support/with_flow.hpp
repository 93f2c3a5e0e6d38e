#pragma once
// The flow of a model.

#include <fmt/format.h>

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

/// use(flow), a FlowDensity, of a model that is one, or of a pool's flow with the largest weight, which is
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
  const std::unique_ptr<Density> density = make_density(*flow, Evaluation(choice));
  return use(*density->parts().front().flow());
}

}  // namespace riemflow::app
