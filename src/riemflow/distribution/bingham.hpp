#pragma once
// The Bingham distribution of the unit sphere S^d ⊂ R^D, D = d + 1 (Bingham 1974): for a symmetric matrix A,
//   log p(x) = xᵀA x − log ∫ exp(xᵀA x) = −Σ_i a_i ⟨v_i, x⟩² − log c(a),
// with eigenvectors v_i of A and the gaps a_i of its eigenvalues below the largest. The second form is the
// one computed: its error is that of a normal density, where xᵀA x would lose the digits of the largest
// eigenvalue. A and A + εI are the same density. x and −x have the same density: on axis:d, where they are
// one point, that is 2p, as the covering of axis:d has it (manifold/covering.hpp: the sum over both lifts).
//
// In double; in_precision<float>() of distribution/rounded.hpp makes it one of float points.

#include <Eigen/Core>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/distribution/bingham_constants.hpp"
#include "riemflow/distribution/bingham_envelope.hpp"
#include "riemflow/distribution/differentiable.hpp"

namespace riemflow {

class Bingham final : public DifferentiableDensity<Bingham, double> {
 public:
  /// `matrix`: symmetric, D × D, 2 ≤ D ≤ 65. Error otherwise.
  explicit Bingham(const Eigen::MatrixXd& matrix);

  template <class N>
  N log_density_of(const N* x) const {
    N log_density = N(-constants_.log_mass);
    for (Eigen::Index i = 0; i + 1 < axes_.cols(); ++i) {  // the last gap is 0
      N along = x[0] * N(axes_(0, i));
      for (Eigen::Index r = 1; r < axes_.rows(); ++r) along += x[r] * N(axes_(r, i));
      log_density -= N(gaps_[i]) * along * along;
    }
    return log_density;
  }

  /// As parse_target reads it.
  std::string name() const override;
  int ambient() const override { return static_cast<int>(matrix_.rows()); }
  /// Exact; of the draws of the envelope acceptance() are taken.
  void sample(Random& random, Pack<double>* x, int lane) const override;
  double acceptance() const { return envelope_.acceptance(constants_.log_mass); }
  /// log c + Σ_i a_i E⟨v_i, x⟩²
  std::optional<double> entropy() const override {
    return constants_.log_mass + gaps_.dot(constants_.squares);
  }

  const Eigen::MatrixXd& matrix() const { return matrix_; }
  /// Columns v_i, the mode ±v_D the last.
  const Eigen::MatrixXd& axes() const { return axes_; }
  /// a_i, falling to 0.
  const Eigen::VectorXd& gaps() const { return gaps_; }
  /// E x xᵀ = Σ_i E⟨v_i, x⟩² v_i v_iᵀ
  Eigen::MatrixXd second_moment() const {
    return axes_ * constants_.squares.asDiagonal() * axes_.transpose();
  }
  /// log ∫ exp(xᵀA x)
  double log_normaliser() const { return constants_.log_mass + top_; }

 private:
  Eigen::MatrixXd matrix_, axes_;
  Eigen::VectorXd gaps_;
  double top_ = 0;  // the largest eigenvalue
  BinghamConstants constants_;
  BinghamEnvelope envelope_;

  struct Spectrum;
  Bingham(const Eigen::MatrixXd& matrix, Spectrum spectrum);
};

/// The maximum likelihood estimate, the one with E x xᵀ = Σ w x xᵀ/Σ w; of axes or points of any length,
/// which are normalised. Its matrix has the largest eigenvalue 0. Error where the points, or all but a share
/// of 1e-14, lie in a subspace of R^D, which has likelihoods without bound: D independent ones are the
/// fewest.
Bingham fit_bingham(const Points<double>& points, const Weights& weights = {});

extern template class DifferentiableDensity<Bingham, double>;

}  // namespace riemflow
