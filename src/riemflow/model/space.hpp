#pragma once
// The manifold of a model as its users have it. A model of a covered manifold (manifold/covering.hpp) is one
// of the cover, and says in its metadata under "space" of which manifold it is; of others it is that of the
// configuration.

#include <memory>
#include <string>

#include "riemflow/manifold/covering.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// The name, as parse_manifold takes it.
std::string space_of(const Model& model);
/// As metadata; `space` may be the manifold of the configuration itself.
void keep_space(Model& model, const std::string& space);
/// The covering of a model that has one; null otherwise. Throws Error(Fault::bad_data) where the cover is not
/// the manifold of the configuration.
std::shared_ptr<const Covering> covering_of(const Model& model);
/// The model of the cover that a model of a covered manifold is made of; any other as it is.
Model on_cover(Model model);
/// The manifold on which densities of the one named are computed: its cover, or itself.
std::string computed_on(const std::string& manifold);

}  // namespace riemflow
