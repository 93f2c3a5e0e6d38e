#include "riemflow/model/space.hpp"

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

constexpr const char* kSpace = "space";

}  // namespace

std::string space_of(const Model& model) {
  const std::string space = metadata_of(model, kSpace);
  return space.empty() ? model.config.manifold : space;
}

void keep_space(Model& model, const std::string& space) {
  model.metadata.erase(kSpace);
  if (space != model.config.manifold) model.metadata[kSpace] = space;
}

std::shared_ptr<const Covering> covering_of(const Model& model) {
  const std::string space = metadata_of(model, kSpace);
  if (space.empty()) return nullptr;
  const std::shared_ptr<const Covering> covering = parse_manifold<double>(space)->covering();
  require(covering != nullptr && covering->cover()->name() == model.config.manifold,
          fmt::format("{}it says that it is on {}, but its configuration is for {}", about(model), space,
                      model.config.manifold),
          "use the file as riemflow wrote it", Fault::bad_data);
  return covering;
}

Model on_cover(Model model) {
  keep_space(model, model.config.manifold);
  return model;
}

std::string computed_on(const std::string& manifold) {
  const auto covering = parse_manifold<double>(manifold)->covering();
  return covering == nullptr ? manifold : covering->cover()->name();
}

}  // namespace riemflow
