#pragma once
// B^d_K, K < 0: the Poincaré ball |x| < R = 1/√c, c = −K, of hyperbolic space, with the conformal metric
// λ(x)² I, λ(x) = 2/(1 − c|x|²). The coordinates are the Euclidean ones of the ball; a vector v at x has
// length λ(x)|v|.
//
// A coordinate rounded to ε moves a point by λε: that, not the formulas, limits accuracy near the rim.
// Reached, in hyperbolic length: 8λε for distances and log∘exp, 8λ²ε for exp∘log between two points at λ. For
// K = −1, distance(0, x) ends at 34.6 in double and at 14.5 in float, less log √d.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/chart.hpp"

namespace riemflow {

template <class T>
class PoincareBall final : public Chart<T> {
 public:
  explicit PoincareBall(int d, double K = -1) : Chart<T>(Geometry::ball, d, K) {
    require_dimension("ball", d);
    require_curvature("ball", K, -1);
    c_ = static_cast<T>(-K);
    sqrt_c_ = static_cast<T>(std::sqrt(-K));
    eta_ = static_cast<T>(4 * std::sqrt(d)) * std::numeric_limits<T>::epsilon();
  }

  std::string name() const override {
    return K_ == -1 ? fmt::format("ball:{}", d_) : fmt::format("ball:{},K={}", d_, K_);
  }
  Picture picture() const override { return {d_ == 2 ? Picture::Kind::disk : Picture::Kind::pairs}; }
  bool compact() const override { return false; }
  double log_volume() const override { return std::numeric_limits<double>::infinity(); }

  /// A point with |x| ≥ (1 − η)R, η = 4√d ε (the room that rounding a sum of d squares needs), is scaled to
  /// |x| = (1 − 2η)R, so that projecting again changes nothing; others keep their bits.
  void project(Pack<T>* x) const override {
    const Pack<T> r = sqrt_c_ * scaled_norm(d_, x);
    const LaneMask inside = r < T(1 - eta_);
    for (int i = 0; i < d_; ++i) x[i] = select(inside, x[i], x[i] / r * (1 - 2 * eta_));
  }

  std::optional<std::string> defect(std::span<const T> point) const override {
    if (auto bad = coordinate_defect(point, d_)) return bad;
    const double norm = euclidean_norm(point);
    const double R = 1 / std::sqrt(-K_);
    if (norm < R) return std::nullopt;
    return fmt::format("norm {} where less than {} is expected: the point is not inside the ball", norm, R);
  }
  // λ² ⟨u, v⟩
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const override {
    const Pack<T> lambda = 2 / gap(x);
    return lambda * lambda * dot(d_, u, v);
  }
  // λ² v
  void lower(const Pack<T>* x, Pack<T>* v) const override {
    const Pack<T> lambda = 2 / gap(x);
    for (int i = 0; i < d_; ++i) v[i] *= lambda * lambda;
  }

  // e_j = E_j/λ
  void frame(const Pack<T>* x, PackMatrix<T> e) const override {
    const Pack<T> length = gap(x) / 2;
    for (int i = 0; i < d_; ++i)
      for (int j = 0; j < d_; ++j) e(i, j) = i == j ? length : Pack<T>(0);
  }

  // exp_x(v) = x ⊕ w, w = tanh(z) v/(√c|v|), z = √c λ_x|v|/2. With s = x + w and 1 − c|w|² = sech² z
  //   x ⊕ w = [ (1 − c|x|²) s + c|s|² x ] / [ (1 − c|x|²) sech² z + c|s|² ],
  // in which only s can cancel, and that costs no more than the λε of the coordinates.
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    const Pack<T> a = gap(x);
    const Pack<T> z = sqrt_c_ * scaled_norm(d_, v) / a;
    const Pack<T> scale = select(Pack<T>(0) < z, tanh(z) / z, Pack<T>(1)) / a;
    for (int i = 0; i < d_; ++i) y[i] = x[i] + scale * v[i];

    const Pack<T> b = c_ * dot(d_, y, y);
    const Pack<T> sech = 1 / cosh(z);
    const Pack<T> denominator = a * sech * sech + b;
    for (int i = 0; i < d_; ++i) y[i] = (a * y[i] + b * x[i]) / denominator;
    project(y);
  }

  // log_x(y) = distance/λ_x · m/|m|, m = −x ⊕ y ∝ (1 − c|x|²) δ − c|δ|² x, δ = y − x
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    const Pack<T> a = gap(x);
    for (int i = 0; i < d_; ++i) v[i] = y[i] - x[i];
    const Pack<T> b = c_ * dot(d_, v, v);
    for (int i = 0; i < d_; ++i) v[i] = a * v[i] - b * x[i];

    const Pack<T> length = scaled_norm(d_, v);
    const Pack<T> r = distance(x, y) * a / 2;
    for (int i = 0; i < d_; ++i) v[i] = select(Pack<T>(0) < length, v[i] / length * r, Pack<T>(0));
  }

  // (2/√c) asinh( √c|x − y| / √((1 − c|x|²)(1 − c|y|²)) )
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> square = 0;
    for (int i = 0; i < d_; ++i) square += (x[i] - y[i]) * (x[i] - y[i]);
    return 2 / sqrt_c_ * asinh(sqrt_c_ * sqrt(square / (gap(x) * gap(y))));
  }

  // (λ_x/λ_y) gyr[y, −x] v. The gyration turns the plane of x and y: it is the reflection in x, then the one
  // in p = x − c|x|² y = (1 − c|x|²) x − c|x|² (y − x). For x = 0, where p ∥ x, it is the identity.
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const override {
    const Pack<T> a = gap(x);
    const Pack<T> square = dot(d_, x, x);
    const Pack<T> b = c_ * square;
    const Pack<T> along_x = 2 * dot(d_, x, v) / square;
    const auto p = [&](int i) { return a * x[i] - b * (y[i] - x[i]); };

    Pack<T> along_p = 0, square_p = 0;
    for (int i = 0; i < d_; ++i) {
      w[i] = v[i] - along_x * x[i];
      along_p += p(i) * w[i];
      square_p += p(i) * p(i);
    }
    along_p = 2 * along_p / square_p;

    const LaneMask origin = square_p < kLost;
    const Pack<T> scale = gap(y) / a;
    for (int i = 0; i < d_; ++i) w[i] = scale * select(origin, v[i], w[i] - along_p * p(i));
  }

  // log λ^d
  Pack<T> log_volume_density(const Pack<T>* x) const override { return d_ * riemflow::log(2 / gap(x)); }
  /// Throws Error: there is no uniform distribution on the ball.
  void random_uniform(Random&, Pack<T>*, int) const override {
    throw Error(name() + " has no uniform distribution", "use a wrapped normal distribution instead");
  }

  LaneMask in_domain(const Pack<T>* x) const override { return c_ * dot(d_, x, x) < T(1); }

  // Clipped is y = ρ x/|x| with ρ = (1 − 2η)R: x_bar = ρ/|x| (I − x xᵀ/⟨x, x⟩) x_bar; else y = x.
  void project_backward(const Pack<T>* x, Pack<T>* x_bar) const override {
    const Pack<T> r = sqrt_c_ * scaled_norm(d_, x);
    const LaneMask inside = r < T(1 - eta_);
    if (inside.all()) return;
    const Pack<T> a = dot(d_, x, x_bar) / dot(d_, x, x);
    for (int i = 0; i < d_; ++i)
      x_bar[i] = select(inside, x_bar[i], (1 - 2 * eta_) / r * (x_bar[i] - a * x[i]));
  }
  // λ(x)/λ(0)
  void error_weight(const Pack<T>* x, Pack<T>* weight) const override {
    const Pack<T> relative = 1 / gap(x);
    for (int i = 0; i < d_; ++i) weight[i] = relative;
  }

 private:
  using Chart<T>::d_, Chart<T>::K_;
  /// Less than any square that keeps its precision.
  static constexpr T kLost = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();

  // 1 − c|x|² = 2/λ(x), as (1 − √c|x|)(1 + √c|x|)
  Pack<T> gap(const Pack<T>* x) const {
    const Pack<T> r = sqrt_c_ * sqrt(dot(d_, x, x));
    return (1 - r) * (1 + r);
  }

  T c_;
  T sqrt_c_;
  T eta_;
};

}  // namespace riemflow
