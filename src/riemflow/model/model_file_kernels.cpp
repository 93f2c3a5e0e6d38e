// Kernel densities as models, and as bases of flows. A file may be anyone's: nothing in it is believed.

#include <fmt/format.h>

#include "riemflow/io/safetensors_header.hpp"
#include "riemflow/model/model_content.hpp"

namespace riemflow {

Model make_model(const Space& manifold, KernelsOfModel kernels) {
  Model model;
  model.config.model = ModelKind::kde;
  model.config.manifold = manifold;
  model.content = std::move(kernels);
  return model;
}

Model make_model(const Space& manifold, const KernelParameters& kernels) {
  return make_model(manifold, std::make_shared<KernelMixture>(manifold.on<double>(), kernels));
}

void add_tensors(const KernelParameters& kernels, const std::string& prefix, std::vector<Tensor>& tensors) {
  const auto add = [&](const char* name, std::size_t rows, const std::vector<double>& values) {
    tensors.push_back(tensor_of_doubles(prefix + name, rows, values));
  };
  const std::size_t n = kernels.size();
  add("centres", n, kernels.centres.values);
  add("weights", n, kernels.weights);
  add("bandwidths", n, kernels.bandwidths);
  add("wide", 1, {kernels.wide});
  if (!kernels.shapes.empty()) add("shapes", n, kernels.shapes);
}

KernelsOfModel read_kernels(const Model& model, const std::string& prefix,
                            const std::vector<Tensor>& tensors) {
  const std::shared_ptr<const Manifold<double>> manifold = model.config.manifold.on<double>();
  constexpr const char* kAdvice =
      "a kernel density has centres [n, ambient], weights [n, 1], bandwidths [n, 1], wide [1, 1] and "
      "perhaps shapes in F64: use the file as riemflow wrote it";
  std::size_t known = 0;
  const auto tensor = [&](const char* name, std::uint64_t& rows, std::uint64_t columns) {
    ++known;
    return read_doubles(model, tensors, prefix + name, rows, columns, kAdvice);
  };
  std::uint64_t n = 0, one = 1;
  KernelParameters kernels;
  kernels.wide = tensor("wide", one, 1).front();
  kernels.centres.dimension = manifold->ambient();
  kernels.centres.values = tensor("centres", n, static_cast<std::uint64_t>(manifold->ambient()));
  kernels.weights = tensor("weights", n, 1);
  kernels.bandwidths = tensor("bandwidths", n, 1);
  for (const Tensor& candidate : tensors)
    if (candidate.name == prefix + "shapes") {
      kernels.shapes = tensor("shapes", n, shape_size(KernelSpace(manifold)));
      break;
    }
  std::size_t own = 0;
  for (const Tensor& candidate : tensors) own += candidate.name.starts_with(prefix) ? 1 : 0;
  require(own == known, about(model) + "it has tensors that are none of a kernel density's", kAdvice,
          Fault::bad_data);
  try {
    return std::make_shared<KernelMixture>(manifold, std::move(kernels));
  } catch (const Error& error) {
    throw Error(about(model) + error.what(), "use the file as riemflow wrote it", Fault::bad_data);
  }
}

}  // namespace riemflow
