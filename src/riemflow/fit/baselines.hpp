#pragma once
// What a model's score on points it has not seen is to be compared with.

#include <string>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/task_observer.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/manifold/space.hpp"

namespace riemflow {

/// Log-densities of the same points, in their order.
struct PointScores {
  std::string name;
  std::vector<double> log_densities;
  Weights weights = {};  ///< of the points; empty: they count alike

  double nll() const;             ///< mean, in nats
  double standard_error() const;  ///< of it
  /// Mean NLL of this less that of the other, and the standard error of the difference, point by point.
  double worse_than(const PointScores& other) const;
  double worse_than_error(const PointScores& other) const;
};

/// The distribution that a flow starts from: the uniform density where there is one.
PointScores base_scores(const Space& manifold, const Points<double>& test);

/// Of the kernel density of one bandwidth that scores best on `validation` and, behind it, of the best of any
/// shape where that is another. Once chosen they have those points as centres too, as a pool has.
/// threads: 0 for one on each core; the scores do not depend on them. weights: of what is learned from.
std::vector<PointScores> kernel_density_scores(const Space& manifold, const Points<double>& training,
                                               const Points<double>& validation, const Points<double>& test,
                                               TaskObserver& observer, int threads = 0,
                                               const SplitWeights& weights = {});

}  // namespace riemflow
