#pragma once
// The constants of the Bingham distribution of S^d ⊂ R^D, D = d + 1, in the frame of its axes:
//   p(y) = exp(−Σ_i a_i y_i²)/c(a),   c(a) = ∫_{S^d} exp(−Σ_i a_i y_i²) dσ(y),
// with gaps a_i ≥ 0, the least of which is 0.
//
// ∫_{R^D} exp(−Σ (a_i + s) y_i²) dy is Π √(π/(a_i + s)), and in polar coordinates a Laplace transform of c;
// inverted (Kume and Wood 2005),
//   c(a) = 2π^{D/2} · 1/(2πi) ∫ e^s Π_i (a_i + s)^{−1/2} ds
// along a curve that comes from and goes to Re s = −∞ around the branch cut (−∞, 0]. Such is the parabola
// s = s₀(1 + iu)² through the saddle point s₀, where 1 = ½ Σ 1/(a_i + s₀), which for all gaps lies in
// [½, D/2]. The integrand is analytic in |Im u| < 1, its peak in u no narrower than e^{−Du²}, and it falls as
// e^{−s₀u²}: the trapezoidal rule is exact to rounding with about a hundred nodes. Expectations of powers of
// y_i² are integrals with a factor 1/(a_i + s) for each.

#include <Eigen/Core>

namespace riemflow {

/// Beyond this d the parabola passes through values larger than the one at the saddle point.
inline constexpr int kMostBinghamDimension = 64;

struct BinghamConstants {
  double log_mass;           ///< log c(a); to 1e-13 absolute and relative
  Eigen::VectorXd squares;   ///< E y_i², each to 1e-12 relative
  Eigen::MatrixXd products;  ///< E y_i² y_j²
};

/// D ≥ 2 finite gaps ≥ 0, one of them 0, are the caller's to check.
BinghamConstants bingham_constants(const Eigen::VectorXd& gaps);

/// The saddle point s₀.
double bingham_saddle(const Eigen::VectorXd& gaps);

/// The gaps with E y_i² = squares[i], the maximum likelihood estimate: to 1e-12 relative in E y_i². D ≥ 2
/// positive numbers of sum 1 are the caller's to check.
Eigen::VectorXd bingham_gaps(const Eigen::VectorXd& squares);

}  // namespace riemflow
