#pragma once
// The weights of a pool: those that maximise the likelihood of points none of its members has seen,
//   L(w) = mean_i log Σ_m w_m p_m(x_i)  over  w ≥ 0, Σ w = 1.
// L is concave, so that EM, w_m ← w_m·g_m with g_m = mean_i p_m(x_i)/p(x_i), goes up to its one maximum; and
// max_m g_m − 1 ≥ L(best) − L(w): how far it is still to go is known at every step.

#include <vector>

namespace riemflow {

struct PoolWeights {
  std::vector<double> weights;  ///< a member; exactly 0 for those that do not help
  double nll = 0;               ///< −L, in nats
  double gap = 0;               ///< L is within so many nats of its maximum
  long iterations = 0;
};

/// log_densities[m][i] = log p_m(x_i), the same number of points for each member, at least one of both; −∞
/// where a member has no density. A point that failed in a member (NaN) or that has density in none tells
/// nothing about weights and is left out; Error(Fault::numerical) if that leaves no point.
/// tolerance: of the gap, in nats; a weight that no more than that is lost without is 0.
PoolWeights fit_pool_weights(const std::vector<std::vector<double>>& log_densities, double tolerance = 1e-6,
                             long most_iterations = 100'000);

/// log Σ_m w_m p_m(x_i) of each point; NaN where a member with weight has NaN.
std::vector<double> pooled_log_densities(const std::vector<std::vector<double>>& log_densities,
                                         const std::vector<double>& weights);

}  // namespace riemflow
