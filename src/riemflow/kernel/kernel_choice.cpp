#include "riemflow/kernel/kernel_choice.hpp"

#include <algorithm>

#include "riemflow/kernel/kernel_ladder.hpp"

namespace riemflow {
namespace {

KernelFit fit_of(const KernelSearch::Leader& leader, int evaluations) {
  return {leader.recipe, {}, leader.scores.back(), evaluations, leader.seconds, leader.last};
}

/// By the scores on the last rung that both have been on.
bool better(const KernelSearch::Leader& a, const KernelSearch::Leader& b) {
  const std::size_t rungs = std::min(a.scores.size(), b.scores.size());
  return a.scores[rungs - 1] > b.scores[rungs - 1];
}

}  // namespace

KernelFit fit_kernel_density(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                             const Points<double>& validation, std::optional<KernelShape> shape,
                             ThreadPool* pool, const std::vector<std::size_t>& groups,
                             const SearchTime& time) {
  KernelLadder ladder(manifold, points, validation, groups, pool, time);
  std::vector<KernelShape> shapes;
  if (!shape || shape == KernelShape::one) shapes.push_back(KernelShape::one);
  if (shape != KernelShape::one) shapes.push_back(KernelShape::local);
  if (!shape || shape == KernelShape::anisotropic) shapes.push_back(KernelShape::anisotropic);
  const std::vector<KernelSearch::Leader> leaders = ladder(shapes);
  const KernelSearch::Leader* best = shape ? &leaders.back() : &leaders.front();
  int evaluations = 0;
  for (const KernelSearch::Leader& leader : leaders) {
    evaluations += leader.evaluations;
    if (!shape && better(leader, *best)) best = &leader;
  }
  KernelFit fit = fit_of(*best, evaluations);
  fit.parameters = ladder.parameters(fit.recipe);
  return fit;
}

std::vector<KernelFit> fit_kernel_densities(std::shared_ptr<const Manifold<double>> manifold,
                                            const Points<double>& points, const Points<double>& validation,
                                            ThreadPool* pool, const std::vector<std::size_t>& groups,
                                            const SearchTime& time) {
  KernelLadder ladder(manifold, points, validation, groups, pool, time);
  std::vector<KernelFit> fits;
  for (const KernelSearch::Leader& leader :
       ladder({KernelShape::one, KernelShape::local, KernelShape::anisotropic})) {
    const bool round = leader.shape == KernelShape::anisotropic &&
                       leader.recipe.shrinkage == RecipePlace::kShrinkages.back();
    if (!round) fits.push_back(fit_of(leader, leader.evaluations));
  }
  return fits;
}

}  // namespace riemflow
