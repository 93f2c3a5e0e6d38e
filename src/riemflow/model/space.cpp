#include "riemflow/model/space.hpp"

#include <fmt/format.h>

#include "riemflow/core/error.hpp"

namespace riemflow {

const Space& space_of(const Model& model) { return model.space ? *model.space : model.config.manifold; }

void keep_space(Model& model, const Space& space) {
  model.space.reset();
  if (!(space == model.config.manifold)) model.space = space;
}

std::shared_ptr<const Covering> covering_of(const Model& model) {
  if (!model.space) return nullptr;
  const Space& space = *model.space;
  const std::shared_ptr<const Covering> covering = space->covering();
  require(covering != nullptr && covering->cover()->name() == model.config.manifold.name(),
          fmt::format("{}it says that it is on {}, but its configuration is for {}", about(model),
                      space.name(), model.config.manifold.name()),
          "use the file as riemflow wrote it", Fault::bad_data);
  return covering;
}

Model on_cover(Model model) {
  model.space.reset();
  return model;
}

}  // namespace riemflow
