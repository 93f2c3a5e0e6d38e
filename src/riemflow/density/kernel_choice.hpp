#pragma once
// Kernel densities fitted to points: the recipe whose likelihood is highest at points that the density does
// not know, found by steps from neighbour to neighbour on a grid of recipes.

#include <functional>
#include <optional>

#include "riemflow/density/kernel_data.hpp"

namespace riemflow {

struct KernelFit {
  KernelRecipe recipe;
  KernelParameters parameters;
  double score = 0;     ///< mean log-likelihood of points that the scored density did not know
  int evaluations = 0;  ///< recipes tried
};

/// The best kernel density of that shape on the points, of any shape if there is none. Recipes are scored on
/// `validation` and, where that has fewer than 300 points, by cross-validation as well: five times, a fifth
/// of the centres by a density of the others. Equal points are one centre, so that none is scored by its
/// duplicates; nor by points with the same number in `groups` (of the points, equal ones in one group), where
/// that is given. More than 2,048 points to score are scored by a sample of them.
///
/// Leaving out one point at a time is not honest here: the bandwidths and shapes of the neighbours still know
/// it, and the smallest number of neighbours always looks best.
KernelFit fit_kernel_density(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                             const Points<double>& validation = {}, std::optional<KernelShape> shape = {},
                             ThreadPool* pool = nullptr, const std::vector<std::size_t>& groups = {});

/// The best of each shape, in the order of KernelShape, for the price of the last. Without the anisotropic
/// one where that would be round, and so a local one again, and without those behind the first that are not
/// begun when enough() says so.
std::vector<KernelFit> fit_kernel_densities(std::shared_ptr<const Manifold<double>> manifold,
                                            const Points<double>& points,
                                            const Points<double>& validation = {}, ThreadPool* pool = nullptr,
                                            const std::function<bool()>& enough = {},
                                            const std::vector<std::size_t>& groups = {});

}  // namespace riemflow
