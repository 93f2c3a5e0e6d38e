// Mixtures of von Mises–Fisher distributions as models. A file may be anyone's: nothing in it is believed.

#include <fmt/format.h>

#include <cmath>

#include "riemflow/io/safetensors_header.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/model_content.hpp"

namespace riemflow {
namespace {

void require_sphere(const Model& model) {
  require(is_one_sphere(*model.config.manifold),
          fmt::format("{}a mixture of von Mises–Fisher distributions on {}", about(model),
                      json_quoted(model.config.manifold.name())),
          "they live on a sphere: use the file as riemflow wrote it", Fault::bad_data);
}

void check_numbers(const Model& model, const MixtureParameters& mixture, Fault fault) {
  const auto refuse = [&](const std::string& problem, const char* advice) {
    throw Error(about(model) + problem, advice, fault);
  };
  double total = 0;
  for (std::size_t k = 0; k < mixture.size(); ++k) {
    const double w = mixture.weights[k], kappa = mixture.kappas[k];
    if (!(w >= 0 && w <= 1 + 1e-9)) refuse(fmt::format("weight {} is {}", k, w), "it must be from 0 to 1");
    if (!(kappa >= 0 && kappa <= kMostConcentration))
      refuse(fmt::format("concentration {} is {}", k, kappa), "it must be from 0 to 1e8");
    double square = 0;
    for (const double x : mixture.means[k]) square += x * x;
    if (!(std::abs(std::sqrt(square) - 1) <= 1e-6))
      refuse(fmt::format("mean {} is of length {}", k, std::sqrt(square)), "it must be 1");
    total += w;
  }
  if (!(std::abs(total - 1) <= 1e-9))
    refuse(fmt::format("the weights add up to {}", total), "they must to 1");
}

}  // namespace

Model make_model(const Space& manifold, const MixtureParameters& mixture) {
  Model model;
  model.config.model = ModelKind::vmf_mixture;
  model.config.manifold = manifold;
  model.content = mixture;
  return model;
}

void add_tensors(const Model& model, const MixtureParameters& mixture, std::vector<Tensor>& tensors) {
  require_sphere(model);
  check_numbers(model, mixture, Fault::numerical);
  const auto add = [&](const char* name, const std::vector<double>& values) {
    tensors.push_back(tensor_of_doubles(name, mixture.size(), values));
  };
  add("weights", mixture.weights);
  add("means", mixture.means.values);
  add("concentrations", mixture.kappas);
}

MixtureParameters read_mixture(const Model& model, const std::vector<Tensor>& tensors) {
  const auto manifold = model.config.manifold.on<double>();
  require_sphere(model);
  std::uint64_t K = 0;
  const auto tensor = [&](const char* name, int columns) {
    return read_doubles(
        model, tensors, name, K, static_cast<std::uint64_t>(columns),
        "a mixture has weights [K, 1], means [K, d + 1] and concentrations [K, 1] in F64: use "
        "the file as riemflow wrote it");
  };
  MixtureParameters mixture;
  mixture.weights = tensor("weights", 1);
  mixture.means.dimension = manifold->ambient();
  mixture.means.values = tensor("means", manifold->ambient());
  mixture.kappas = tensor("concentrations", 1);
  require(tensors.size() == 3, about(model) + "it has tensors that are none of a mixture's",
          "use the file as riemflow wrote it", Fault::bad_data);

  check_numbers(model, mixture, Fault::bad_data);
  return mixture;
}

}  // namespace riemflow
