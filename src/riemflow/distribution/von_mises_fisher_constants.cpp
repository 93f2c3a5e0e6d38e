#include "riemflow/distribution/von_mises_fisher_constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace riemflow {
namespace {

/// Σ_i exp(e_i − shift) · weight_i with shift = max e: the sum without overflow.
struct ShiftedSum {
  double shift;
  double sum;
  double weighted;

  double log() const { return shift + std::log(sum); }
};

ShiftedSum sum_exp(const std::vector<double>& exponents, const std::vector<double>& weights) {
  ShiftedSum r{*std::max_element(exponents.begin(), exponents.end()), 0, 0};
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    const double term = std::exp(exponents[i] - r.shift);
    r.sum += term;
    r.weighted += term * weights[i];
  }
  return r;
}

/// C e^κ = κ/(2π(1 − e^{−2κ})),  1 − A = 1 − coth κ + 1/κ = 1/κ − 2/(e^{2κ} − 1).
VonMisesFisherConstants on_two_sphere(double kappa) {
  // Below 0.02 the two terms of 1 − A cancel: coth κ − 1/κ = κ/3 − κ³/45 + 2κ⁵/945 − …, the rest below 1e-15.
  if (kappa < 0.02) {
    const double k2 = kappa * kappa;
    const double ratio = kappa < 1e-300 ? 0.5 : kappa / -std::expm1(-2 * kappa);
    return {.log_peak = std::log(ratio / (2 * std::numbers::pi)),
            .mean_drop = 1 - kappa * (1.0 / 3 - k2 * (1.0 / 45 - k2 * 2 / 945))};
  }
  return {.log_peak = std::log(kappa / (-2 * std::numbers::pi * std::expm1(-2 * kappa))),
          .mean_drop = 1 / kappa - 2 / std::expm1(2 * kappa)};
}

}  // namespace

VonMisesFisherConstants von_mises_fisher_constants(int d, double kappa) {
  if (d == 2) return on_two_sphere(kappa);
  // The integrand of Q is analytic in |Im s| < π/4 at least and its peak no narrower than a normal of
  // deviation 1/√(2d): a step of 0.1, or half that deviation, leaves less than e^−45. It falls as e^{−d|s|}
  // far out and as e^{−ds²/2} near, from a peak between −½ log(1 + 4κ/d) and 0: past `margin`, e^−40.
  const double step = std::min(0.1, 0.35 / std::sqrt(d));
  const double margin = 40.0 / d + 9 / std::sqrt(d);
  const double left = -margin - 0.5 * std::log1p(4 * kappa / d);

  std::vector<double> drop, flat, tilted;  // 1 + tanh s = 2/(1 + e^{−2s}); the exponents of Q(0) and Q(κ)
  for (double s = margin; s > left; s -= step) {
    const double sinh_s = std::sinh(s);
    drop.push_back(2 / (1 + std::exp(-2 * s)));
    flat.push_back(-0.5 * d * std::log1p(sinh_s * sinh_s));
    tilted.push_back(flat.back() - kappa * drop.back());
  }
  const ShiftedSum at_zero = sum_exp(flat, drop);
  const ShiftedSum at_kappa = sum_exp(tilted, drop);

  // |S^d| = 2 π^{(d+1)/2} / Γ((d+1)/2)
  const double half = 0.5 * (d + 1);
  const double log_area = std::log(2.0) + half * std::log(std::numbers::pi) - std::lgamma(half);
  return {.log_peak = (at_zero.log() - at_kappa.log()) - log_area,
          .mean_drop = at_kappa.weighted / at_kappa.sum};
}

double von_mises_fisher_concentration(int d, double drop) {
  if (drop >= 1) return 0;
  if (!(drop > 0)) return std::numeric_limits<double>::infinity();
  // The customary estimate κ ≈ r(d + 1 − r²)/(1 − r²), r = 1 − drop, is right in both limits up to a factor;
  // Newton's iteration begins there, and bisects where it would leave the bracket.
  const double r = 1 - drop;
  double kappa = r * (d + drop * (2 - drop)) / (drop * (2 - drop));
  double low = 0, high = std::numeric_limits<double>::infinity();  // 1 − A falls with κ
  for (int i = 0; i < 60; ++i) {
    const double m = von_mises_fisher_constants(d, kappa).mean_drop;
    (m > drop ? low : high) = kappa;
    // A′ = 1 − A² − dA/κ
    const double slope = m * (2 - m) - d * (1 - m) / kappa;
    double next = kappa + (m - drop) / slope;
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * kappa : 0.5 * (low + high);
    const bool settled = std::abs(next - kappa) <= 1e-13 * kappa;
    kappa = next;
    if (settled) break;
  }
  return kappa;
}

}  // namespace riemflow
