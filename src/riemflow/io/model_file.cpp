#include "riemflow/io/model_file.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/io/config_json.hpp"
#include "riemflow/io/safetensors_header.hpp"

namespace riemflow {
namespace {

constexpr std::string_view kFormat = "riemflow-model", kState = "state.";
/// What Model holds in fields of its own.
constexpr std::array<const char*, 5> kStructural = {"format", "format_version", "precision", "manifold",
                                                    "config"};
/// What a file always has, empty where it is not known.
constexpr std::array<const char*, 5> kDescriptive = {"riemflow_version", "seed", "data_sha256", "data_name",
                                                     "provenance"};

[[noreturn]] void bad_model(const std::string& file, const std::string& problem, const std::string& advice) {
  throw Error(file + ": " + problem, advice, Fault::bad_data);
}

/// The value of a key, which the metadata loses.
std::string take(std::map<std::string, std::string>& metadata, const char* key, const std::string& file) {
  const auto node = metadata.extract(key);
  if (node.empty())
    bad_model(file, fmt::format("the metadata has no {}", key), "use the file as riemflow wrote it");
  return node.mapped();
}

void check_format(const SafeTensors& content, const std::string& file) {
  const auto format = content.metadata.find("format");
  if (format == content.metadata.end() || format->second != kFormat)
    bad_model(file, "it is a safetensors file, but not a model of riemflow",
              "give a file that `riemflow fit` wrote");
  const auto found = content.metadata.find("format_version");
  const std::string text = found == content.metadata.end() ? "" : found->second;
  int version = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (code == std::errc::result_out_of_range || version > kModelFormatVersion)
    bad_model(file,
              fmt::format("it was written by a newer riemflow (format {}, this one reads {})",
                          json_quoted(text), kModelFormatVersion),
              "use that version or a later one");
  if (code != std::errc() || end != text.data() + text.size() || version < 1)
    bad_model(file, fmt::format("its format_version is {}", json_quoted(text)),
              "use the file as riemflow wrote it");
}

/// what() without the advice.
std::string problem_of(const Error& error) {
  std::string text = error.what();
  text.resize(text.size() - error.advice().size() - 2);
  return text;
}

}  // namespace

std::string metadata_of(const Model& model, const std::string& key) {
  const auto found = model.metadata.find(key);
  return found == model.metadata.end() ? "" : found->second;
}

std::string about(const Model& model) { return model.path.empty() ? "the model: " : model.path + ": "; }

SafeTensors model_to_tensors(const Model& model) {
  check_model(model, Fault::internal, Fault::numerical);
  const auto refuse = [](const std::string& problem) {
    throw Error("a model cannot be saved: " + problem, "report this", Fault::internal);
  };
  SafeTensors content{model.metadata, model.parameters};
  for (const char* key : kStructural)
    if (content.metadata.contains(key)) refuse(fmt::format("its metadata has a {} of its own", key));
  for (const char* key : kDescriptive) content.metadata.try_emplace(key);
  content.metadata.try_emplace("base", "default");
  content.metadata["format"] = kFormat;
  content.metadata["format_version"] = std::to_string(kModelFormatVersion);
  content.metadata["precision"] = model.precision;
  content.metadata["manifold"] = model.config.manifold;
  content.metadata["config"] = config_to_json(model.config);
  for (const Tensor& tensor : model.state) {
    if (!tensor.name.starts_with(kState))
      refuse(fmt::format("a tensor of its state is named {}", json_quoted(tensor.name)));
    content.tensors.push_back(tensor);
  }
  return content;
}

Model model_from_tensors(SafeTensors content, const std::string& name) {
  check_format(content, name);
  Model model;
  model.path = name;
  const std::string config = take(content.metadata, "config", name);
  try {
    model.config = config_from_json(config);
  } catch (const Error& error) {
    bad_model(name, problem_of(error), error.advice());
  }
  model.precision = take(content.metadata, "precision", name);
  if (model.precision != "float" && model.precision != "double")
    bad_model(name, "its precision is " + json_quoted(model.precision), "it must be float or double");
  if (const std::string manifold = take(content.metadata, "manifold", name);
      manifold != model.config.manifold)
    bad_model(name,
              fmt::format("its manifold is {}, but {} in its configuration", json_quoted(manifold),
                          json_quoted(model.config.manifold)),
              "use the file as riemflow wrote it");
  for (const char* key : {"format", "format_version"}) content.metadata.erase(key);
  model.metadata = std::move(content.metadata);
  for (Tensor& tensor : content.tensors)
    (tensor.name.starts_with(kState) ? model.state : model.parameters).push_back(std::move(tensor));
  check_model(model);
  return model;
}

void save_model(const std::string& path, const Model& model) {
  write_safetensors(path, model_to_tensors(model));
}

Model load_model(const std::string& path) { return model_from_tensors(read_safetensors(path), path); }

}  // namespace riemflow
