#pragma once
// The bivariate von Mises distribution of T², sine model (Singh, Hnizdo and Demchuk 2002): means μ, ν,
// concentrations κ₁, κ₂ ≥ 0, dependence λ,
//   log p(φ, ψ) = κ₁ cos(φ−μ) + κ₂ cos(ψ−ν) + λ sin(φ−μ) sin(ψ−ν) − log c,
// computed with 1 − cos x = 2 sin²(x/2), so that nothing is lost where the density is concentrated. Where λ²
// > κ₁κ₂ it has two modes; otherwise it is, concentrated, a normal density of precision matrix ((κ₁, −λ),
// (−λ, κ₂)).
//
// In double; in_precision<float>() of distribution/rounded.hpp makes it one of float points.

#include <Eigen/Core>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/bivariate_von_mises_constants.hpp"
#include "riemflow/distribution/differentiable.hpp"

namespace riemflow {

class BivariateVonMises final : public DifferentiableDensity<BivariateVonMises, double> {
 public:
  /// `mean`: angles in radians; 0 ≤ κ₁, κ₂ ≤ 1e8, |λ| ≤ 1e8. Error otherwise.
  BivariateVonMises(const Eigen::Vector2d& mean, double kappa1, double kappa2, double lambda);

  template <class N>
  N log_density_of(const N* x) const {
    using std::sin;
    const N phi = x[0] - N(mean_[0]), psi = x[1] - N(mean_[1]);
    const N a = sin(N(0.5) * phi), b = sin(N(0.5) * psi);
    return N(-constants_.log_mass) - N(2 * kappa1_) * a * a - N(2 * kappa2_) * b * b +
           N(lambda_) * sin(phi) * sin(psi);
  }

  /// As parse_target reads it, the means in degrees.
  std::string name() const override;
  int ambient() const override { return 2; }
  /// Exact: φ by rejection from steps over its marginal density, nine draws of ten or more accepted; then ψ,
  /// which given φ is von Mises.
  void sample(Random& random, Pack<double>* x, int lane) const override;
  /// log c + κ₁ E(1 − cos) + κ₂ E(1 − cos) − λ E sin sin
  std::optional<double> entropy() const override {
    return constants_.log_mass + Eigen::Vector3d(kappa1_, kappa2_, -lambda_).dot(constants_.means);
  }

  const Eigen::Vector2d& mean() const { return mean_; }
  double kappa1() const { return kappa1_; }
  double kappa2() const { return kappa2_; }
  double lambda() const { return lambda_; }
  /// E(1 − cos(φ−μ)), E(1 − cos(ψ−ν)), E sin(φ−μ) sin(ψ−ν)
  const Eigen::Vector3d& moments() const { return constants_.means; }

 private:
  /// A step of the envelope over 0 ≤ |φ − μ| ≤ π.
  struct Step {
    double low, high, log_height, cumulative;
  };
  void make_steps();

  Eigen::Vector2d mean_;
  double kappa1_, kappa2_, lambda_;
  BivariateVonMisesConstants constants_;
  std::vector<Step> steps_;
};

/// The maximum likelihood estimate from angles in radians, the best of several starts of Newton's method in
/// the five parameters. Error where the points agree in one angle, so nearly that a concentration is beyond
/// 1e8: the likelihood then has no bound.
BivariateVonMises fit_bivariate_von_mises(const Points<double>& points, const Weights& weights = {});

extern template class DifferentiableDensity<BivariateVonMises, double>;

}  // namespace riemflow
