#pragma once
// The constants of the bivariate von Mises distribution (distribution/bivariate_von_mises.hpp), κ₁, κ₂ ≥ 0:
//   p(φ, ψ) = exp(−κ₁w₁ − κ₂w₂ + λ sin φ sin ψ)/c,   w₁ = 1 − cos φ,  w₂ = 1 − cos ψ.
// Its normaliser is usually written as a series of products of Bessel functions, which is slow where λ² is
// near κ₁κ₂ or beyond. Given φ, ψ is von Mises about θ = arctan(λ sin φ, κ₂) with concentration a = √(κ₂² +
// λ² sin²φ), which leaves
//   c = 2π ∫ exp(−κ₁w₁ + a − κ₂) [I₀(a) e^{−a}] dφ,
// a periodic integral of a positive function. As a mixture, over ψ, of von Mises densities of concentration
// at most K = √(κ₁² + λ²), the trapezoidal rule with N nodes integrates it to 2I_N(K)/I₀(K), about 2
// exp(−N²/2K).

#include <Eigen/Core>

namespace riemflow {

struct BivariateVonMisesConstants {
  double log_mass;             ///< log c; to 1e-14·(1 + K)
  Eigen::Vector3d means;       ///< of w₁, w₂, sin φ sin ψ
  Eigen::Matrix3d covariance;  ///< of the same
};

/// 0 ≤ κ₁, κ₂ < ∞ and a finite λ are the caller's to check. About 20 + √K µs.
BivariateVonMisesConstants bivariate_von_mises_constants(double kappa1, double kappa2, double lambda);

/// The marginal density of φ, as a function of w₁ = 1 − cos φ, up to a constant: log(I₀(a) e^{−κ₂}) − κ₁w₁,
/// and its derivative. It is concave in w₁: log I₀(√y) is concave and rising (a sum of log(1 + y/j²), j the
/// zeros of J₀), and y = a² = κ₂² + λ² w₁(2 − w₁) concave.
struct MarginalOfAngle {
  double log_density, slope;
};
MarginalOfAngle marginal_of_angle(double kappa1, double kappa2, double lambda, double w);

}  // namespace riemflow
