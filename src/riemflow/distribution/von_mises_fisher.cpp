#include "riemflow/distribution/von_mises_fisher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher_constants.hpp"

namespace riemflow {
namespace {

/// χ² with n degrees of freedom.
double chi_square(Random& random, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double z = random.normal();
    sum += z * z;
  }
  return sum;
}

Eigen::VectorXd unit(const Eigen::VectorXd& mean) {
  require(mean.size() >= 2, fmt::format("von Mises-Fisher mean of {} numbers", mean.size()),
          "pass d + 1 numbers on S^d, d = 1 or more");
  require(mean.allFinite() && mean.stableNorm() > 0, "von Mises-Fisher mean has no direction",
          "pass a vector of finite length > 0");
  return mean.stableNormalized();
}

/// t = 1 − ⟨μ, x⟩ ∈ [0, 2], with no cancellation however small.
double draw_drop(Random& random, int d, double kappa) {
  if (d == 2) {
    // Inverse distribution function, t = −log(1 − u(1 − e^{−2κ}))/κ; 2u in the limit κ → 0.
    const double u = random.uniform();
    const double t = kappa < 1e-300 ? 2 * u : -std::log1p(u * std::expm1(-2 * kappa)) / kappa;
    return std::min(t, 2.0);
  }
  // Wood's rejection: envelope ∝ (1 − x₀w)^{−d}(1 − w²)^{d/2−1}, drawn as w = (1 − (1+b)z)/(1 − (1−b)z) with
  // z ~ Beta(d/2, d/2), accepted with probability exp(κ(w − x₀)) ((1 − x₀w)/(1 − x₀²))^d, where
  // x₀ = (1−b)/(1+b). Below in t = 1 − w and t₀ = 1 − x₀ = 2b/(1+b), which are small where κ is large, and
  // z = g₁/(g₁ + g₂) of two χ²_d.
  const double b = d / (2 * kappa + std::hypot(2 * kappa, d));
  const double t0 = 2 * b / (1 + b);
  for (;;) {
    const double g1 = chi_square(random, d);
    const double g2 = chi_square(random, d);
    const double t = 2 * b * g1 / (g2 + b * g1);
    const double log_accept = kappa * (t0 - t) + d * std::log((t0 + (1 - t0) * t) / (t0 * (2 - t0)));
    if (std::log(random.uniform()) <= log_accept) return t;
  }
}

}  // namespace

Eigen::VectorXd draw_von_mises_fisher(Random& random, const Eigen::VectorXd& mean, double kappa) {
  const double t = draw_drop(random, static_cast<int>(mean.size()) - 1, kappa);
  // A uniform tangent direction at μ: a normal vector less its part along μ, twice for full orthogonality.
  Eigen::VectorXd tangent(mean.size());
  do {
    for (double& z : tangent) z = random.normal();
    tangent -= tangent.dot(mean) * mean;
    tangent -= tangent.dot(mean) * mean;
  } while (!(tangent.squaredNorm() > 0));
  tangent.normalize();
  // x = (1 − t)μ + √(1 − (1−t)²) e
  return (mean - t * mean) + std::sqrt(t * (2 - t)) * tangent;
}

template <class T>
VonMisesFisher<T>::VonMisesFisher(const Eigen::VectorXd& mean, double kappa)
    : mean_(unit(mean)), kappa_(kappa) {
  require(kappa >= 0 && std::isfinite(kappa), fmt::format("von Mises-Fisher concentration {}", kappa),
          "use 0 <= kappa < infinity");
  const VonMisesFisherConstants constants = von_mises_fisher_constants(ambient() - 1, kappa);
  log_peak_ = constants.log_peak;
  mean_drop_ = constants.mean_drop;
}

template <class T>
std::string VonMisesFisher<T>::name() const {
  return fmt::format("vmf:mu={},kappa={}", fmt::join(mean_, ";"), kappa_);
}

template <class T>
void VonMisesFisher<T>::sample(Random& random, Pack<T>* x, int lane) const {
  const Eigen::VectorXd y = draw_von_mises_fisher(random, mean_, kappa_);
  for (int i = 0; i < ambient(); ++i) x[i][lane] = static_cast<T>(y[i]);
}

template class DifferentiableDensity<VonMisesFisher<float>, float>;
template class DifferentiableDensity<VonMisesFisher<double>, double>;
template class VonMisesFisher<float>;
template class VonMisesFisher<double>;

}  // namespace riemflow
