#pragma once
// The constants of Kent's distribution of S² (distribution/kent.hpp), 0 ≤ 2β < κ, in the frame of its axes:
//   p(y) = e^{−κw + βq}/c,   w = 1 − y₁,  q = y₂² − y₃².
// Its normaliser is usually written as a series of Bessel functions, which converges slowly near 2β = κ.
// Around the mean direction the integral is a Bessel function, which leaves (Kent 1982, eq. 2.3, before the
// expansion)
//   c = 2π ∫_0^2 e^{−κw} I₀(β w(2−w)) dw = 2π ∫_0^2 exp(−(κ − 2β)w − βw²) [I₀(x) e^{−x}]_{x = βw(2−w)} dw,
// a positive integrand. With w = 1 + tanh s it is smooth on all scales, and the trapezoidal rule
// exponentially convergent. All this holds for 2β > κ too, where the density is largest on an oval about γ₁:
// a search for the largest likelihood may pass there.

#include <Eigen/Core>

namespace riemflow {

struct KentConstants {
  double log_mass;             ///< log c; to 1e-13
  Eigen::Vector2d means;       ///< E w and E q
  Eigen::Matrix2d covariance;  ///< of w and q
};

/// 0 ≤ κ, β < ∞ are the caller's to check. About 100 µs where 2β ≤ κ; beyond, longer by up to √β.
KentConstants kent_constants(double kappa, double beta);

}  // namespace riemflow
