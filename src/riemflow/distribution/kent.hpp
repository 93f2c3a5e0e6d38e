#pragma once
// Kent's distribution of S² (Kent 1982; FB₅): mean direction γ₁, major and minor axis γ₂, γ₃, concentration
// κ, ovalness β, 0 ≤ 2β < κ,
//   log p(x) = κ⟨γ₁, x⟩ + β(⟨γ₂, x⟩² − ⟨γ₃, x⟩²) − log c(κ, β)
//            = log peak − (κ/2 − β)⟨γ₂, δ⟩² − (κ/2 + β)⟨γ₃, δ⟩² − (κ/2)⟨γ₁, δ⟩²,   δ = x − γ₁.
// The second form is the one computed: nothing in it cancels, however concentrated or flat the density is.
// Where κ is large it is a normal density with variances 1/(κ − 2β) and 1/(κ + 2β). β = 0 is von
// Mises–Fisher.
//
// In double; in_precision<float>() of distribution/rounded.hpp makes it one of float points.

#include <Eigen/Core>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/bingham_envelope.hpp"
#include "riemflow/distribution/differentiable.hpp"
#include "riemflow/distribution/kent_constants.hpp"

namespace riemflow {

class Kent final : public DifferentiableDensity<Kent, double> {
 public:
  /// `mean`: of any positive length; `major`: any vector that is not a multiple of it, made orthogonal to it.
  /// 0 ≤ 2β < κ, or both 0. Error otherwise.
  Kent(const Eigen::Vector3d& mean, const Eigen::Vector3d& major, double kappa, double beta);

  template <class N>
  N log_density_of(const N* x) const {
    N log_density = N(-constants_.log_mass);
    for (int a = 0; a < 3; ++a) {
      N along = N(0);
      for (int i = 0; i < 3; ++i) along += N(frame_(i, a)) * (x[i] - N(frame_(i, 0)));
      log_density -= N(pull_[a]) * along * along;
    }
    return log_density;
  }

  /// As parse_target reads it.
  std::string name() const override;
  int ambient() const override { return 3; }
  /// Exact: an axis of the Bingham distribution with the same quadratic form, one of its ends. Of the draws
  /// of its envelope half are accepted where κ − 2β is large; near 2β = κ the share falls as κ^{−1/4}, to
  /// 0.3 at κ = 50 and 0.09 at κ = 1e7.
  void sample(Random& random, Pack<double>* x, int lane) const override;
  /// log c + κ E(1 − ⟨γ₁, x⟩) − β E(⟨γ₂, x⟩² − ⟨γ₃, x⟩²)
  std::optional<double> entropy() const override {
    return constants_.log_mass + kappa_ * constants_.means[0] - beta_ * constants_.means[1];
  }

  /// Columns γ₁, γ₂, γ₃, a rotation.
  const Eigen::Matrix3d& frame() const { return frame_; }
  double kappa() const { return kappa_; }
  double beta() const { return beta_; }
  /// E(1 − ⟨γ₁, x⟩) and E(⟨γ₂, x⟩² − ⟨γ₃, x⟩²)
  const Eigen::Vector2d& moments() const { return constants_.means; }

 private:
  Eigen::Matrix3d frame_;
  double kappa_, beta_;
  Eigen::Vector3d pull_;  // κ/2, κ/2 − β, κ/2 + β
  KentConstants constants_;
  BinghamEnvelope envelope_;
  double log_most_;  // of exp(−κ(1−t)²/2) + exp(−κ(1+t)²/2)
};

/// The maximum likelihood estimate, by Newton's method in the five parameters from Kent's moments. Points of
/// any length, which are normalised. Error where all points are on one great circle through their mean, or
/// are fewer than three: the likelihood then has no bound; and where it is largest at 2β = κ, the border of
/// the family, or beyond, as of points about a great circle or two opposite ones, which a Bingham
/// distribution fits.
Kent fit_kent(const Points<double>& points, const Weights& weights = {});

extern template class DifferentiableDensity<Kent, double>;

}  // namespace riemflow
