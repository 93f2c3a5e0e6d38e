#include "riemflow/distribution/kent_constants.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/distribution/scaled_bessel.hpp"

namespace riemflow {

// The integrand is analytic in |Im s| < π/8 at least, where Re w² > 0. With dw = w(2 − w) ds it falls as
// e^{2s} on the left, of the scale of the narrowest peak, 1/κ, and as e^{−2s} on the right.
KentConstants kent_constants(double kappa, double beta) {
  // Beyond 2β = κ the exponent is largest at w₀ = 1 − κ/2β, with a deviation of 1/√(2β) in w, √2/√β or more
  // in s.
  const double excess = std::max(0.0, 2 * beta - kappa);
  const double peak = excess > 0 ? excess * excess / (4 * beta) : 0;
  const double step = excess > 0 ? std::min(0.05, 0.35 / std::sqrt(beta)) : 0.05;
  double sum = 0;
  Eigen::Vector2d means(0, 0);
  Eigen::Matrix2d squares = Eigen::Matrix2d::Zero();
  for (double s = 21; s > -21 - 0.5 * std::log1p(kappa); s -= step) {
    const double w = 2 / (1 + std::exp(-2 * s)), rest = 2 / (1 + std::exp(2 * s));  // 2 − w
    const double square = w * rest;                                                 // y₂² + y₃²
    const double fall = (kappa - 2 * beta) * w + beta * w * w + peak;
    if (fall > 750) continue;
    const ScaledBessel bessel = scaled_bessel(beta * square);
    const double term = square * std::exp(bessel.log_i0 - fall);
    // E cos 2φ = A and E cos² 2φ = (1 + I₂/I₀)/2 = 1 − A/x around the mean direction
    const double q = square * bessel.ratio;
    sum += term;
    means += term * Eigen::Vector2d(w, q);
    squares(0, 0) += term * w * w;
    squares(0, 1) += term * w * q;
    squares(1, 1) += term * square * square * (1 - bessel.ratio_x);
  }
  squares(1, 0) = squares(0, 1);
  means /= sum;
  squares /= sum;
  return {peak + std::log(2 * std::numbers::pi * step * sum), means, squares - means * means.transpose()};
}

}  // namespace riemflow
