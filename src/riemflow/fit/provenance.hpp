#pragma once
// What a model file says of where it comes from.

#include <nlohmann/json.hpp>

#include "riemflow/fit/fit_model.hpp"
#include "riemflow/fit/option_values.hpp"
#include "riemflow/model/read_provenance.hpp"

namespace riemflow {

/// Version, seed and data, as metadata.
void describe(Model& model, const DataSet& data, const FitOptions& options);

/// Settings, summary of the training, scores; result: null for a checkpoint. Nothing in it depends on the
/// clock or on where the model is written: same seed, same file.
nlohmann::ordered_json provenance(const DataSet& data, const FitOptions& options, const FitProgress& progress,
                                  const FitResult* result);

/// The options that change what is computed, as texts.
Values recorded_values(const FitOptions& options);

/// Name, SHA-256 and numbers of points.
nlohmann::ordered_json data_json(const DataSet& data);
nlohmann::ordered_json json_of(const std::vector<MemberScore>& members);
/// What was chosen for a kernel density.
nlohmann::ordered_json json_of(const KernelSummary& kernels);

/// Of a mixture: each fit of the search.
nlohmann::ordered_json search_json(const std::vector<MixtureScore>& search);

}  // namespace riemflow
