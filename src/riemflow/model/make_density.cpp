// A model as a density.

#include <fmt/format.h>

#include "riemflow/core/error.hpp"
#include "riemflow/model/covered_density.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/pool_density.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

class DensityMaker {
 public:
  DensityMaker(const Model& model, const Evaluation& how) : model_(model), how_(how) {}

  std::unique_ptr<Density> operator()(const FlowParameters& flow) const {
    return std::visit(
        [&]<class T>(const std::vector<T>&) {
          std::shared_ptr<Transport<T>> made = make_flow<T>(model_, how_.threads, nullptr, how_.device);
          if (how_.tolerance > 0) made->set_tolerance(how_.tolerance, how_.tolerance);
          return std::make_unique<FlowDensity>(std::move(made), standardisation_of(model_));
        },
        flow.values);
  }
  std::unique_ptr<Density> operator()(const KernelsOfModel& kernels) const {
    refuse_gpu();
    return std::make_unique<KernelDensity>(kernels, how_.threads, standardisation_of(model_));
  }
  std::unique_ptr<Density> operator()(const MixtureParameters& mixture) const {
    refuse_gpu();
    return std::make_unique<MixtureDensity>(model_.config.manifold, mixture, how_.threads);
  }
  std::unique_ptr<Density> operator()(const Pool& pool) const {
    std::vector<std::shared_ptr<Density>> members;
    for (Model member : pool.members) {
      member.config = with_exact_divergence(member.config);  // what is added up must be exact
      Evaluation own = how_;
      if (!is_flow(member.config.model)) own.device = Device::cpu;
      members.push_back(make_density(member, own));
    }
    return std::make_unique<PoolDensity>(std::move(members), pool.weights);
  }

 private:
  void refuse_gpu() const {
    require(how_.device != Device::cuda,
            fmt::format("{}a {} is not computed on a GPU", about(model_), name_of(model_.config.model)),
            "use ‹device› cpu");
  }
  const Model& model_;
  const Evaluation& how_;
};

}  // namespace

std::unique_ptr<Density> make_density(const Model& model, const Evaluation& how) {
  std::unique_ptr<Density> made = std::visit(DensityMaker(model, how), model.content);
  if (covering_of(model) == nullptr) return made;
  return std::make_unique<CoveredDensity>(space_of(model).on<double>(), std::move(made));
}

std::unique_ptr<Density> make_exact_density(Model model, const Evaluation& how, TaskObserver& observer) {
  if (model.config.divergence.estimator != DivergenceEstimator::exact)
    observer.say(
        "The model was trained with estimated divergences; its density is computed with exact ones.");
  model.config = with_exact_divergence(model.config);
  return make_density(model, how);
}

std::vector<double> log_densities_of_model(const Model& model, const Evaluation& how,
                                           const Points<double>& points) {
  TaskObserver nobody;
  return make_exact_density(model, how, nobody)->log_prob(points).values;
}

}  // namespace riemflow
