#include "riemflow/distribution/watson_constants.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace riemflow {

WatsonConstants watson_constants(int d, double kappa) {
  const bool polar = kappa > 0;
  const double strength = std::abs(kappa);
  // The integrand of Q is analytic in |Im v| < π/4 at least and its peak no narrower than a normal of
  // deviation 1/√(2d). Far out it falls as e^v on the left and e^{−dv} on the right, from a peak that κ moves
  // by at most ½ log(1 + 2|κ|).
  const double step = std::min(0.1, 0.35 / std::sqrt(d));
  const double reach = 0.5 * std::log1p(2 * strength);
  const double left = -44 - (polar ? 0 : reach) - 0.5 * std::log(d);
  const double right = 44.0 / d + 9 / std::sqrt(d) + (polar ? reach : 0);
  // What is small, 1 − t² where κ > 0, t² where κ < 0, and the exponents of Q(0) and Q(κ).
  std::vector<double> spread, flat, tilted;
  for (double v = left; v < right; v += step) {
    const double log_near = -std::log1p(std::exp(-2 * v)), log_far = -std::log1p(std::exp(2 * v));
    spread.push_back(std::exp(polar ? log_far : log_near));
    flat.push_back(0.5 * log_near + 0.5 * d * log_far);
    tilted.push_back(flat.back() - strength * spread.back());
  }
  const double flat_shift = *std::max_element(flat.begin(), flat.end());
  const double shift = *std::max_element(tilted.begin(), tilted.end());
  double flat_sum = 0, sum = 0, small = 0, squares = 0;
  for (std::size_t i = 0; i < spread.size(); ++i) {
    flat_sum += std::exp(flat[i] - flat_shift);
    const double term = std::exp(tilted[i] - shift);
    sum += term;
    small += term * spread[i];
    squares += term * spread[i] * spread[i];
  }
  const double D = d + 1.0;
  const double log_sphere = std::log(2.0) + 0.5 * D * std::log(std::numbers::pi) - std::lgamma(0.5 * D);
  const double mean = small / sum;
  return {-log_sphere - (shift - flat_shift) - std::log(sum / flat_sum), mean, squares / sum - mean * mean};
}

// With the smaller one of E t² and E(1 − t²) as E: 1/E is nearly linear in |κ|
// (distribution/bingham_constants.cpp), and the saddle point has nearly the root of it.
double watson_concentration(int d, double square, double rest) {
  const double excess = (d * square - rest) / (d + 1.0);  // E t² − 1/D, without its cancellation
  if (excess == 0) return 0;
  const double sign = excess > 0 ? 1 : -1;
  const double E = sign > 0 ? rest : square;
  double strength = sign > 0 ? d / (2 * rest) - 1 / (2 * square) : 1 / (2 * square) - d / (2 * rest);
  for (int round = 0; round < 100; ++round) {
    const WatsonConstants now = watson_constants(d, sign * strength);
    const double step = (1 / E - 1 / now.spread) * now.spread * now.spread / now.variance;
    const double next = std::max(strength + step, strength / 4);
    const bool done = std::abs(next - strength) <= 1e-14 * next;
    strength = next;
    if (done) break;
  }
  return sign * strength;
}

}  // namespace riemflow
