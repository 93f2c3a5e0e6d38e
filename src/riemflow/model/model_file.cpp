#include "riemflow/model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/io/safetensors_header.hpp"
#include "riemflow/io/sha256.hpp"
#include "riemflow/model/config_json.hpp"
#include "riemflow/model/model_content.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

constexpr std::string_view kFormat = "riemflow-model", kState = "state.";
constexpr const char* kChecksum = "checksum";
constexpr const char* kSpace = "space";
/// What Model holds in fields of its own, and what is of the file.
constexpr std::array<const char*, 6> kStructural = {"format",   "format_version", "precision",
                                                    "manifold", "config",         kChecksum};
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

/// Of all that the file holds but the checksum itself, whatever the order of its tensors: the metadata by
/// their keys, then the tensors by their names, texts as JSON (so that what cannot be written counts as what
/// is written in its place).
std::string checksum_of(const SafeTensors& content) {
  const auto text = [](const std::string& s) {
    return nlohmann::json(s).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  };
  Sha256 hash;
  for (const auto& [key, value] : content.metadata)
    if (key != kChecksum) hash.update(fmt::format("{}:{}\n", text(key), text(value)));
  std::vector<const Tensor*> tensors;
  for (const Tensor& tensor : content.tensors) tensors.push_back(&tensor);
  std::sort(tensors.begin(), tensors.end(),
            [](const Tensor* a, const Tensor* b) { return a->name < b->name; });
  for (const Tensor* tensor : tensors) {
    hash.update(fmt::format("{} {} [{}] {}\n", text(tensor->name), name_of(tensor->dtype),
                            fmt::join(tensor->shape, ","), tensor->bytes.size()));
    hash.update(tensor->bytes);
  }
  return "sha256:" + hash.hex();
}

void check_sum(const SafeTensors& content, const std::string& file) {
  const auto found = content.metadata.find(kChecksum);
  if (found == content.metadata.end() || found->second == checksum_of(content)) return;
  bad_model(
      file, "it has been damaged or changed: its content does not have the checksum that is written in it",
      "copy it again from where it was made, or fit it again; where it was changed on purpose, take the "
      "checksum out of its metadata");
}

}  // namespace

std::string metadata_of(const Model& model, const std::string& key) {
  const auto found = model.metadata.find(key);
  return found == model.metadata.end() ? "" : found->second;
}

std::string about(const Model& model) { return model.path.empty() ? "the model: " : model.path + ": "; }

std::string precision_of(const Model& model) {
  if (const auto* flow = std::get_if<FlowParameters>(&model.content))
    return flow->values.index() == 0 ? "float" : "double";
  if (const auto* pool = std::get_if<Pool>(&model.content))
    for (const Model& member : pool->members)
      if (is_flow(member.config.model)) return precision_of(member);
  return "double";
}

KernelsOfModel kernels_of(const Model& model) {
  if (const auto* flow = std::get_if<FlowParameters>(&model.content)) return flow->base;
  const auto* kernels = std::get_if<KernelsOfModel>(&model.content);
  return kernels == nullptr ? nullptr : *kernels;
}

const MixtureParameters& mixture_of(const Model& model) {
  const auto* mixture = std::get_if<MixtureParameters>(&model.content);
  require(mixture != nullptr,
          fmt::format("{}it is a {}, no mixture", about(model), name_of(model.config.model)),
          "read it as what it is");
  return *mixture;
}

const Pool& pool_of(const Model& model) {
  const auto* pool = std::get_if<Pool>(&model.content);
  require(pool != nullptr, fmt::format("{}it is a {}, no pool", about(model), name_of(model.config.model)),
          "read it as what it is");
  return *pool;
}

std::size_t numbers_in(const Model& model) {
  std::size_t numbers = 0;
  for (const Tensor& tensor : tensors_of(model)) numbers += tensor.bytes.size() / item_size(tensor.dtype);
  return numbers;
}

std::vector<Tensor> tensors_of(const Model& model) {
  std::vector<Tensor> tensors;
  struct Add {
    const Model& model;
    std::vector<Tensor>& tensors;
    void operator()(const FlowParameters& flow) const { add_tensors(model, flow, tensors); }
    void operator()(const KernelsOfModel& kernels) const { add_tensors(kernels->parameters(), "", tensors); }
    void operator()(const MixtureParameters& mixture) const { add_tensors(model, mixture, tensors); }
    void operator()(const Pool& pool) const { add_tensors(pool, tensors); }
  };
  std::visit(Add{model, tensors}, model.content);
  return tensors;
}

std::map<std::string, std::string> metadata_in_file(const Model& model) {
  std::map<std::string, std::string> metadata = model.metadata;
  if (model.space) metadata[kSpace] = model.space->name();
  const auto* pool = std::get_if<Pool>(&model.content);
  for (std::size_t m = 0; pool != nullptr && m < pool->members.size(); ++m) {
    const Model& member = pool->members[m];
    if (member.space) metadata[member_prefix(m) + kSpace] = member.space->name();
    metadata[member_prefix(m) + "config"] = config_to_json(member.config);
    metadata[member_prefix(m) + "precision"] = precision_of(member);
    for (const auto& [key, value] : member.metadata) metadata[member_prefix(m) + key] = value;
  }
  return metadata;
}

void read_content(Model& model, const std::string& precision, const std::vector<Tensor>& tensors,
                  OwnSpaces own) {
  require(precision == "float" || precision == "double",
          about(model) + "its precision is " + json_quoted(precision), "it must be float or double",
          Fault::bad_data);
  validate(model.config);
  standardisation_of(model);
  if (const auto space = model.metadata.extract(kSpace); !space.empty() && !space.mapped().empty())
    model.space = Space::named(space.mapped(), own);
  covering_of(model);
  const ModelKind kind = model.config.model;
  if (kind == ModelKind::pool) {
    model.content = read_pool(model, precision, tensors, own);
    return;
  }
  if (is_flow(kind)) {
    model.content = read_flow(model, precision, tensors);
    return;
  }
  require(precision == "double",
          fmt::format("{}a {} of precision {}", about(model),
                      has_kernels(kind) ? "kernel density" : "mixture", json_quoted(precision)),
          "it must be double", Fault::bad_data);
  if (has_kernels(kind))
    model.content = read_kernels(model, "", tensors);
  else
    model.content = read_mixture(model, tensors);
}

std::vector<double> read_doubles(const Model& model, const std::vector<Tensor>& tensors,
                                 const std::string& name, std::uint64_t& rows, std::uint64_t columns,
                                 const char* advice) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(about(model) + "tensor " + name + problem, advice, Fault::bad_data);
  };
  const Tensor* found = nullptr;
  for (const Tensor& tensor : tensors) {
    if (tensor.name != name) continue;
    if (found != nullptr) refuse(" stands twice");
    found = &tensor;
  }
  if (found == nullptr) refuse(" is missing");
  if (rows == 0 && found->shape.size() == 2) rows = found->shape[0];
  const std::size_t row = sizeof(double) * columns;
  if (rows == 0 || found->dtype != DType::F64 || found->shape != std::vector<std::uint64_t>{rows, columns} ||
      found->bytes.size() % row != 0 || found->bytes.size() / row != rows)
    refuse(fmt::format(" is {} {}", name_of(found->dtype), to_string(found->shape)));
  return values_of<double>(*found);
}

Tensor tensor_of_doubles(const std::string& name, std::size_t rows, const std::vector<double>& values) {
  return make_tensor<double>(name, {rows, values.size() / std::max<std::size_t>(1, rows)},
                             std::span<const double>(values));
}

SafeTensors model_to_tensors(const Model& model) {
  const auto refuse = [](const std::string& problem) {
    throw Error("a model cannot be saved: " + problem, "report this", Fault::internal);
  };
  validate(model.config);
  standardisation_of(model);
  SafeTensors content{metadata_in_file(model), tensors_of(model)};
  for (const char* key : kStructural)
    if (content.metadata.contains(key)) refuse(fmt::format("its metadata has a {} of its own", key));
  for (const char* key : kDescriptive) content.metadata.try_emplace(key);
  content.metadata.try_emplace("base", "default");
  content.metadata["format"] = kFormat;
  content.metadata["format_version"] = std::to_string(kModelFormatVersion);
  content.metadata["precision"] = precision_of(model);
  content.metadata["manifold"] = model.config.manifold.name();
  content.metadata["config"] = config_to_json(model.config);
  for (const Tensor& tensor : model.state) {
    if (!tensor.name.starts_with(kState))
      refuse(fmt::format("a tensor of its state is named {}", json_quoted(tensor.name)));
    content.tensors.push_back(tensor);
  }
  return content;
}

Model model_from_tensors(SafeTensors content, const std::string& name, OwnSpaces own) {
  check_format(content, name);
  Model model;
  model.path = name;
  const std::string config = take(content.metadata, "config", name);
  try {
    model.config = config_from_json(config, own);
  } catch (const Error& error) {
    bad_model(name, error.problem(), error.advice());
  }
  const std::string precision = take(content.metadata, "precision", name);
  if (const std::string manifold = take(content.metadata, "manifold", name);
      manifold != model.config.manifold.name())
    bad_model(name,
              fmt::format("its manifold is {}, but {} in its configuration", json_quoted(manifold),
                          json_quoted(model.config.manifold.name())),
              "use the file as riemflow wrote it");
  for (const char* key : {"format", "format_version"}) content.metadata.erase(key);
  model.metadata = std::move(content.metadata);
  std::vector<Tensor> tensors;
  for (Tensor& tensor : content.tensors)
    (tensor.name.starts_with(kState) ? model.state : tensors).push_back(std::move(tensor));
  try {
    read_content(model, precision, tensors, own);
  } catch (const Error& error) {
    // What would be a wrong setting of a user is damage in a file.
    if (error.fault() != Fault::configuration) throw;
    const std::string problem = error.problem();
    throw Error(problem.starts_with(name) ? problem : name + ": " + problem, error.advice(), Fault::bad_data);
  }
  return model;
}

void save_model(const std::string& path, const Model& model) {
  SafeTensors content = model_to_tensors(model);
  content.metadata[kChecksum] = checksum_of(content);
  write_safetensors(path, content);
}

Model load_model(const std::string& path, OwnSpaces own) {
  SafeTensors content = read_safetensors(path);
  check_format(content, path);
  check_sum(content, path);
  content.metadata.erase(kChecksum);
  return model_from_tensors(std::move(content), path, own);
}

}  // namespace riemflow
