#pragma once
// spd:n, the symmetric positive definite n × n matrices with the affine-invariant metric
//   ⟨U, V⟩_S = tr(S⁻¹ U S⁻¹ V),
// which S ↦ A S Aᵀ leaves as it is, so that neither units nor bases of what the matrices are covariances of
// matter. Its curvature is not constant and nowhere positive, any two points are joined by one geodesic. The
// numbers of a point, and of tangent vectors, are the entries of the upper triangle row by row: s11 s12 …
// snn.
//
// What it is told through is the flat space of symmetric matrices X by S = exp X, with the distances of
// tr(X²): x = the diagonal of X and √2 times what is above, in the same order. The exponential stretches
// volumes by
//   J(X) = Π_{i<j} sinh(δ_ij/2)/(δ_ij/2),  δ_ij = λ_i − λ_j of the eigenvalues of X,
// which is 1 where all eigenvalues are equal. A density with respect to ds11 ds12 … dsnn is
// 2^{n(n−1)/4} det(S)^{−(n+1)/2} times the density here.
//
// Of two points the eigenvalues of S⁻¹Y are good to ε times their ratio.

#include <fmt/format.h>

#include <memory>

#include "riemflow/manifold/pointwise.hpp"

namespace riemflow {

/// Throws Error unless n is from 1 to 8.
std::unique_ptr<const PointGeometry> spd_geometry(int n);
std::shared_ptr<const Covering> spd_covering(int n);
/// The upper triangle; the whole matrix.
std::vector<Notation> spd_notations(int n);

template <class T>
class Spd final : public Pointwise<T> {
 public:
  explicit Spd(int n)
      : Pointwise<T>(n * (n + 1) / 2, n * (n + 1) / 2, spd_geometry(n), spd_covering(n)), n_(n) {}

  std::string name() const override { return fmt::format("spd:{}", n_); }
  std::string unit_of_volume() const override { return "unit of affine-invariant volume"; }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::vector<Notation> notations() const override { return spd_notations(n_); }

 private:
  int n_;
};

}  // namespace riemflow
