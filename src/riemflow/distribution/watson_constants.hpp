#pragma once
// The constants of the Watson distribution of S^d, d ≥ 1, with concentration κ of either sign:
//   p(x) ∝ exp(κ t²),  t = ⟨μ, x⟩.
// Its normaliser is Kummer's function, |S^d| ₁F₁(½; D/2; κ), D = d + 1, whose series cancel or converge
// slowly where κ is large. The integral is easier. With t² = σ(2v) = 1/(1 + e^{−2v}),
//   Q(κ) = ∫_0^1 e^{κ t²} (1−t²)^{d/2−1} dt = ∫_{−∞}^{∞} exp(κ σ(2v)) σ(2v)^{1/2} σ(−2v)^{d/2} dv,
// and the trapezoidal rule, exponentially convergent there, gives all constants for every d and κ.

namespace riemflow {

struct WatsonConstants {
  /// The logarithm of the largest density: at ±μ where κ > 0, else where t = 0. To 1e-13 for d ≤ 1000, |κ| ≤
  /// 1e12.
  double log_peak;
  /// E(1 − t²) where κ > 0, else E t²: what concentration makes small. To 1e-12 relative.
  double spread;
  double variance;  ///< of t²
};

/// d ≥ 1 and a finite κ are the caller's to check.
WatsonConstants watson_constants(int d, double kappa);

/// The κ with E t² = square, the maximum likelihood estimate; 0 < square < 1 and rest = 1 − square (for where
/// it is small) are the caller's to check. To 1e-11 relative where |κ| > 1.
double watson_concentration(int d, double square, double rest);

}  // namespace riemflow
