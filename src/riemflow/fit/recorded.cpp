#include "riemflow/fit/recorded.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "riemflow/core/error.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/io/data_sets.hpp"
#include "riemflow/model/read_provenance.hpp"

namespace riemflow {

Values recorded_settings(const Model& model) {
  const auto found = model.metadata.find("provenance");
  const auto provenance =
      nlohmann::json::parse(found == model.metadata.end() ? "" : found->second, nullptr, false);
  const auto settings = provenance.is_object() ? provenance.find("settings") : provenance.end();
  Values values;
  if (provenance.is_object() && settings != provenance.end() && settings->is_object())
    for (const auto& [name, value] : settings->items())
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

ModelData read_model_data(const Model& model, const DataFile& file, Observer& observer) {
  const DataFile data = file.reopenable();
  ModelData result;
  result.name = std::filesystem::path(data.path).filename().string();
  const Values values = recorded_settings(model);
  const auto trained_on = model.metadata.find("data_sha256");
  const auto is_the_fits = [&] {
    const auto sets = known_data_sets();
    const bool there =
        data.held != nullptr || is_regular(data.path) ||
        std::any_of(sets.begin(), sets.end(), [&](const KnownData& s) { return s.name == data.path; });
    return there && trained_on != model.metadata.end() && !values.empty() &&
           data.sha256() == trained_on->second;
  };
  if (is_the_fits()) {
    FitOptions options = recorded_options(model, values);
    DataFile as_fitted = data;
    if (data.reading.columns.empty()) as_fitted.reading.columns = options.columns;
    options.manifold = model.config.manifold;
    options.curvature = 0;
    Observer silent;
    const DataSet read = read_data_set(as_fitted, options, silent);
    result.split_known = true;
    result.training = part_of<double>(read.points, read.split.training);
    result.validation = part_of<double>(read.points, read.split.validation);
    result.test = part_of<double>(read.points, read.split.test);
    result.split = read.split;
    observer.tell("{} is the data of the fit: {} training, {} validation and {} test points{}.", result.name,
                  result.training.size(), result.validation.size(), result.test.size(),
                  options.dedup ? " without duplicates" : "");
    return result;
  }
  const auto source = data.open(model.config.manifold);
  for (const std::string& sentence : source->assumptions().sentences()) observer.say(sentence);
  ReadPoints all = read_all(*source);
  for (const std::string& sentence : all.remarks) observer.say(sentence);
  result.test = std::move(all.points);
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
