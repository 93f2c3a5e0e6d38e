#include <algorithm>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/kernel_density.hpp"

namespace riemflow {
namespace {

/// Of the time limit, for the search and for the test; at least so many points are scored.
constexpr double kSearchOfAll = 0.6, kScoresOfAll = 0.2;
constexpr std::size_t kLeastTest = 200;
/// Centres of a search's smallest sample for each lift that a point has, but no more than are soon searched:
/// where kernels are alone on their sheets the uniform density is the best that is found.
constexpr std::size_t kLeastOnASheet = 8, kMostInASample = 400;
/// Nats a point that are no gain over the reference density.
constexpr double kNoGain = 1e-3;

}  // namespace

KernelFit choose_kernels(const DataSet& data, const FitOptions& settings, double share, Observer& observer) {
  require(data.target == nullptr, "a kernel density of a ‹target›",
          "a kernel density is made of data: give a file");
  Executor executor(settings.threads);
  ObservedTask task(observer, "Kernel densities", 1);
  const auto start = Clock::now();
  SearchTime time{share * seconds_of(settings.time_limit),
                  [&] {
                    if (observer.cancelled()) throw Cancelled{};
                    return seconds_since(start);
                  },
                  [&](double done) { task.reach(done, 1); }};
  if (data.lifts > 1)
    time.least_centres = std::clamp(kLeastOnASheet * data.lifts, time.least_centres, kMostInASample);
  return fit_kernel_density(data.manifold.on<double>(), part_of<double>(data.points, data.split.training),
                            part_of<double>(data.points, data.split.validation),
                            value_named<KernelShape>(settings.kernel), &executor,
                            data.groups_of(data.split.training), time, data.split_weights());
}

FitResult fit_kernel_model(const DataSet& data, const FitOptions& options, Observer& observer) {
  const auto start = Clock::now();
  const CancelScope scope([&] { return observer.cancelled(); });
  const KernelFit fit = choose_kernels(data, options, kSearchOfAll, observer);
  FitResult result;
  result.progress.iteration = result.progress.best_iteration = fit.evaluations;
  const double unit = data.log_unit();
  Model model = make_model(data.manifold, fit.parameters);
  const KernelDensity density(kernels_of(model), options.threads);
  // As many points as there is time for.
  const double most = kScoresOfAll * seconds_of(options.time_limit) / (2 * fit.seconds);
  const auto scored_of = [&](std::vector<std::size_t> rows) {
    const std::size_t n =
        std::min(rows.size(), std::max(kLeastTest, static_cast<std::size_t>(std::min(most, 1e9))));
    for (std::size_t i = 0; i < n; ++i) rows[i] = rows[i * rows.size() / n];
    rows.resize(n);
    return rows;
  };
  // Not the score that chose the recipe, which may be cross-validation in part.
  const std::vector<std::size_t> validated = scored_of(data.split.validation);
  result.progress.best =
      unit - density.log_prob(part_of<double>(data.points, validated)).mean(data.weights_of(validated));
  result.stopped = fit.whole ? "convergence" : "time limit";
  result.kernels = KernelSummary{fit.recipe, fit.parameters.size()};
  const std::shared_ptr<const Manifold<double>> manifold = data.manifold.on<double>();
  const auto reference = default_base<double>(manifold);
  result.reference = manifold->compact() ? "uniform density" : reference->name();
  if (!fit.whole && !validated.empty()) {
    const double base =
        unit - weighted_mean(log_densities_of(*reference, part_of<double>(data.points, validated)),
                             data.weights_of(validated));
    if (result.progress.best > base - kNoGain)
      observer.tell(
          "Warning: in this time no kernel density was found that says more of the validation points than "
          "the {} does; give more ‹time-limit›, or none.",
          result.reference);
  }
  if (!data.split.test.empty()) {
    const std::vector<std::size_t> tested = scored_of(data.split.test);
    const Points<double> test = part_of<double>(data.points, tested);
    const Weights weights = data.weights_of(tested);
    result.test_points = test.size();
    const LogProb<double> scored = density.log_prob(test);
    result.test_nll = unit - scored.mean(weights);
    result.test_error = scored.standard_error(weights);
    result.reference_nll = unit - weighted_mean(log_densities_of(*reference, test), weights);
  }
  result.parameters = numbers_in(model);
  describe(model, data, options);
  model.metadata["provenance"] = provenance(data, options, result.progress, &result).dump();
  result.model = std::move(model);
  result.seconds = seconds_since(start);
  return result;
}

std::string text_of(const KernelSummary& kernels) {
  const KernelRecipe& recipe = kernels.recipe;
  std::string text = fmt::format("{} at {} centres, bandwidth {:.4g}",
                                 recipe.shape == KernelShape::one     ? "one bandwidth"
                                 : recipe.shape == KernelShape::local ? "local bandwidths"
                                                                      : "anisotropic kernels",
                                 kernels.centres, recipe.scale);
  if (recipe.shape != KernelShape::one)
    text += fmt::format(" × (distance to neighbour {})^{:g}", recipe.neighbours, recipe.adaptivity);
  if (recipe.shape == KernelShape::anisotropic)
    text += fmt::format(", shapes of {} neighbours, {:g} round", recipe.shape_neighbours, recipe.shrinkage);
  return text + fmt::format(", wide share {:.3g}", recipe.wide);
}

}  // namespace riemflow
