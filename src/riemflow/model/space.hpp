#pragma once
// The manifold of a model as its users have it. A model of a covered manifold (manifold/covering.hpp) is one
// of the cover, and says in Model::space, and in its file under "space", of which manifold it is; of others
// it is that of the configuration.

#include <memory>

#include "riemflow/manifold/covering.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

const Space& space_of(const Model& model);
/// As Model::space; `space` may be the manifold of the configuration itself.
void keep_space(Model& model, const Space& space);
/// The covering of a model that has one; null otherwise. Throws Error(Fault::bad_data) where the cover is not
/// the manifold of the configuration.
std::shared_ptr<const Covering> covering_of(const Model& model);
/// The model of the cover that a model of a covered manifold is made of; any other as it is.
Model on_cover(Model model);

}  // namespace riemflow
