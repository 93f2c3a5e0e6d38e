#include "riemflow/fit/provenance.hpp"

#include <cmath>

#include "riemflow/core/version.hpp"

namespace riemflow {

void describe(Model& model, const DataSet& data, const FitOptions& options) {
  model.metadata["riemflow_version"] = kVersion;
  model.metadata["seed"] = std::to_string(options.seed);
  model.metadata["data_sha256"] = data.sha256;
  model.metadata["data_name"] = data.name;
  if (model.config.model != ModelKind::pool) keep_standardisation(model, data.standardisation);
}

nlohmann::ordered_json data_json(const DataSet& data) {
  return {{"name", data.name},
          {"sha256", data.sha256},
          {"rows", data.rows},
          {"duplicates", data.duplicates},
          {"training", data.split.training.size()},
          {"validation", data.split.validation.size()},
          {"test", data.split.test.size()}};
}

nlohmann::ordered_json search_json(const std::vector<MixtureScore>& search) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const MixtureScore& score : search) {
    nlohmann::ordered_json row = {{"components", score.components}};
    if (score.rate > 0) row["rate"] = score.rate;
    row["validation_nll"] = score.validation;
    row["best_iteration"] = score.best_epoch;
    rows.push_back(std::move(row));
  }
  return rows;
}

Values recorded_values(const FitOptions& options) {
  Values values = values_of(options);
  std::erase_if(values, [](const auto& value) { return !is_recorded(value.first); });
  return values;
}

nlohmann::ordered_json json_of(const KernelSummary& kernels) {
  const KernelRecipe& recipe = kernels.recipe;
  return {{"shape", name_of(recipe.shape)},  {"centres", kernels.centres},
          {"bandwidth", recipe.scale},       {"neighbours", recipe.neighbours},
          {"adaptivity", recipe.adaptivity}, {"shape_neighbours", recipe.shape_neighbours},
          {"shrinkage", recipe.shrinkage},   {"wide", recipe.wide}};
}

nlohmann::ordered_json json_of(const std::vector<MemberScore>& members) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const MemberScore& member : members) {
    rows.push_back({{"name", member.name},
                    {"model", member.model},
                    {"weight", member.weight},
                    {"validation_nll", member.validation_nll}});
    if (std::isnan(member.test_nll)) continue;
    rows.back()["test_nll"] = member.test_nll;
    rows.back()["test_nll_standard_error"] = member.test_error;
  }
  return rows;
}

nlohmann::ordered_json provenance(const DataSet& data, const FitOptions& options, const FitProgress& p,
                                  const FitResult* result) {
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
  for (const auto& [name, value] : recorded_values(options)) settings[name] = value;
  nlohmann::ordered_json all = {{"finished", result != nullptr},
                                {"iterations", p.iteration},
                                {"best_iteration", p.best_iteration},
                                {"validation_nll", p.best}};
  if (result != nullptr) {
    all["stopped"] = result->stopped;
    all["test_nll"] = result->test_nll;
    all["test_nll_standard_error"] = result->test_error;
    all["test_nll_reference"] = result->reference_nll;
    all["reference"] = result->reference;
    all["failed_test_points"] = result->failed_test_points;
    if (result->target) {
      all["reverse_kl"] = result->target->reverse_kl;
      all["reverse_kl_standard_error"] = result->target->standard_error;
      all["effective_sample_share"] = result->target->effective_share;
    }
    if (result->cover) {
      all["forward_kl"] = result->cover->forward_kl;
      all["forward_kl_standard_error"] = result->cover->standard_error;
      all["missed_target_share"] = result->cover->missed_share;
    }
  }
  if (result != nullptr && !result->search.empty()) {
    const MixtureScore& chosen = result->search[result->chosen];
    all["components"] = chosen.components;
    if (chosen.rate > 0) all["rate"] = chosen.rate;
    all["search"] = search_json(result->search);
  }
  if (result != nullptr && result->kernels) all["kernels"] = json_of(*result->kernels);
  all["skipped_steps"] = p.skipped;
  all["points"] = {{"rows", data.rows},
                   {"duplicates", data.duplicates},
                   {"training", data.split.training.size()},
                   {"validation", data.split.validation.size()},
                   {"test", data.split.test.size()}};
  if (!data.columns.empty()) all["columns"] = data.columns;
  all["settings"] = std::move(settings);
  return all;
}

}  // namespace riemflow
