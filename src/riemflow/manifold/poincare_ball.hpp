#pragma once
// B^d_K, K < 0: the Poincaré ball |x| < R = 1/√c, c = −K, of hyperbolic space, with the conformal metric
// λ(x)² I, λ(x) = 2/(1 − c|x|²). The coordinates are the Euclidean ones of the ball; a vector v at x has
// length λ(x)|v|.
//
// A coordinate rounded to ε moves a point by λε: that, not the formulas, limits accuracy near the rim.
// Reached, in hyperbolic length: 8λε for distances and log∘exp, 8λ²ε for exp∘log between two points at λ. For
// K = −1, distance(0, x) ends at 34.6 in double and at 14.5 in float, less log √d.
//
// A field, with p = 0, 1 or d (BallScaling), ∇λ^−p = p·K·λ^(1−p)·x, and div f = tr Df − d·K·λ⟨f,x⟩:
//   f = s·u, s = λ^−p   div f = s·(Σ_j⟨v_j, u̇_j⟩ + (p − d)·K·λ⟨u,x⟩)
//   ∇_v f = s·(u̇ + (1−p)⟨g,v⟩u + ⟨g,u⟩v − ⟨v,u⟩g),   g = ∇log λ = −K·λ·x  (the Christoffel symbols of λ²I)
// The squares of ∇_v f make the Frobenius norm.

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/spherical_angles.hpp"

namespace riemflow {

/// (2√c·x/q, 2/q − 1), q = 1 − c|x|²: the point on the upper sheet of |X|² − X₀² = −1.
template <class T>
class LorentzFeatures final : public Features<T> {
 public:
  LorentzFeatures(int n, double c) : n_(n), c_(static_cast<T>(c)) {}
  int size() const override { return n_ + 1; }
  // With r = 1/q and ṙ_j = 2c⟨x, v_j⟩r²:  X = 2√c·x·r, Ẋ_j = 2√c(v_j r + x ṙ_j);  X₀ = 2r − 1, Ẋ₀_j = 2ṙ_j
  void embed(int k, PackMatrix<T> in, PackMatrix<T> out) const override {
    const int n = n_;
    const T c = c_;
    const Pack<T> root = T(2) * std::sqrt(c);
    const Pack<T> r = Pack<T>(1) / (Pack<T>(1) - Pack<T>(c) * dot(n, in.data, in.data, in.stride, in.stride));
    for (int i = 0; i < n; ++i) out(i, 0) = root * in(i, 0) * r;
    out(n, 0) = Pack<T>(2) * r - Pack<T>(1);
    for (int j = 1; j <= k; ++j) {
      const Pack<T> slope = Pack<T>(2 * c) * dot(n, in.data, in.data + j, in.stride, in.stride) * r * r;
      for (int i = 0; i < n; ++i) out(i, j) = root * (in(i, j) * r + in(i, 0) * slope);
      out(n, j) = Pack<T>(2) * slope;
    }
  }
  void embed_backward(int k, PackMatrix<T> in, PackMatrix<T> out_bar, PackMatrix<T> in_bar) const override {
    const int n = n_;
    const T c = c_;
    const Pack<T> root = T(2) * std::sqrt(c);
    const Pack<T> two_c = 2 * c;
    const Pack<T> r = Pack<T>(1) / (Pack<T>(1) - Pack<T>(c) * dot(n, in.data, in.data, in.stride, in.stride));
    Pack<T> r_bar =
        root * dot(n, in.data, out_bar.data, in.stride, out_bar.stride) + Pack<T>(2) * out_bar(n, 0);
    for (int i = 0; i < n; ++i) in_bar(i, 0) += root * r * out_bar(i, 0);
    for (int j = 1; j <= k; ++j) {
      const Pack<T> along = dot(n, in.data, in.data + j, in.stride, in.stride);
      const Pack<T> slope = two_c * along * r * r;
      const Pack<T> slope_bar =
          root * dot(n, in.data, out_bar.data + j, in.stride, out_bar.stride) + Pack<T>(2) * out_bar(n, j);
      r_bar += root * dot(n, in.data + j, out_bar.data + j, in.stride, out_bar.stride) +
               Pack<T>(2) * two_c * along * r * slope_bar;
      for (int i = 0; i < n; ++i) {
        in_bar(i, 0) += root * slope * out_bar(i, j) + two_c * r * r * slope_bar * in(i, j);
        in_bar(i, j) += root * r * out_bar(i, j) + two_c * r * r * slope_bar * in(i, 0);
      }
    }
    for (int i = 0; i < n; ++i) in_bar(i, 0) += r_bar * r * r * two_c * in(i, 0);
  }

 private:
  int n_;
  T c_;
};

/// Signed hyperbolic distances to the hyperplane through p = exp₀(a) normal to the transported a. In
/// hyperboloid coordinates (X, X₀) moving p to the origin is a boost along â = a/|a| with rapidity η =
/// 2√c|a|, so the paper's expression becomes asinh(cosh η⟨â, X⟩ − sinh η·X₀)/√c: linear in the features, then
/// one asinh.
template <class T>
class Hyperplanes final : public GeodesicNeurons<T> {
 public:
  Hyperplanes(int n, double c) : n_(n), c_(c), root_(std::sqrt(c)) {}
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<LorentzFeatures<T>>(n_, c_);
  }
  simd::Function distance() const override { return simd::Function::asinh; }
  int parameters() const override { return n_; }
  void prepare(const double* a, double* row, double& scale) const override {
    const double norm = this->length(n_, a), eta = 2 * root_ * norm;
    for (int j = 0; j < n_; ++j) row[j] = std::cosh(eta) * a[j] / norm;
    row[n_] = -std::sinh(eta);
    scale = 1 / root_;
  }
  void pull_back(const double* a, const double* row_bar, double, double* a_bar) const override {
    const double norm = this->length(n_, a), eta = 2 * root_ * norm, stretched = std::cosh(eta);
    double along = 0;  // ⟨row_bar, â⟩
    for (int j = 0; j < n_; ++j) along += row_bar[j] * a[j] / norm;
    const double norm_bar = 2 * root_ * (std::sinh(eta) * along - std::cosh(eta) * row_bar[n_]);
    for (int j = 0; j < n_; ++j) {
      const double unit = a[j] / norm;
      a_bar[j] = stretched * (row_bar[j] - along * unit) / norm + norm_bar * unit;
    }
  }

 private:
  int n_;
  double c_, root_;
};

template <class T>
class PoincareBall final : public Chart<T> {
 public:
  explicit PoincareBall(int d, double K = -1) : Chart<T>(d), K_(K) {
    require_dimension("ball", d);
    require_curvature("ball", K, -1);
    c_ = static_cast<T>(-K);
    sqrt_c_ = static_cast<T>(std::sqrt(-K));
    eta_ = static_cast<T>(4 * std::sqrt(d)) * std::numeric_limits<T>::epsilon();
  }

  std::string name() const override {
    return K_ == -1 ? fmt::format("ball:{}", d_) : fmt::format("ball:{},K={}", d_, K_);
  }
  double curvature() const override { return K_; }
  std::string words() const override {
    return "hyperbolic space, as the Poincaré ball B" + as_power(d_) +
           (K_ != -1 ? fmt::format(" of curvature {:g}", K_) : "");
  }
  std::string unit_of_volume() const override { return "unit of hyperbolic " + unit_of_size(d_).substr(8); }
  Picture picture() const override { return {d_ == 2 ? Picture::Kind::disk : Picture::Kind::pairs}; }
  ColumnForm column_form() const override { return {ColumnForm::Kind::inside, 1 / std::sqrt(-K_)}; }
  DefaultBase default_base() const override { return DefaultBase::wrapped_normal; }
  KernelForm kernel_form() const override { return {KernelForm::Family::hyperbolic, K_}; }
  DeviceFormulas device_formulas() const override { return DeviceFormulas::ball; }
  std::optional<Refusal> refuse_chart(ChartKind kind) const override {
    if (kind != ChartKind::stereographic) return std::nullopt;
    return Refusal{"it is a chart of spheres", "use wrapped or naive"};
  }
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

  // x = R tanh(r/2R) ω, ω on the unit sphere in its angles, r = t/(1 − t²) the hyperbolic distance from the
  // origin up to reach·R (B¹: with t ∈ (−1, 1) and a sign for ω);  √|G| = (R sinh(r/R))^{d−1} dr/dt dω
  std::optional<PatchPart> part(double reach) const override {
    const double R = 1 / std::sqrt(-K_), end = unstretch(reach * R);
    PatchPart all;
    all.axes.push_back({d_ == 1 ? -end : 0, end, d_ == 1 ? 8 : 6});
    add_angles(d_ - 1, all.axes);
    all.map = [d = d_, R](const double* u, double* x) {
      double r;
      double volume = stretch(u[0], r);
      double direction[kMostCoordinates] = {1};
      if (d > 1) volume *= from_angles(d - 1, u + 1, direction) * std::pow(R * std::sinh(r / R), d - 1);
      const double radius = R * std::tanh(r / (2 * R));
      for (int i = 0; i < d; ++i) x[i] = radius * direction[i];
      return volume;
    };
    return all;
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

  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(d_);
  }
  std::shared_ptr<const GeodesicNeurons<T>> geodesic_neurons() const override {
    return std::make_shared<Hyperplanes<T>>(d_, -K_);
  }

  void velocity(const OutputJet<T>& jet, Pack<T>* f, Rates<T>& rates) const override {
    const int n = d_, power = power_of(jet.scaling, d_);
    const auto& [x, u, k, share, frobenius, scaling] = jet;
    const Pack<T> K = static_cast<T>(K_);
    const Pack<T> trace = trace_of(n, jet);
    const Pack<T> lambda = Pack<T>(2) / (Pack<T>(1) + K * column_dot(n, x, 0, x, 0));
    const Pack<T> s = inverse_power(lambda, power);
    const Pack<T> ux = column_dot(n, u, 0, x, 0);
    for (int i = 0; i < n; ++i) f[i] = s * u(i, 0);
    rates.divergence += s * (trace + Pack<T>(power - d_) * K * lambda * ux);
    rates.kinetic += lambda * lambda * dot(n, f, f);
    if (!frobenius) return;
    Pack<T> squares = 0;
    const Pack<T> g = -K * lambda;  // times x
    for (int j = 1; j <= k; ++j) {
      const Pack<T> gv = g * column_dot(n, x, 0, x, j), vu = column_dot(n, x, j, u, 0);
      for (int i = 0; i < n; ++i) {
        const Pack<T> w = u(i, j) + Pack<T>(1 - power) * gv * u(i, 0) + g * ux * x(i, j) - vu * g * x(i, 0);
        squares += s * s * w * w;
      }
    }
    rates.frobenius += Pack<T>(share) * squares;
  }
  void velocity_backward(const OutputJet<T>& jet, Pack<T>* f_bar, const Rates<T>& rates_bar,
                         PackMatrix<T> u_bar, PackMatrix<T> x_bar) const override {
    const int n = d_, power = power_of(jet.scaling, d_);
    const auto& [x, u, k, share, frobenius, scaling] = jet;
    const Pack<T> K = static_cast<T>(K_);
    const Pack<T>& div_bar = rates_bar.divergence;
    const Pack<T> square_bar = Pack<T>(2 * share) * rates_bar.frobenius;
    const Pack<T> p = power, lambda = Pack<T>(2) / (Pack<T>(1) + K * column_dot(n, x, 0, x, 0));
    const Pack<T> s = inverse_power(lambda, power);
    const Pack<T> ux = column_dot(n, u, 0, x, 0);
    const Pack<T> uu = column_dot(n, u, 0, u, 0);
    const Pack<T> trace = trace_of(n, jet);
    // kinetic = λ²s²|u|², λs = λ^{1−p}: as a function of f and λ.
    for (int i = 0; i < n; ++i) f_bar[i] += Pack<T>(2) * rates_bar.kinetic * lambda * lambda * s * u(i, 0);
    Pack<T> lambda_bar = Pack<T>(2) * rates_bar.kinetic * lambda * s * s * uu;

    const Pack<T> rest = Pack<T>(power - d_) * K;  // div = s(trace + rest·λ·ux)
    Pack<T> s_bar = dot(n, f_bar, u.data, 1, u.stride) + div_bar * (trace + rest * lambda * ux);
    lambda_bar += div_bar * s * rest * ux;
    Pack<T> ux_bar = div_bar * s * rest * lambda;
    for (int i = 0; i < n; ++i) u_bar(i, 0) = s * f_bar[i];
    const Pack<T> trace_bar = Pack<T>(share) * s * div_bar;
    const Pack<T> g = -K * lambda;  // ∇log λ = g·x
    Pack<T> g_bar = 0;
    for (int j = 1; j <= k; ++j) {
      for (int i = 0; i < n; ++i) u_bar(i, j) = trace_bar * x(i, j);
      if (!frobenius) continue;
      const Pack<T> xv = column_dot(n, x, 0, x, j), vu = column_dot(n, x, j, u, 0);
      Pack<T> wu = 0, wv = 0, wx = 0;
      for (int i = 0; i < n; ++i) {
        const Pack<T> w = u(i, j) + (Pack<T>(1) - p) * g * xv * u(i, 0) + g * ux * x(i, j) - vu * g * x(i, 0);
        s_bar += square_bar * s * w * w;
        const Pack<T> w_bar = square_bar * s * s * w;
        u_bar(i, j) += w_bar;
        u_bar(i, 0) += (Pack<T>(1) - p) * g * xv * w_bar;
        x_bar(i, 0) -= vu * g * w_bar;
        wu += w_bar * u(i, 0);
        wv += w_bar * x(i, j);
        wx += w_bar * x(i, 0);
      }
      g_bar += (Pack<T>(1) - p) * xv * wu + ux * wv - vu * wx;
      ux_bar += g * wv;
      for (int i = 0; i < n; ++i) {
        x_bar(i, 0) += (Pack<T>(1) - p) * g * wu * x(i, j);  // through ⟨x, v⟩
        u_bar(i, 0) -= g * wx * x(i, j);                     // through ⟨v, u⟩
      }
    }
    lambda_bar -= K * g_bar;
    // s = λ^−p, ∇λ = −K·λ²·x
    lambda_bar -= s_bar * p * s / lambda;
    for (int i = 0; i < n; ++i) {
      u_bar(i, 0) += ux_bar * x(i, 0);
      x_bar(i, 0) += ux_bar * u(i, 0) - lambda_bar * K * lambda * lambda * x(i, 0);
    }
  }

 private:
  using Chart<T>::d_;
  /// Less than any square that keeps its precision.
  static constexpr T kLost = std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon();

  // 1 − c|x|² = 2/λ(x), as (1 − √c|x|)(1 + √c|x|)
  Pack<T> gap(const Pack<T>* x) const {
    const Pack<T> r = sqrt_c_ * sqrt(dot(d_, x, x));
    return (1 - r) * (1 + r);
  }

  /// λ^−p = ((1 + K|x|²)/2)^p by repeated multiplication.
  static Pack<T> inverse_power(const Pack<T>& lambda, int p) {
    const Pack<T> base = Pack<T>(1) / lambda;
    Pack<T> s = 1;
    for (int i = 0; i < p; ++i) s *= base;
    return s;
  }

  double K_;
  T c_;
  T sqrt_c_;
  T eta_;
};

}  // namespace riemflow
