#pragma once
// The kernel density on the unit sphere S^d: what a user has today, and the yardstick for a flow. One von
// Mises–Fisher bump of concentration κ on each data point, and a share ε of the uniform density so that no
// point is impossible:
//
//   p(x) = (1 − ε)/n Σ_i C(κ) exp(κ⟨x, x_i⟩) + ε/vol

#include <vector>

#include "riemflow/core/points.hpp"

namespace riemflow {

class KernelDensity {
 public:
  /// data: unit vectors, at least one; kappa > 0; 0 < uniform_share < 1. Error otherwise.
  KernelDensity(Points<double> data, double kappa, double uniform_share = 0.01);

  /// With the κ that scores best on `validation`: a grid of four a decade from 1 to 10⁷, then golden section.
  static KernelDensity with_best_bandwidth(Points<double> data, const Points<double>& validation,
                                           double uniform_share = 0.01);

  /// log p(x) a point, in nats.
  std::vector<double> log_prob(const Points<double>& points) const;
  double kappa() const { return kappa_; }

 private:
  Points<double> data_;
  double kappa_, uniform_share_;
};

}  // namespace riemflow
