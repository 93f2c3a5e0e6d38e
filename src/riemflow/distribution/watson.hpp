#pragma once
// The Watson distribution of the unit sphere S^d ⊂ R^D, D = d + 1 (Watson 1965): axis μ, concentration κ,
//   log p(x) = κ⟨μ, x⟩² − log c(κ).
// κ > 0 gathers points about both ends of the axis, κ < 0 about the great sphere orthogonal to it; 0 is
// uniform. As deviations from where the density is largest, as in distribution/von_mises_fisher.hpp, it is
// computed as
//   log peak − κ|x − ⟨μ, x⟩μ|²  or  log peak − |κ|⟨μ, x⟩².
// x and −x have the same density: on axis:d, where they are one point, that is 2p (manifold/covering.hpp). It
// is the Bingham distribution of κμμᵀ, for any d.
//
// In double; in_precision<float>() of distribution/rounded.hpp makes it one of float points.

#include <Eigen/Core>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/bingham_envelope.hpp"
#include "riemflow/distribution/differentiable.hpp"
#include "riemflow/distribution/watson_constants.hpp"

namespace riemflow {

class Watson final : public DifferentiableDensity<Watson, double> {
 public:
  /// `axis`: d + 1 ≥ 2 numbers of any positive length, normalised here; κ finite. Error otherwise.
  Watson(const Eigen::VectorXd& axis, double kappa);

  template <class N>
  N log_density_of(const N* x) const {
    N along = x[0] * N(axis_[0]);
    for (int i = 1; i < ambient(); ++i) along += x[i] * N(axis_[i]);
    N square = along * along;
    if (kappa_ > 0) {
      square = N(0);
      for (int i = 0; i < ambient(); ++i) {
        const N off = x[i] - along * N(axis_[i]);
        square += off * off;
      }
    }
    return N(constants_.log_peak) - N(std::abs(kappa_)) * square;
  }

  /// As parse_target reads it.
  std::string name() const override;
  int ambient() const override { return static_cast<int>(axis_.size()); }
  /// Exact, by distribution/bingham_envelope.hpp.
  void sample(Random& random, Pack<double>* x, int lane) const override;
  /// −log peak + |κ| E(1 − t²), or E t² where κ < 0
  std::optional<double> entropy() const override {
    return std::abs(kappa_) * constants_.spread - constants_.log_peak;
  }

  const Eigen::VectorXd& axis() const { return axis_; }
  double kappa() const { return kappa_; }
  /// E⟨μ, x⟩²
  double mean_square() const { return kappa_ > 0 ? 1 - constants_.spread : constants_.spread; }

 private:
  Eigen::VectorXd axis_;  // of length 1
  double kappa_;
  WatsonConstants constants_;
  BinghamEnvelope envelope_;  // in a frame with the axis first
};

/// The maximum likelihood estimate, of both signs of κ the one with the larger likelihood; of axes or points
/// of any length, which are normalised. Error where all points are one axis, or all lie on a great sphere, to
/// a mean square of 1e-14: the likelihood then has no bound. D independent points are the fewest.
Watson fit_watson(const Points<double>& points, const Weights& weights = {});

extern template class DifferentiableDensity<Watson, double>;

}  // namespace riemflow
