#pragma once
// The angular central Gaussian distribution of the unit sphere S^d ⊂ R^D, D = d + 1 (Tyler 1987): the
// direction of a normal vector of mean 0 and covariance Λ,
//   log p(x) = −log|S^d| − ½ log det Λ − (D/2) log xᵀΛ⁻¹x.
// Λ and a multiple of it are the same density. x and −x have the same density: on axis:d, where they are one
// point, that is 2p (manifold/covering.hpp). Off the sphere the density is constant along rays, up to
// |x|^{−D}.
//
// In double; in_precision<float>() of distribution/rounded.hpp makes it one of float points.

#include <Eigen/Core>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/differentiable.hpp"

namespace riemflow {

class AngularCentralGaussian final : public DifferentiableDensity<AngularCentralGaussian, double> {
 public:
  /// `covariance`: Λ, symmetric positive definite, D × D, D ≥ 2. Error otherwise.
  explicit AngularCentralGaussian(const Eigen::MatrixXd& covariance);

  template <class N>
  N log_density_of(const N* x) const {
    using std::log;
    const Eigen::Index D = whiten_.rows();
    N square = N(0);
    for (Eigen::Index i = 0; i < D; ++i) {
      N along = x[0] * N(whiten_(i, 0));
      for (Eigen::Index j = 1; j <= i; ++j) along += x[j] * N(whiten_(i, j));
      square += along * along;
    }
    return N(log_peak_) - N(0.5 * static_cast<double>(D)) * log(square);
  }

  /// As parse_target reads it.
  std::string name() const override;
  int ambient() const override { return static_cast<int>(covariance_.rows()); }
  void sample(Random& random, Pack<double>* x, int lane) const override;
  /// By one integral, to 1e-13, for any D and Λ.
  std::optional<double> entropy() const override;

  /// As given.
  const Eigen::MatrixXd& covariance() const { return covariance_; }

 private:
  Eigen::MatrixXd covariance_;
  Eigen::MatrixXd factor_;  // lower triangular L, LLᵀ = Λ
  Eigen::MatrixXd whiten_;  // L⁻¹
  double log_peak_;         // −log|S^d| − log det L
};

/// The maximum likelihood estimate by Tyler's fixed point, with trace D; of axes or points of any length,
/// which are normalised. It exists, and is one, if fewer than k/D of the points, by weight, lie in any
/// subspace of dimension k; Error otherwise, as where all points are equal or there are no more than D.
AngularCentralGaussian fit_angular_central_gaussian(const Points<double>& points,
                                                    const Weights& weights = {});

extern template class DifferentiableDensity<AngularCentralGaussian, double>;

}  // namespace riemflow
