#pragma once
// What a model file says of where it comes from: written by a fit, and read back.

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

/// The settings that the fit recorded; none for a model that does not tell.
Values recorded_settings(const Model& model);

/// These, which the model has recorded, as options. Throws Error(Fault::bad_data) where they are none.
FitOptions recorded_options(const Model& model, const Values& recorded);

/// The column of weights of the fit; empty: there was none.
std::string weight_column_of(const Model& model);

/// Whether the points of the fit had weights.
bool fitted_with_weights(const Model& model);

/// What the fit reported of points that it had held out, in nats; NaN where the model does not tell.
struct FitScores {
  double validation, test, test_error;
};
FitScores fit_scores(const Model& model);

/// Of a score on the very data of the fit: that it flatters, and what the fit found at points it had held
/// out. log_size: of the unit in which densities are shown.
std::string seen_warning(const std::string& data, const FitScores& scores, double log_size = 0);

/// A file of points, by the parts that a model's fit made of it.
struct ModelData {
  std::string name;  ///< of the file, without its directory
  /// Without the split: the file is not the one that the model was trained on, and all its points are `test`.
  bool split_known = false;
  Points<double> training, validation, test;
  Split split;                ///< the numbers of these points, as the fit read them
  SplitWeights weights = {};  ///< of the training and validation points; empty: all alike
  Weights test_weights = {};
};

/// Reads the points and says what was assumed. They are split as the fit did, and have the weights of the
/// fit, if the file is that which the model was trained on. Throws Error, (Fault::usage) for other weights
/// than the fit's.
ModelData read_model_data(const Model& model, const DataFile& data, Observer& observer);

/// The same of points in memory, which are those of the fit if their numbers are. name: for messages.
ModelData model_data_of(const Model& model, const Points<double>& points, const std::string& name,
                        Observer& observer);

/// Training, validation and test, one after the other.
Points<double> joined(const ModelData& data);

}  // namespace riemflow
