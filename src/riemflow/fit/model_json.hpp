#pragma once
// All that a model file says of itself, as JSON: kind, manifold, configuration, members, and its metadata
// with the provenance.

#include <nlohmann/json.hpp>

#include "riemflow/model/model_file.hpp"

namespace riemflow {

nlohmann::ordered_json model_json(const Model& model);
/// What a member of a pool is called: its name, or its kind.
std::string member_name(const Model& member);

}  // namespace riemflow
