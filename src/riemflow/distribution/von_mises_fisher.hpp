#pragma once
// The von Mises–Fisher distribution of the unit sphere S^d ⊂ R^{d+1}: mean direction μ, concentration κ,
//   log p(x) = log C_d(κ) + κ⟨μ, x⟩ = (log C_d(κ) + κ) − κ|x − μ|²/2.
// The second form is the one computed: at κ = 1e6 in float, κ(⟨μ, x⟩ − 1) would be off by κε = 0.1. With
// δ = x − μ its error is at most ε(|log p| + κ|δ| + (d+2)κ|δ|²), the middle term for μ rounded to T: 2e-4 at
// κ = 1e6 and one deviation from the mean.

#include <Eigen/Core>
#include <vector>

#include "riemflow/distribution/differentiable.hpp"

namespace riemflow {

/// A draw around the unit vector `mean`, 0 ≤ kappa < ∞, exact.
Eigen::VectorXd draw_von_mises_fisher(Random& random, const Eigen::VectorXd& mean, double kappa);

template <class T>
class VonMisesFisher final : public DifferentiableDensity<VonMisesFisher<T>, T> {
 public:
  /// `mean`: d + 1 ≥ 2 numbers of any positive length, normalised here; 0 ≤ kappa < ∞. Error otherwise.
  VonMisesFisher(const Eigen::VectorXd& mean, double kappa);

  template <class N>
  N log_density_of(const N* x) const {
    N square = N(0);
    for (int i = 0; i < ambient(); ++i) {
      const N delta = x[i] - N(mean_[i]);
      square += delta * delta;
    }
    return N(log_peak_) - N(0.5 * kappa_) * square;
  }

  /// As parse_target reads it.
  std::string name() const override;
  int ambient() const override { return static_cast<int>(mean_.size()); }
  /// Exact, computed in double and rounded to T once.
  void sample(Random& random, Pack<T>* x, int lane) const override;
  /// −E log p = −(log C + κ) + κ E(1 − ⟨μ, x⟩)
  std::optional<double> entropy() const override { return kappa_ * mean_drop_ - log_peak_; }
  /// |E x| = A_d(κ), in [0, 1).
  double mean_resultant_length() const { return 1 - mean_drop_; }

 private:
  Eigen::VectorXd mean_;  // of length 1
  double kappa_;
  double log_peak_;   // log C_d(κ) + κ
  double mean_drop_;  // E(1 − ⟨μ, x⟩)
};

extern template class DifferentiableDensity<VonMisesFisher<float>, float>;
extern template class DifferentiableDensity<VonMisesFisher<double>, double>;
extern template class VonMisesFisher<float>;
extern template class VonMisesFisher<double>;

}  // namespace riemflow
