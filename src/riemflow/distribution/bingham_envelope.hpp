#pragma once
// Exact draws from a Bingham distribution in the frame of its axes, p(y) ∝ exp(−t), t = Σ_i a_i y_i², by
// rejection from an angular central Gaussian distribution (Kent, Ganeiban and Mardia 2018):
//   envelope (1 + 2t/b)^{−D/2},  drawn as z/|z| with z_i ~ N(0, 1/(1 + 2a_i/b)),   Σ_i 1/(b + 2a_i) = 1.
// exp(−t)(1 + 2t/b)^{D/2} is largest at t = (D − b)/2, and b = 2s₀ with the saddle point of
// bingham_constants.hpp. Accepted are at least (2e)^{d/2} Γ(D/2)/(√π D^{D/2}), the share where all gaps but
// one are large: 0.66 of the draws on S¹, 0.52 on S², 0.45 on S³, about 0.86/√D beyond.

#include <Eigen/Core>

#include "riemflow/core/random.hpp"

namespace riemflow {

class BinghamEnvelope {
 public:
  /// D ≥ 2 gaps ≥ 0, one of them 0: the caller's to check.
  explicit BinghamEnvelope(const Eigen::VectorXd& gaps);

  Eigen::VectorXd draw(Random& random) const;
  /// The share of draws that are accepted; log_mass: of bingham_constants().
  double acceptance(double log_mass) const;

 private:
  Eigen::VectorXd gaps_, deviations_;  // deviations_: of z
  double b_;
  double log_most_;  // of exp(−t)(1 + 2t/b)^{D/2}
};

}  // namespace riemflow
