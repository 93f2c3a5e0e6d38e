#include "riemflow/distribution/scaled_bessel.hpp"

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <numbers>

namespace riemflow {

ScaledBessel scaled_bessel(double x) {
  if (x < 1e-8) return {-x, 1 - x / 2, x / 2, 0.5};
  if (x < 30) {
    const double i0 = boost::math::cyl_bessel_i(0, x), i1 = boost::math::cyl_bessel_i(1, x);
    return {std::log(i0) - x, (i0 - i1) / i0, i1 / i0, i1 / i0 / x};
  }
  // Terms of I₀, all positive, and of I₀ − I₁, whose difference is taken before anything is summed:
  // term_k(1) = −term_k(0) (2k+1)/(2k−1).
  double term = 1, i0 = 1, difference = 0;
  for (int k = 1; k < 60; ++k) {
    term *= (2.0 * k - 1) * (2 * k - 1) / (8.0 * k * x);
    i0 += term;
    difference += term * (4.0 * k / (2 * k - 1));
    if (term < 1e-18) break;
  }
  const double drop = difference / i0;
  return {std::log(i0) - 0.5 * std::log(2 * std::numbers::pi * x), drop, 1 - drop, (1 - drop) / x};
}

}  // namespace riemflow
