#pragma once
// S^d_K, K > 0: the sphere |x| = R = 1/√K in R^D, D = d + 1, with the metric of the surrounding space.
//
// Where a Runge–Kutta stage leaves the sphere, tangent spaces, frames and seeds are those at x R/|x|: the
// projection is written I − x xᵀ/⟨x, x⟩, which is I − K x xᵀ on the sphere and is constant along rays.

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
class Sphere final : public Manifold<T> {
 public:
  explicit Sphere(int d, double K = 1);

  std::string name() const override;
  int dimension() const override { return d_; }
  int ambient() const override { return D_; }
  bool compact() const override { return true; }
  double log_volume() const override;
  std::vector<Factor<T>> factors() const override { return {{this, Geometry::sphere, K_, 0, 0}}; }

  /// The pole R E_D for x = 0.
  void project(Pack<T>* x) const override;
  /// On the sphere is | |x| − R | ≤ R·1e-6, for float R·1e-4: what six and four written decimals give.
  std::optional<std::string> defect(std::span<const T> point) const override;
  void to_tangent(const Pack<T>* x, Pack<T>* v) const override;
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const override;
  void lower(const Pack<T>*, Pack<T>*) const override {}
  void frame(const Pack<T>* x, PackMatrix<T> e) const override;

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override;
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override;
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override;
  /// At the antipode along the geodesic that log takes.
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const override;

  /// In the angles x = R(cos φ₁, sin φ₁ cos φ₂, …, sin φ₁⋯sin φ_d); −∞ where they degenerate.
  Pack<T> log_volume_density(const Pack<T>* x) const override;
  void random_uniform(Random& random, Pack<T>* x, int lane) const override;

  LaneMask in_domain(const Pack<T>* x) const override;
  void project_backward(const Pack<T>* x, Pack<T>* x_bar) const override;
  void error_weight(const Pack<T>* x, Pack<T>* weight) const override;
  /// The frame.
  void seed_basis(const Pack<T>* x, PackMatrix<T> v) const override { frame(x, v); }
  void seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override;
  void seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const override;
  void seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override;

 private:
  void bisector(const Pack<T>* x, const Pack<T>* y, Pack<T>* s) const;

  int d_;
  int D_;
  double K_;
  T sqrt_K_;
  T R_;
};

extern template class Sphere<float>;
extern template class Sphere<double>;

}  // namespace riemflow
