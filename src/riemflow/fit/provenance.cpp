#include "riemflow/fit/provenance.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>

#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/core/version.hpp"
#include "riemflow/io/data_sets.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {

void describe(Model& model, const DataSet& data, const FitOptions& options) {
  model.metadata["riemflow_version"] = kVersion;
  model.metadata["seed"] = std::to_string(options.seed);
  model.metadata["data_sha256"] = data.sha256;
  model.metadata["data_name"] = data.name;
  if (data.space) keep_space(model, *data.space);
  if (model.config.model != ModelKind::pool) keep_standardisation(model, data.standardisation);
}

nlohmann::ordered_json data_json(const DataSet& data) {
  nlohmann::ordered_json all = {{"name", data.name},
                                {"sha256", data.sha256},
                                {"rows", data.rows},
                                {"duplicates", data.duplicates},
                                {"training", data.split.training.size()},
                                {"validation", data.split.validation.size()},
                                {"test", data.split.test.size()}};
  if (!data.weights.empty()) all["weighted"] = true;
  if (!data.weight_column.empty()) all["weights"] = data.weight_column;
  return all;
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
  for (const auto& [name, value] : recorded_values(options))
    if (name != "weights") settings[name] = value;
  // Those in force: points in memory may have others, and points that were read bring theirs.
  if (!data.weight_column.empty())
    settings["weights"] = options.weights.empty() ? data.weight_column : options.weights;
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
  if (!data.weights.empty()) all["weighted"] = true;
  if (!data.weight_column.empty()) all["weights"] = data.weight_column;
  if (!data.columns.empty()) all["columns"] = data.columns;
  all["settings"] = std::move(settings);
  return all;
}

Values recorded_settings(const Model& model) {
  const auto about = read_provenance(metadata_of(model, "provenance"));
  Values values;
  if (about.is_object() && about.contains("settings") && about["settings"].is_object())
    for (const auto& [name, value] : about["settings"].items())
      if (value.is_string()) values[name] = value.get<std::string>();
  return values;
}

FitOptions recorded_options(const Model& model, const Values& recorded) {
  try {
    return options_of(recorded);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: its provenance is damaged: {}", model.path, error.what()),
                "use the file as riemflow wrote it", Fault::bad_data);
  }
}

std::string weight_column_of(const Model& model) {
  const Values settings = recorded_settings(model);
  const auto found = settings.find("weights");
  return found == settings.end() ? "" : found->second;
}

bool fitted_with_weights(const Model& model) {
  const auto about = read_provenance(metadata_of(model, "provenance"));
  return about.is_object() && about.value("weighted", nlohmann::ordered_json()) == true;
}

FitScores fit_scores(const Model& model) {
  return {provenance_number(model, "validation_nll"), provenance_number(model, "test_nll"),
          provenance_number(model, "test_nll_standard_error")};
}

std::string seen_warning(const std::string& data, const FitScores& scores, double log_size) {
  std::string text = fmt::format(
      "Warning: {} is the data that the model was trained on; its NLL there says nothing of new data.", data);
  if (!std::isnan(scores.test))
    text += fmt::format(" The fit's test points, which it has not seen: {:.4f} ± {:.4f} nats.",
                        scores.test - log_size, scores.test_error);
  else if (!std::isnan(scores.validation))
    text += fmt::format(" The points that the fit held out for validation: {:.4f} nats.",
                        scores.validation - log_size);
  return text;
}

namespace {

/// The options of the fit, for its very data: those have the SHA-256 that the model has recorded.
std::optional<FitOptions> options_of_fit(const Model& model, const std::function<std::string()>& sha256) {
  const Values values = recorded_settings(model);
  const std::string trained_on = metadata_of(model, "data_sha256");
  if (trained_on.empty() || values.empty() || sha256() != trained_on) return std::nullopt;
  FitOptions options = recorded_options(model, values);
  options.manifold = space_of(model).name();
  options.curvature = 0;
  return options;
}

ModelData by_split(const DataSet& data, const std::string& name, Observer& observer) {
  const auto part = [&](const std::vector<std::size_t>& rows) { return part_of<double>(data.points, rows); };
  ModelData result{name,
                   true,
                   part(data.split.training),
                   part(data.split.validation),
                   part(data.split.test),
                   data.split,
                   data.split_weights(),
                   data.weights_of(data.split.test)};
  observer.tell("{} is the data of the fit: {} training, {} validation and {} test points{}.", name,
                result.training.size(), result.validation.size(), result.test.size(),
                data.points.size() < data.rows ? " without duplicates" : "");
  return result;
}

}  // namespace

ModelData model_data_of(const Model& model, const Points<double>& points, const std::string& name,
                        Observer& observer) {
  Observer silent;
  if (const auto options = options_of_fit(model, [&] { return sha256_of(points); }))
    return by_split(data_set_of(points, *options, silent, name), name, observer);
  ModelData result;
  result.name = name;
  result.test = points;
  return result;
}

ModelData read_model_data(const Model& model, const DataFile& file, Observer& observer) {
  const DataFile data = file.reopenable();
  ModelData result;
  result.name = std::filesystem::path(data.path).filename().string();
  const auto sets = known_data_sets();
  const bool there =
      data.held != nullptr || is_regular(data.path) ||
      std::any_of(sets.begin(), sets.end(), [&](const KnownData& s) { return s.name == data.path; });
  const auto options = options_of_fit(model, [&] { return there ? data.sha256() : std::string(); });
  if (options) {
    DataFile as_fitted = data;
    if (data.reading.columns.empty()) as_fitted.reading.columns = options->columns;
    require(data.reading.weights.empty() || lower(data.reading.weights) == lower(options->weights),
            fmt::format("‹weights› {} for {}, which {} was fitted to {}", data.reading.weights, result.name,
                        model.path,
                        options->weights.empty() ? "without weights" : "with ‹weights› " + options->weights),
            "leave it out: points of the fit have the weights of the fit", Fault::usage);
    as_fitted.reading.weights = options->weights;
    Observer silent;
    return by_split(read_data_set(as_fitted, *options, silent), result.name, observer);
  }
  const auto source = data.open(space_of(model).name());
  for (const std::string& sentence : source->assumptions().sentences()) observer.say(sentence);
  ReadPoints all = read_all(*source);
  for (const std::string& sentence : all.remarks) observer.say(sentence);
  DataSet weighed;
  weighed.points = std::move(all.points);
  weighed.lines = all.lines;
  take_weights(weighed, all, observer);
  result.test = std::move(weighed.points);
  result.test_weights = std::move(weighed.weights);
  return result;
}

Points<double> joined(const ModelData& data) {
  Points<double> all;
  for (const Points<double>* part : {&data.training, &data.validation, &data.test}) {
    if (part->size() > 0) all.dimension = part->dimension;
    all.values.insert(all.values.end(), part->values.begin(), part->values.end());
  }
  return all;
}

}  // namespace riemflow
