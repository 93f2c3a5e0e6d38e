#pragma once
// The matrix Fisher distribution of rotation:3 (Downs 1972): for a 3 × 3 matrix F,
//   p(R) ∝ exp(tr FᵀR).
// A point is the unit quaternion q = (w, x, y, z) of R (core/rotation.hpp), in which R is quadratic: tr FᵀR =
// qᵀK q with a symmetric K of trace 0, and any such K has one F. So this is the Bingham distribution of K on
// S³ (Prentice 1986), with respect to another volume: the distance of rotations is the angle between them, a
// unit of the volume of S³ becomes 8 of rotation:3 and is met twice, at q and −q, so that
//   log p(R) = log p_Bingham(q) − log 4,   and with respect to the Haar measure of mass 1 log p(R) + log 8π².
// With F = U diag(s) Vᵀ, U and V rotations, s₁ ≥ s₂ ≥ |s₃|, the mode is U Vᵀ and the gaps of K are 2(s₂ +
// s₃), 2(s₁ + s₃), 2(s₁ + s₂): s₂ + s₃, … are concentrations about the three axes.

#include <Eigen/Core>
#include <numbers>

#include "riemflow/distribution/bingham.hpp"

namespace riemflow {

class MatrixFisher final : public DifferentiableDensity<MatrixFisher, double> {
 public:
  /// `matrix`: F, finite; Error otherwise. κ times a rotation is a density around this rotation; 0 is
  /// uniform.
  explicit MatrixFisher(const Eigen::Matrix3d& matrix);

  template <class N>
  N log_density_of(const N* q) const {
    return quaternions_.log_density_of(q) - N(2 * std::numbers::ln2);
  }

  /// As parse_target reads it, F by rows.
  std::string name() const override;
  int ambient() const override { return 4; }
  /// Exact; of q and −q the one that rotation:3 keeps.
  void sample(Random& random, Pack<double>* q, int lane) const override;
  double acceptance() const { return quaternions_.acceptance(); }
  std::optional<double> entropy() const override;

  const Eigen::Matrix3d& matrix() const { return matrix_; }
  /// Of q, on S³.
  const Bingham& quaternions() const { return quaternions_; }
  /// The most likely rotation.
  Eigen::Vector4d mode() const;
  /// E R
  Eigen::Matrix3d mean_matrix() const;

 private:
  Eigen::Matrix3d matrix_;
  Bingham quaternions_;
};

/// The maximum likelihood estimate from quaternions, the one with E R = Σ w R/Σ w. Error where the
/// quaternions lie in a subspace of R⁴ (distribution/bingham.hpp): four rotations are the fewest.
MatrixFisher fit_matrix_fisher(const Points<double>& quaternions, const Weights& weights = {});

extern template class DifferentiableDensity<MatrixFisher, double>;

}  // namespace riemflow
