#pragma once
// Kernel densities fitted to points: the recipe whose likelihood is highest at points that the density does
// not know, found by steps from neighbour to neighbour on a grid of recipes.

#include <functional>
#include <limits>
#include <optional>

#include "riemflow/kernel/kernel_data.hpp"

namespace riemflow {

struct KernelFit {
  KernelRecipe recipe;
  KernelParameters parameters;
  double score = 0;     ///< mean log-likelihood of points that the scored density did not know
  int evaluations = 0;  ///< recipes tried
  double seconds = 0;   ///< of the density at one point, about, with all centres
  bool whole = false;   ///< whether the search came to its end, with all centres
};

/// What a search may take. Where that is not enough for all centres, recipes are searched on samples of them,
/// a few hundred first and then four times as many while there is time, and carried over to all.
struct SearchTime {
  double seconds = std::numeric_limits<double>::infinity();
  /// Seconds since the search began; none: by a clock. Asked often, from all threads: may throw to give up.
  std::function<double()> elapsed = nullptr;
  /// After each recipe that was tried: how much of the search is done, up to 1.
  std::function<void(double)> progress = nullptr;
  /// Centres of the smallest sample, or up to four times as many.
  std::size_t least_centres = 100;
};

/// The best kernel density of that shape on the points, of any shape if there is none. Recipes are scored on
/// `validation` and, where that has fewer than 300 points, by cross-validation as well: five times, a fifth
/// of the centres by a density of the others. A score is a mean by the weights. Equal points are one centre,
/// so that none is scored by its duplicates; nor by points with the same number in `groups` (of the points,
/// equal ones in one group), where that is given. More than 2,048 points to score are scored by a sample of
/// them.
///
/// Leaving out one point at a time is not honest here: the bandwidths and shapes of the neighbours still know
/// it, and the smallest number of neighbours always looks best.
KernelFit fit_kernel_density(std::shared_ptr<const Manifold<double>> manifold, const Points<double>& points,
                             const Points<double>& validation = {}, std::optional<KernelShape> shape = {},
                             Executor* executor = nullptr, const std::vector<std::size_t>& groups = {},
                             const SearchTime& time = {}, const SplitWeights& weights = {});

/// The best of each shape, in the order of KernelShape, for the price of the last; recipes alone, without
/// parameters. Without the anisotropic one where that would be round, and so a local one again, and without
/// those behind the first that there was no time for.
std::vector<KernelFit> fit_kernel_densities(std::shared_ptr<const Manifold<double>> manifold,
                                            const Points<double>& points,
                                            const Points<double>& validation = {},
                                            Executor* executor = nullptr,
                                            const std::vector<std::size_t>& groups = {},
                                            const SearchTime& time = {}, const SplitWeights& weights = {});

}  // namespace riemflow
