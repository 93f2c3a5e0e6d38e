#include "riemflow/fit/baselines.hpp"

#include <algorithm>
#include <optional>

#include "riemflow/core/running_mean.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/covered_density.hpp"

namespace riemflow {
namespace {

constexpr double kShareOfOne = 0.1;  // of the time for all shapes, about

RunningMean mean_difference(const PointScores& a, const PointScores& b) {
  RunningMean mean;
  for (std::size_t i = 0; i < a.log_densities.size(); ++i)
    mean.add(b.log_densities[i] - a.log_densities[i], weight_of(a.weights, i));
  return mean;
}

/// Each `times` times.
Weights repeated(const Weights& weights, std::size_t times) {
  Weights all;
  for (const double weight : weights) all.insert(all.end(), times, weight);
  return all;
}

}  // namespace

double PointScores::nll() const { return mean_score(log_densities, weights).nll; }
double PointScores::standard_error() const { return mean_score(log_densities, weights).error; }
double PointScores::worse_than(const PointScores& other) const {
  return mean_difference(*this, other).mean();
}
double PointScores::worse_than_error(const PointScores& other) const {
  return mean_difference(*this, other).standard_error();
}

PointScores base_scores(const Space& space, const Points<double>& test) {
  const std::shared_ptr<const Manifold<double>> manifold = space.on<double>();
  const std::shared_ptr<const Covering> covering = manifold->covering();
  const auto base = default_base<double>(covering ? covering->cover() : manifold);
  const std::string name = manifold->compact() ? "uniform density" : "base density (" + base->name() + ")";
  if (covering == nullptr) return {name, log_densities_of(*base, test)};
  const Points<double> lifts = lifts_of(*covering, test);
  return {name, log_densities_below(*covering, lifts, log_densities_of(*base, lifts))};
}

std::vector<PointScores> kernel_density_scores(const Space& space, const Points<double>& training,
                                               const Points<double>& validation, const Points<double>& test,
                                               TaskObserver& observer, int threads,
                                               const SplitWeights& weights) {
  const std::shared_ptr<const Manifold<double>> manifold = space.on<double>();
  if (const auto covering = manifold->covering()) {
    const Points<double> lifts = lifts_of(*covering, test);
    const std::size_t sheets = covering->sheets();
    std::vector<PointScores> all = kernel_density_scores(
        space.computed_on(), lifts_of(*covering, training), lifts_of(*covering, validation), lifts, observer,
        threads, {repeated(weights.training, sheets), repeated(weights.validation, sheets)});
    for (PointScores& scores : all)
      scores.log_densities = log_densities_below(*covering, lifts, scores.log_densities);
    return all;
  }
  Points<double> known = training;
  known.values.insert(known.values.end(), validation.values.begin(), validation.values.end());
  Weights of_known = weights.training;
  of_known.insert(of_known.end(), weights.validation.begin(), weights.validation.end());
  Executor executor(threads);
  ObservedTask progress(observer, "Kernel densities", 1);
  const auto scores_of = [&](std::optional<KernelShape> shape, double from, double to) {
    SearchTime time;
    time.progress = [&](double share) { progress.reach(from + share * (to - from), 1); };
    const KernelFit fit =
        fit_kernel_density(manifold, training, validation, shape, &executor, {}, time, weights);
    const std::string kind(name_of(fit.recipe.shape));
    KernelData centres(manifold, known, std::max({1, fit.recipe.neighbours, fit.recipe.shape_neighbours}),
                       &executor, {}, of_known);
    return PointScores{"kernel density (" + (kind == "one" ? "one bandwidth" : kind + " kernels") + ")",
                       KernelMixture(manifold, centres.parameters(fit.recipe)).log_prob(test, &executor)};
  };
  std::vector<PointScores> all = {scores_of(KernelShape::one, 0, kShareOfOne)};
  PointScores best = scores_of(std::nullopt, kShareOfOne, 1);
  if (best.name != all.front().name) all.push_back(std::move(best));
  return all;
}

}  // namespace riemflow
