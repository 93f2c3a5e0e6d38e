#pragma once
// The two constants of the von Mises–Fisher distribution of S^d, d ≥ 1, for a concentration κ ≥ 0.
//
// Its normaliser and mean are usually written with the Bessel functions I_{(d−1)/2} and I_{(d+1)/2}, which
// takes a power series, an asymptotic one and a switch between them that moves with d. The integral they
// come from is easier. With w = ⟨μ, x⟩ = −tanh s,
//   Q(κ) = ∫_{−1}^{1} e^{−κ(1−w)} (1−w²)^{d/2−1} dw = ∫_{−∞}^{∞} exp(−κ(1 + tanh s) − d log cosh s) ds,
// and the trapezoidal rule, exponentially convergent there, gives both constants for every d and κ. S², where
// fits ask for hundreds of them a step, has its closed form.

namespace riemflow {

struct VonMisesFisherConstants {
  /// log p(μ) = log C_d(κ) + κ = −log|S^d| − log(Q(κ)/Q(0)); exactly −log|S^d| at κ = 0.
  /// Accurate to 1e-13 relative for d ≤ 1000, κ ≤ 1e12.
  double log_peak;
  /// E(1 − ⟨μ, x⟩) = −Q′(κ)/Q(κ) = 1 − A_d(κ), A_d the mean resultant length; to 1e-12 relative. It is
  /// d log_peak/dκ.
  double mean_drop;
};

/// d ≥ 1 and 0 ≤ κ < ∞ are the caller's to check. About 50 µs; on S² 50 ns.
VonMisesFisherConstants von_mises_fisher_constants(int d, double kappa);

/// The κ with 1 − A_d(κ) = drop, i.e. E(1 − ⟨μ, x⟩) = drop, the maximum likelihood estimate of the
/// concentration: to 1e-11/(1 − drop) relative. 0 where drop ≥ 1
/// (no preference for μ), infinite where drop ≤ 0. d ≥ 1 is the caller's to check. About five evaluations of
/// von_mises_fisher_constants.
double von_mises_fisher_concentration(int d, double drop);

}  // namespace riemflow
