#pragma once
// What a model's metadata tell of its fit.

#include <nlohmann/json.hpp>
#include <string>

#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// The provenance that a fit wrote, without what is nested deeper than anyone wrote on purpose; the text
/// itself if it is no JSON.
nlohmann::ordered_json read_provenance(const std::string& text);

/// A number of it; NaN where the model does not tell. part: an object inside, or empty.
double provenance_number(const Model& model, const char* name, const char* part = "");

}  // namespace riemflow
