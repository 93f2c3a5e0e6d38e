// Models and flows: the tensors of a model against the layout of the field that its configuration describes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/io/safetensors_header.hpp"
#include "riemflow/model/model_content.hpp"

namespace riemflow {
namespace {

std::string base_of(const Model& model) {
  const auto recorded = model.metadata.find("base");
  return recorded == model.metadata.end() ? "default" : recorded->second;
}

/// A base whose tensors are in the file.
bool has_kernel_base(const Model& model) { return base_of(model) == "kde"; }

std::vector<std::uint64_t> shape_of(const ParameterBlock& block) {
  return {static_cast<std::uint64_t>(block.rows), static_cast<std::uint64_t>(block.columns)};
}

/// The model's tensors in the order of the layout's blocks.
template <class T>
std::vector<const Tensor*> matched(const Model& model, const ParameterLayout& layout,
                                   const std::vector<Tensor>& given) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(
        about(model) + problem,
        fmt::format("its tensors do not fit its configuration ({}, width {}, depth {}): use the file as "
                    "riemflow wrote it",
                    model.config.manifold.name(), model.config.field.width, model.config.field.depth),
        Fault::bad_data);
  };
  std::map<std::string_view, const Tensor*> by_name;
  for (const Tensor& tensor : given) {
    if (has_kernel_base(model) && tensor.name.starts_with(kBasePrefix)) continue;
    if (!by_name.emplace(tensor.name, &tensor).second)
      refuse(fmt::format("tensor {} stands twice", json_quoted(tensor.name)));
  }
  std::vector<const Tensor*> tensors;
  for (const ParameterBlock& block : layout.blocks()) {
    const std::string expected = fmt::format("{} {}", name_of(dtype_of<T>()), to_string(shape_of(block)));
    const auto node = by_name.extract(block.name);
    if (node.empty()) refuse(fmt::format("tensor {} is missing, expected {}", block.name, expected));
    const Tensor& tensor = *node.mapped();
    if (tensor.dtype != dtype_of<T>() || tensor.shape != shape_of(block))
      refuse(fmt::format("tensor {} is {} {}, expected {}", block.name, name_of(tensor.dtype),
                         to_string(tensor.shape), expected));
    if (tensor.bytes.size() != block.size() * sizeof(T))
      refuse(fmt::format("tensor {} has {} bytes, expected {}", block.name, tensor.bytes.size(), expected));
    tensors.push_back(&tensor);
  }
  if (!by_name.empty())
    refuse(fmt::format("tensor {} is none of the field's", json_quoted(by_name.begin()->first)));
  return tensors;
}

/// The first that is not finite is named by its block.
template <class T>
void require_finite(const Model& model, const ParameterLayout& layout, std::span<const T> values,
                    Fault fault) {
  for (const ParameterBlock& block : layout.blocks())
    for (std::size_t i = 0; i < block.size(); ++i)
      if (const T value = values[block.offset + i]; !std::isfinite(value))
        throw Error(fmt::format("{}tensor {} is {} at [{}, {}]", about(model), block.name, value,
                                i / static_cast<std::size_t>(block.columns),
                                i % static_cast<std::size_t>(block.columns)),
                    "use an earlier checkpoint, or train again with a smaller learning rate", fault);
}

/// The parameter vector of the layout.
template <class T>
std::vector<T> read_values(const Model& model, const std::vector<Tensor>& tensors) {
  const ParameterLayout layout = transport_layout<T>(model.config);
  std::vector<T> parameters;
  for (const Tensor* tensor : matched<T>(model, layout, tensors)) {
    const std::vector<T> values = values_of<T>(*tensor);
    parameters.insert(parameters.end(), values.begin(), values.end());
  }
  require_finite<T>(model, layout, parameters, Fault::bad_data);
  return parameters;
}

}  // namespace

FlowParameters read_flow(const Model& model, const std::string& precision,
                         const std::vector<Tensor>& tensors) {
  FlowParameters flow;
  if (has_kernel_base(model)) {
    require(model.config.model == ModelKind::riemannian,
            fmt::format("{}a {} over a kernel density", about(model), name_of(model.config.model)),
            "only Riemannian flows have another base: use the file as riemflow wrote it", Fault::bad_data);
    flow.base = read_kernels(model, kBasePrefix, tensors);
  }
  if (precision == "float")
    flow.values = read_values<float>(model, tensors);
  else
    flow.values = read_values<double>(model, tensors);
  return flow;
}

void add_tensors(const Model& model, const FlowParameters& flow, std::vector<Tensor>& tensors) {
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const ParameterLayout layout = transport_layout<T>(model.config);
        require(values.size() == layout.size(),
                fmt::format("{}it has {} parameters", about(model), values.size()),
                fmt::format("its configuration asks for {}", layout.size()), Fault::internal);
        require_finite<T>(model, layout, values, Fault::numerical);
        for (const ParameterBlock& block : layout.blocks())
          tensors.push_back(make_tensor<T>(block.name, shape_of(block),
                                           std::span(values).subspan(block.offset, block.size())));
      },
      flow.values);
  if (flow.base) add_tensors(flow.base->parameters(), kBasePrefix, tensors);
}

template <class T>
Model make_model(const Transport<T>& flow, std::span<const T> parameters) {
  const ParameterLayout layout = flow.layout();
  require(parameters.size() == layout.size(),
          fmt::format("a model was asked for with {} parameters", parameters.size()),
          fmt::format("its flow has {}", layout.size()), Fault::internal);
  Model model;
  model.config = flow.config();
  model.metadata["base"] = flow.base_name();
  model.content = FlowParameters{std::vector<T>(parameters.begin(), parameters.end()),
                                 std::dynamic_pointer_cast<const KernelMixture>(flow.exact_base())};
  return model;
}

template <class T>
std::unique_ptr<Transport<T>> make_flow(const Model& model, int threads,
                                        std::shared_ptr<const Distribution<T>> base, Device device) {
  const auto* content = std::get_if<FlowParameters>(&model.content);
  require(content != nullptr, fmt::format("{}a {} is no flow", about(model), name_of(model.config.model)),
          "give a kind of flow, such as riemannian");
  const auto* parameters = std::get_if<std::vector<T>>(&content->values);
  require(parameters != nullptr, fmt::format("{}its precision is {}", about(model), precision_of(model)),
          "use it in its own");
  // Before the flow, which takes memory for whatever its configuration says.
  const std::size_t size = transport_layout<T>(model.config).size();
  require(parameters->size() == size, fmt::format("{}it has {} parameters", about(model), parameters->size()),
          fmt::format("its configuration asks for {}", size), Fault::internal);
  const std::string name = base_of(model);
  require(content->base || name == "default" ? base == nullptr : base != nullptr && base->name() == name,
          fmt::format("{}its base is {}, which is not in the file", about(model), json_quoted(name)),
          "make its flow with that base", base ? Fault::configuration : Fault::bad_data);
  try {
    std::unique_ptr<Transport<T>> flow =
        base ? std::make_unique<Flow<T>>(model.config, 0, threads, std::move(base))
             : make_transport<T>(model.config, 0, threads, device, content->base);
    std::copy(parameters->begin(), parameters->end(), flow->parameters().begin());
    return flow;
  } catch (const std::bad_alloc&) {
    throw Error(about(model) + "its flow needs more memory than there is",
                "use fewer threads, or Hutchinson's divergence with few probes");
  }
}

template Model make_model(const Transport<float>&, std::span<const float>);
template Model make_model(const Transport<double>&, std::span<const double>);
template std::unique_ptr<Transport<float>> make_flow(const Model&, int,
                                                     std::shared_ptr<const Distribution<float>>, Device);
template std::unique_ptr<Transport<double>> make_flow(const Model&, int,
                                                      std::shared_ptr<const Distribution<double>>, Device);

}  // namespace riemflow
