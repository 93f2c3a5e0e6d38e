// Models and flows: the tensors of a model against the layout of the field that its configuration describes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/io/safetensors_header.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/model_standardisation.hpp"
#include "riemflow/model/pool_density.hpp"

namespace riemflow {
namespace {

template <class T>
constexpr const char* precision_of() {
  return dtype_of<T>() == DType::F32 ? "float" : "double";
}

std::string base_of(const Model& model) {
  const auto recorded = model.metadata.find("base");
  return recorded == model.metadata.end() ? "default" : recorded->second;
}

/// A base whose tensors are in the file.
bool has_kernel_base(const Model& model) { return is_flow(model.config.model) && base_of(model) == "kde"; }

std::vector<std::uint64_t> shape_of(const ParameterBlock& block) {
  return {static_cast<std::uint64_t>(block.rows), static_cast<std::uint64_t>(block.columns)};
}

/// The model's tensors in the order of the layout's blocks.
template <class T>
std::vector<const Tensor*> matched(const Model& model, const ParameterLayout& layout, Fault fault) {
  const auto refuse = [&](const std::string& problem) {
    throw Error(
        about(model) + problem,
        fmt::format("its tensors do not fit its configuration ({}, width {}, depth {}): use the file as "
                    "riemflow wrote it",
                    model.config.manifold, model.config.field.width, model.config.field.depth),
        fault);
  };
  std::map<std::string_view, const Tensor*> by_name;
  for (const Tensor& tensor : model.parameters) {
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

std::unique_ptr<Density> make_pool_density(Pool pool, const Evaluation& how) {
  std::vector<std::shared_ptr<Density>> members;
  for (Model& member : pool.members) {
    member.config = with_exact_divergence(member.config);  // what is added up must be exact
    Evaluation own = how;
    if (!is_flow(member.config.model)) own.device = Device::cpu;
    members.push_back(make_density(member, own));
  }
  return std::make_unique<PoolDensity>(std::move(members), std::move(pool.weights));
}

/// The parameter vector of the layout, every number finite.
template <class T>
std::vector<T> parameters_of(const Model& model, Fault structure, Fault numbers) {
  const ParameterLayout layout = transport_layout<T>(model.config);
  std::vector<T> parameters;
  for (const Tensor* tensor : matched<T>(model, layout, structure)) {
    const std::vector<T> values = values_of<T>(*tensor);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      throw Error(fmt::format("{}tensor {} is {} at [{}, {}]", about(model), tensor->name, values[i],
                              i / tensor->shape[1], i % tensor->shape[1]),
                  "use an earlier checkpoint, or train again with a smaller learning rate", numbers);
    }
    parameters.insert(parameters.end(), values.begin(), values.end());
  }
  return parameters;
}

}  // namespace

void check_model(const Model& model, Fault structure, Fault numbers) {
  require(model.precision == "float" || model.precision == "double",
          about(model) + "its precision is " + json_quoted(model.precision), "it must be float or double",
          structure);
  validate(model.config);
  standardisation_of(model, structure);
  if (model.config.model == ModelKind::kde) {
    require(model.precision == "double",
            fmt::format("{}a kernel density of precision {}", about(model), json_quoted(model.precision)),
            "it must be double", structure);
    kernels_of(model, "", structure, numbers);
    return;
  }
  if (has_kernel_base(model)) {
    require(model.config.model == ModelKind::riemannian,
            fmt::format("{}a {} over a kernel density", about(model), name_of(model.config.model)),
            "only Riemannian flows have another base: use the file as riemflow wrote it", structure);
    kernels_of(model, kBasePrefix, structure, numbers);
  }
  if (model.config.model == ModelKind::vmf_mixture)
    mixture_of(model, structure, numbers);
  else if (model.config.model == ModelKind::pool)
    pool_of(model, structure, numbers);
  else if (model.precision == "float")
    parameters_of<float>(model, structure, numbers);
  else
    parameters_of<double>(model, structure, numbers);
}

template <class T>
Model make_model(const Transport<T>& flow) {
  return make_model(flow, flow.parameters());
}

template <class T>
Model make_model(const Transport<T>& flow, std::span<const T> parameters) {
  const ParameterLayout layout = flow.layout();
  require(parameters.size() == layout.size(),
          fmt::format("a model was asked for with {} parameters", parameters.size()),
          fmt::format("its flow has {}", layout.size()), Fault::internal);
  Model model;
  model.config = flow.config();
  model.precision = precision_of<T>();
  model.metadata["base"] = flow.base_name();
  for (const ParameterBlock& block : layout.blocks())
    model.parameters.push_back(
        make_tensor<T>(block.name, shape_of(block), parameters.subspan(block.offset, block.size())));
  if (const auto kernels = std::dynamic_pointer_cast<const KernelMixture>(flow.exact_base()))
    add_kernels(model, kernels->parameters(), kBasePrefix);
  return model;
}

template <class T>
std::unique_ptr<Transport<T>> make_flow(const Model& model, int threads,
                                        std::shared_ptr<const Distribution<T>> base, Device device) {
  require(model.precision == precision_of<T>(),
          fmt::format("{}its precision is {}, not {}", about(model), model.precision, precision_of<T>()),
          "use it in its own");
  const std::string name = base_of(model);
  std::shared_ptr<const Distribution<double>> kernels;
  if (has_kernel_base(model) && !base)
    kernels = std::make_shared<KernelMixture>(parse_manifold<double>(model.config.manifold),
                                              kernels_of(model, kBasePrefix));
  require(kernels || name == "default" ? base == nullptr : base != nullptr && base->name() == name,
          fmt::format("{}its base is {}, which is not in the file", about(model), json_quoted(name)),
          "make its flow with that base", base ? Fault::configuration : Fault::bad_data);
  // Before the flow, which takes memory for whatever its configuration says.
  const std::vector<T> parameters = parameters_of<T>(model, Fault::bad_data, Fault::bad_data);
  try {
    std::unique_ptr<Transport<T>> flow =
        base ? std::make_unique<Flow<T>>(model.config, 0, threads, std::move(base))
             : make_transport<T>(model.config, 0, threads, device, std::move(kernels));
    std::copy(parameters.begin(), parameters.end(), flow->parameters().begin());
    return flow;
  } catch (const std::bad_alloc&) {
    throw Error(about(model) + "its flow needs more memory than there is",
                "use fewer threads, or Hutchinson's divergence with few probes");
  }
}

std::unique_ptr<Density> make_density(const Model& model, const Evaluation& how) {
  if (model.config.model == ModelKind::pool) return make_pool_density(pool_of(model), how);
  if (is_flow(model.config.model)) {
    const auto made = [&]<class T>(std::unique_ptr<Transport<T>> flow) {
      if (how.tolerance > 0) flow->set_tolerance(how.tolerance, how.tolerance);
      return std::make_unique<FlowDensity>(std::shared_ptr(std::move(flow)), standardisation_of(model));
    };
    return model.precision == "double" ? made(make_flow<double>(model, how.threads, nullptr, how.device))
                                       : made(make_flow<float>(model, how.threads, nullptr, how.device));
  }
  require(how.device != Device::cuda,
          fmt::format("{}a {} is not computed on a GPU", about(model), name_of(model.config.model)),
          "use ‹device› cpu");
  if (model.config.model == ModelKind::kde)
    return std::make_unique<KernelDensity>(
        std::make_shared<KernelMixture>(parse_manifold<double>(model.config.manifold), kernels_of(model, "")),
        how.threads, standardisation_of(model));
  return std::make_unique<MixtureDensity>(model.config.manifold, mixture_of(model), how.threads);
}

template Model make_model(const Transport<float>&);
template Model make_model(const Transport<double>&);
template Model make_model(const Transport<float>&, std::span<const float>);
template Model make_model(const Transport<double>&, std::span<const double>);
template std::unique_ptr<Transport<float>> make_flow(const Model&, int,
                                                     std::shared_ptr<const Distribution<float>>, Device);
template std::unique_ptr<Transport<double>> make_flow(const Model&, int,
                                                      std::shared_ptr<const Distribution<double>>, Device);

}  // namespace riemflow
