#include "riemflow/distribution/von_mises_fisher_concentration.hpp"

#include <cmath>
#include <limits>

#include "riemflow/distribution/von_mises_fisher_constants.hpp"

namespace riemflow {

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
