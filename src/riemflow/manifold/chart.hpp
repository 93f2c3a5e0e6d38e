#pragma once
// A manifold whose points are d coordinates of one chart: every vector of d numbers is tangent, and the unit
// coordinate vectors E_j seed the divergence everywhere, so nothing of it varies with x. Its metric and its
// fields a chart says itself: what it does not say is missing, and not that of R^d.

#include <vector>

#include "riemflow/manifold/common.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
class Chart : public Manifold<T> {
 public:
  int dimension() const final { return d_; }
  int ambient() const final { return d_; }
  std::vector<Factor<T>> factors() const final { return {{this, 0, 0}}; }

  std::optional<std::string> defect(std::span<const T> point) const override {
    return coordinate_defect(point, d_);
  }
  void to_tangent(const Pack<T>*, Pack<T>*) const final {}

  LaneMask in_domain(const Pack<T>* x) const override { return finite(d_, x); }
  void project_backward(const Pack<T>*, Pack<T>*) const override {}
  void error_weight(const Pack<T>*, Pack<T>* weight) const override {
    for (int i = 0; i < d_; ++i) weight[i] = 1;
  }

  void seed_basis(const Pack<T>*, PackMatrix<T> v) const final { unit_vectors(v); }
  void seed_basis_backward(const Pack<T>*, PackMatrix<T>, PackMatrix<T>, Pack<T>*) const final {}
  void seed_probe(const Pack<T>*, PackMatrix<T> noise, int k, PackMatrix<T> v) const final {
    for (int i = 0; i < d_; ++i)
      for (int j = 0; j < k; ++j) v(i, j) = noise(i, j);
  }
  void seed_probe_backward(const Pack<T>*, PackMatrix<T>, int, PackMatrix<T>, Pack<T>*) const final {}

 protected:
  explicit Chart(int d) : d_(d) {}

  /// E_1 … E_d
  void unit_vectors(PackMatrix<T> e) const {
    for (int i = 0; i < d_; ++i)
      for (int j = 0; j < d_; ++j) e(i, j) = i == j ? 1 : 0;
  }

  int d_;
};

/// A chart with the metric of R^d, and so with its fields,
///   f = u   div f = Σ_j⟨v_j, u̇_j⟩   ∇_v f = u̇
template <class T>
class FlatChart : public Chart<T> {
 public:
  Pack<T> inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const final { return dot(d_, u, v); }
  void lower(const Pack<T>*, Pack<T>*) const final {}
  void frame(const Pack<T>*, PackMatrix<T> e) const final { this->unit_vectors(e); }
  void transport(const Pack<T>*, const Pack<T>*, const Pack<T>* v, Pack<T>* w) const final {
    for (int i = 0; i < d_; ++i) w[i] = v[i];
  }
  Pack<T> log_volume_density(const Pack<T>*) const final { return 0; }

  void velocity(const OutputJet<T>& jet, Pack<T>* f, Rates<T>& rates) const final {
    const Pack<T> trace = trace_of(d_, jet);
    for (int i = 0; i < d_; ++i) f[i] = jet.u(i, 0);
    rates.divergence += trace;
    rates.kinetic += dot(d_, f, f);
    if (!jet.frobenius) return;
    Pack<T> squares = 0;
    for (int j = 1; j <= jet.k; ++j) squares += column_dot(d_, jet.u, j, jet.u, j);
    rates.frobenius += Pack<T>(jet.share) * squares;
  }
  void velocity_backward(const OutputJet<T>& jet, Pack<T>* f_bar, const Rates<T>& rates_bar,
                         PackMatrix<T> u_bar, PackMatrix<T>) const final {
    const Pack<T> square_bar = Pack<T>(2 * jet.share) * rates_bar.frobenius;
    for (int i = 0; i < d_; ++i) u_bar(i, 0) = f_bar[i] + Pack<T>(2) * rates_bar.kinetic * jet.u(i, 0);
    for (int j = 1; j <= jet.k; ++j) {
      for (int i = 0; i < d_; ++i) {
        u_bar(i, j) = Pack<T>(jet.share) * rates_bar.divergence * jet.x(i, j);
        if (jet.frobenius) u_bar(i, j) += square_bar * jet.u(i, j);
      }
    }
  }

 protected:
  explicit FlatChart(int d) : Chart<T>(d) {}

  using Chart<T>::d_;
};

}  // namespace riemflow
