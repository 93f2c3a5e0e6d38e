#pragma once
// What a model file says of where it comes from.

#include <nlohmann/json.hpp>

#include "apps/riemflow/fit/run.hpp"

namespace riemflow::app {

/// Version, seed and data, as metadata.
void describe(Model& model, const FitRequest& request, const TrainingData& data);

/// Settings, summary of the training, scores; result: null for a checkpoint. Nothing in it depends on the
/// clock or on where the model is written: same seed, same file.
nlohmann::ordered_json provenance(const FitRequest& request, const TrainingData& data,
                                  const FitProgress& progress, const FitResult* result);

/// What that wrote, back from a model's metadata, without what is nested deeper than anyone wrote on purpose;
/// the text itself if it is no JSON.
nlohmann::ordered_json read_provenance(const std::string& text);

/// What --json says of the data.
nlohmann::ordered_json data_json(const TrainingData& data);

/// Of a mixture: each fit of the search.
nlohmann::ordered_json search_json(const std::vector<MixtureScore>& search);

}  // namespace riemflow::app
