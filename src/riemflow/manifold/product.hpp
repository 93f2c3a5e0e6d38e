#pragma once
// M₁ × … × M_k with the sum of the metrics: coordinates and seeds of the factors one after another, so that
// frames and seeds are block-diagonal, squared lengths and log-volumes add, and all else goes factor by
// factor.

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
class Product final : public Manifold<T> {
 public:
  /// A product among the parts counts as its factors. Throws Error if there are none.
  explicit Product(std::vector<std::unique_ptr<const Manifold<T>>> parts);

  std::string name() const override;
  int dimension() const override { return d_; }
  int ambient() const override { return ambient_; }
  bool compact() const override;
  double log_volume() const override;
  std::vector<Factor<T>> factors() const override { return factors_; }

  void project(Pack<T>* x) const override;
  /// Says which factor.
  std::optional<std::string> defect(std::span<const T> point) const override;
  void to_tangent(const Pack<T>* x, Pack<T>* v) const override;
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const override;
  void lower(const Pack<T>* x, Pack<T>* v) const override;
  void frame(const Pack<T>* x, PackMatrix<T> e) const override;

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override;
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override;
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override;
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const override;

  Pack<T> log_volume_density(const Pack<T>* x) const override;
  void random_uniform(Random& random, Pack<T>* x, int lane) const override;

  LaneMask in_domain(const Pack<T>* x) const override;
  void project_backward(const Pack<T>* x, Pack<T>* x_bar) const override;
  void error_weight(const Pack<T>* x, Pack<T>* weight) const override;
  void seed_basis(const Pack<T>* x, PackMatrix<T> v) const override;
  void seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override;
  void seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const override;
  void seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override;

 private:
  void clear(PackMatrix<T> blocks) const;

  std::vector<std::unique_ptr<const Manifold<T>>> parts_;
  std::vector<Factor<T>> factors_;
  int d_ = 0;
  int ambient_ = 0;
};

extern template class Product<float>;
extern template class Product<double>;

}  // namespace riemflow
