#pragma once
// S^d_K, K > 0: the sphere |x| = R = 1/√K in R^D, D = d + 1, with the metric of the surrounding space.
//
// Where a Runge–Kutta stage leaves the sphere, tangent spaces, frames and seeds are those at x R/|x|: the
// projection is written I − x xᵀ/⟨x, x⟩, which is I − K x xᵀ on the sphere and is constant along rays.
//
// A field, on the sphere itself, and its covariant derivative:
//   f = u − K⟨u,x⟩x   div f = Σ_j⟨v_j, u̇_j⟩ − d·K⟨u,x⟩   ∇_v f = u̇ − K⟨x,u̇⟩x − K⟨u,x⟩v

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "riemflow/manifold/common.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"
#include "riemflow/manifold/manifold.hpp"
#include "riemflow/manifold/spherical_angles.hpp"

namespace riemflow {

/// Neurons ‖w‖·asin(ρ⟨ŵ, n⟩), ŵ = w/‖w‖, n the unit vector: the signed angle to the great hypersphere normal
/// to w. The distance has a cone point at ±ŵ, where the paper's neuron is not differentiable; ρ = 1/√(1 +
/// 10⁻⁴) rounds it off within 0.01 rad and makes the field smooth, as the existence of the flow asks.
template <class T>
class GreatHyperspheres final : public GeodesicNeurons<T> {
 public:
  GreatHyperspheres(int n, double K) : n_(n), sqrt_K_(std::sqrt(K)) {}
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(n_, sqrt_K_);
  }
  simd::Function distance() const override { return simd::Function::asin; }
  int parameters() const override { return n_; }
  void prepare(const double* w, double* row, double& scale) const override {
    scale = this->length(n_, w);
    for (int j = 0; j < n_; ++j) row[j] = w[j] / scale;
  }
  void pull_back(const double* w, const double* row_bar, double scale_bar, double* w_bar) const override {
    const double norm = this->length(n_, w);
    double along = 0;  // ⟨row_bar, ŵ⟩
    for (int j = 0; j < n_; ++j) along += row_bar[j] * w[j] / norm;
    for (int j = 0; j < n_; ++j) {
      const double unit = w[j] / norm;
      w_bar[j] = (row_bar[j] - along * unit) / norm + scale_bar * unit;
    }
  }

 private:
  int n_;
  double sqrt_K_;
};

template <class T>
class Sphere final : public Manifold<T> {
 public:
  explicit Sphere(int d, double K = 1) : d_(d), D_(d + 1), K_(K) {
    require_dimension("sphere", d);
    require_curvature("sphere", K, +1);
    sqrt_K_ = static_cast<T>(std::sqrt(K));
    R_ = static_cast<T>(1 / std::sqrt(K));
  }

  std::string name() const override {
    return K_ == 1 ? fmt::format("sphere:{}", d_) : fmt::format("sphere:{},K={}", d_, K_);
  }
  double curvature() const override { return K_; }
  std::string words() const override {
    return "the sphere S" + as_power(d_) +
           (K_ != 1   ? fmt::format(" of curvature {:g}", K_)
            : d_ == 2 ? ", by latitude and longitude"
                      : "");
  }
  /// Those of S² may be latitudes and longitudes, and are where it has the curvature of the Earth, 1.
  ColumnForm column_form() const override {
    using Places = ColumnForm::Places;
    return {ColumnForm::Kind::vector, 1 / std::sqrt(K_),
            d_ != 2   ? Places::none
            : K_ == 1 ? Places::usual
                      : Places::taken};
  }
  std::string unit_of_volume() const override {
    return d_ == 1 && K_ == 1 ? "rad" : d_ == 2 && K_ == 1 ? "sr" : unit_of_size(d_);
  }
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    if (d_ > 2) return std::nullopt;
    return d_ == 1 ? circle_coordinates(1 / std::sqrt(K_), false)
                   : globe_coordinates(1 / std::sqrt(K_), false);
  }
  DefaultBase default_base() const override { return DefaultBase::uniform; }
  KernelForm kernel_form() const override { return {KernelForm::Family::chord, K_}; }
  DeviceFormulas device_formulas() const override { return DeviceFormulas::sphere; }
  std::optional<Refusal> refuse_chart(ChartKind kind) const override {
    const char* advice = "use stereographic, or a flow on the sphere itself";
    switch (kind) {
      case ChartKind::stereographic:
        return std::nullopt;
      case ChartKind::wrapped:
        return Refusal{
            "the exponential map winds around the sphere without end, so that a density would be an "
            "infinite sum",
            advice};
      case ChartKind::naive:
        break;
    }
    return Refusal{"a density of the surrounding space has none on the sphere", advice};
  }
  /// The Earth, in the place of any sphere of curvature 1.
  Picture picture() const override {
    return {d_ == 2 && K_ == 1 ? Picture::Kind::globe : Picture::Kind::pairs};
  }
  int dimension() const override { return d_; }
  int ambient() const override { return D_; }
  bool compact() const override { return true; }
  // log( 2 π^{D/2}/Γ(D/2) · R^d )
  double log_volume() const override {
    return std::log(2.0) + 0.5 * D_ * std::log(std::numbers::pi) - std::lgamma(0.5 * D_) -
           0.5 * d_ * std::log(K_);
  }
  std::vector<Factor<T>> factors() const override { return {{this, 0, 0}}; }

  /// The pole R E_D for x = 0.
  void project(Pack<T>* x) const override {
    const Pack<T> norm = scaled_norm(D_, x);
    const LaneMask zero = norm < std::numeric_limits<T>::denorm_min();
    for (int i = 0; i < D_; ++i) x[i] = select(zero, Pack<T>(i == d_ ? R_ : 0), x[i] / norm * R_);
  }

  /// On the sphere is | |x| − R | ≤ R·1e-6, for float R·1e-4: what six and four written decimals give.
  std::optional<std::string> defect(std::span<const T> point) const override {
    constexpr double tolerance = std::numeric_limits<T>::digits > 24 ? 1e-6 : 1e-4;
    if (auto bad = coordinate_defect(point, D_)) return bad;
    const double norm = euclidean_norm(point);
    const double R = 1 / std::sqrt(K_);
    if (std::abs(norm - R) <= tolerance * R) return std::nullopt;
    return fmt::format("norm {} where {} is expected, to {} relative", norm, R, tolerance);
  }
  // | |x|/R − 1 |
  double drift(std::span<const T> point) const override {
    double square = 0;
    for (const T x : point) square += std::pow(static_cast<double>(x), 2);
    return std::abs(std::sqrt(square * K_) - 1);
  }
  // v − ⟨x, v⟩/⟨x, x⟩ x
  void to_tangent(const Pack<T>* x, Pack<T>* v) const override {
    const Pack<T> a = dot(D_, x, v) / dot(D_, x, x);
    for (int i = 0; i < D_; ++i) v[i] -= a * x[i];
  }
  Pack<T> inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const override { return dot(D_, u, v); }
  void lower(const Pack<T>*, Pack<T>*) const override {}

  // With n = x/|x| and σ = sign n_D, the Householder reflection H = I − (n + σE_D)(n + σE_D)ᵀ/(1 + |n_D|)
  // takes n to −σE_D. So its columns e_j = E_j − n_j (n + σE_D)/(1 + |n_D|), j ≤ d, are orthonormal and
  // orthogonal to n, and no difference in them cancels.
  void frame(const Pack<T>* x, PackMatrix<T> e) const override {
    const Pack<T> scale = 1 / sqrt(dot(D_, x, x));
    const Pack<T> last = x[d_] * scale;
    const Pack<T> sigma = copysign(Pack<T>(1), last);
    for (int j = 0; j < d_; ++j) {
      const Pack<T> a = x[j] * scale / (1 + abs(last));
      for (int i = 0; i < d_; ++i) e(i, j) = (i == j ? 1 : 0) - a * (x[i] * scale);
      e(d_, j) = -(a * (last + sigma));
    }
  }

  // y = cos(θ) x + sin(θ)/θ v, θ = √K |v|
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    const Pack<T> theta = sqrt_K_ * sqrt(dot(D_, v, v));
    const Pack<T> c = cos(theta);
    const Pack<T> sinc = select(Pack<T>(0) < theta, sin(theta) / theta, Pack<T>(1));
    for (int i = 0; i < D_; ++i) y[i] = c * x[i] + sinc * v[i];
    project(y);
  }

  // log_x(y) = distance · u, u the direction of P_x(y − x) = P_x(y + x): of the two, the one without
  // cancellation. Projected again once normalised, for where P_x left only the last bits.
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    const LaneMask far = dot(D_, x, y) < T(0);
    bisector(x, y, v);
    for (int i = 0; i < D_; ++i) v[i] = select(far, v[i], y[i] - x[i]);

    to_tangent(x, v);
    const Pack<T> length = scaled_norm(D_, v);
    for (int i = 0; i < D_; ++i) v[i] = select(Pack<T>(0) < length, v[i] / length, Pack<T>(0));
    to_tangent(x, v);
    const Pack<T> r = distance(x, y);
    for (int i = 0; i < D_; ++i) v[i] *= r;
  }

  // Kahan's angle, accurate from tiny to π: θ = 2 atan2(|x − y|, |x + y|)
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    Pack<T> difference = 0, sum = 0;
    for (int i = 0; i < D_; ++i) {
      difference += (x[i] - y[i]) * (x[i] - y[i]);
      sum += (x[i] + y[i]) * (x[i] + y[i]);
    }
    return 2 * R_ * atan2(sqrt(difference), sqrt(sum));
  }

  // At the antipode along the geodesic that log takes. The reflection w = v − 2⟨s, v⟩/⟨s, s⟩ s in s = x + y
  // takes x to −y and turns the plane of x and y, otherwise nothing: on vectors orthogonal to x it is the
  // parallel transport, and an isometry to rounding everywhere.
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const override {
    bisector(x, y, w);
    const Pack<T> a = 2 * dot(D_, w, v) / dot(D_, w, w);
    for (int i = 0; i < D_; ++i) w[i] = v[i] - a * w[i];
  }

  /// In the angles x = R(cos φ₁, sin φ₁ cos φ₂, …, sin φ₁⋯sin φ_d); −∞ where they degenerate.
  /// √|G| = K^{−d/2} Π_{i=1}^{d−1} sin^{d−i} φ_i with sin φ_i = |x_{i+1..D}|/|x_{i..D}|. The product
  /// telescopes: log √|G| = −(d/2) log K + Σ_{i=2}^{d} log( |x_{i..D}|/|x| ).
  Pack<T> log_volume_density(const Pack<T>* x) const override {
    const Pack<T> whole = dot(D_, x, x);
    Pack<T> sum = -d_ * std::log(K_);
    Pack<T> tail = x[d_] * x[d_];
    for (int i = d_ - 1; i >= 1; --i) {
      tail += x[i] * x[i];
      sum += riemflow::log(tail / whole);
    }
    return sum / 2;
  }

  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    std::vector<double> z(static_cast<std::size_t>(D_));
    double square = 0;
    for (double& zi : z) {
      zi = random.normal();
      square += zi * zi;
    }
    const double scale = 1 / std::sqrt(K_ * square);
    for (int i = 0; i < D_; ++i) x[i][lane] = static_cast<T>(scale * z[static_cast<std::size_t>(i)]);
  }

  // x = R(cos φ₁, sin φ₁ cos φ₂, …, sin φ₁⋯sin φ_d);  √|G| = R^d Π_i sin^{d−i} φ_i
  std::optional<PatchPart> part(double) const override {
    PatchPart all;
    add_angles(d_, all.axes);
    all.map = [d = d_, R = 1 / std::sqrt(K_)](const double* angle, double* x) {
      const double volume = from_angles(d, angle, x);
      for (int i = 0; i <= d; ++i) x[i] *= R;
      return volume * std::pow(R, d);
    };
    return all;
  }

  // ⟨x, x⟩, by which everything divides, is finite and not lost to underflow.
  LaneMask in_domain(const Pack<T>* x) const override {
    const Pack<T> square = dot(D_, x, x);
    LaneMask m;
    for (int l = 0; l < kLanes; ++l) m.lane[static_cast<std::size_t>(l)] = std::isnormal(square[l]);
    return m;
  }

  // x_bar = R/|x| (I − x xᵀ/⟨x, x⟩) x_bar
  void project_backward(const Pack<T>* x, Pack<T>* x_bar) const override {
    const Pack<T> scale = R_ / sqrt(dot(D_, x, x));
    to_tangent(x, x_bar);
    for (int i = 0; i < D_; ++i) x_bar[i] *= scale;
  }
  void error_weight(const Pack<T>*, Pack<T>* weight) const override {
    for (int i = 0; i < D_; ++i) weight[i] = 1;
  }
  /// The frame.
  void seed_basis(const Pack<T>* x, PackMatrix<T> v) const override { frame(x, v); }

  // From ⟨x, v_j⟩ = 0: dv_j = −⟨v_j, dx⟩ x/⟨x, x⟩ up to spin, so x_bar −= Σ_j ⟨v_bar_j, x⟩ v_j/⟨x, x⟩.
  void seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override {
    const Pack<T> scale = 1 / dot(D_, x, x);
    for (int j = 0; j < d_; ++j) {
      const Pack<T> a = scale * dot(D_, &v_bar(0, j), x, v_bar.stride);
      for (int i = 0; i < D_; ++i) x_bar[i] -= a * v(i, j);
    }
  }

  // v_j = ε_j − a x, a = ⟨x, ε_j⟩/⟨x, x⟩
  void seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const override {
    const Pack<T> scale = 1 / dot(D_, x, x);
    for (int j = 0; j < k; ++j) {
      const Pack<T> a = scale * dot(D_, &noise(0, j), x, noise.stride);
      for (int i = 0; i < D_; ++i) v(i, j) = noise(i, j) - a * x[i];
    }
  }

  // da = ⟨ε_j − 2a x, dx⟩/⟨x, x⟩, so with b = ⟨v_bar_j, x⟩/⟨x, x⟩: x_bar −= b (ε_j − 2a x) + a v_bar_j
  void seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override {
    const Pack<T> scale = 1 / dot(D_, x, x);
    for (int j = 0; j < k; ++j) {
      const Pack<T> a = scale * dot(D_, &noise(0, j), x, noise.stride);
      const Pack<T> b = scale * dot(D_, &v_bar(0, j), x, v_bar.stride);
      for (int i = 0; i < D_; ++i) x_bar[i] -= b * (noise(i, j) - 2 * a * x[i]) + a * v_bar(i, j);
    }
  }

  /// The unit vector.
  std::shared_ptr<const Features<T>> features() const override {
    return std::make_shared<ScaledCoordinates<T>>(D_, std::sqrt(K_));
  }
  std::shared_ptr<const GeodesicNeurons<T>> geodesic_neurons() const override {
    return std::make_shared<GreatHyperspheres<T>>(D_, K_);
  }

  void velocity(const OutputJet<T>& jet, Pack<T>* f, Rates<T>& rates) const override {
    const int n = D_;
    const auto& [x, u, k, share, frobenius, scaling] = jet;
    const Pack<T> K = static_cast<T>(K_);
    const Pack<T> trace = trace_of(n, jet);
    const Pack<T> ux = K * column_dot(n, u, 0, x, 0);
    for (int i = 0; i < n; ++i) f[i] = u(i, 0) - ux * x(i, 0);
    rates.divergence += trace - Pack<T>(d_) * ux;
    rates.kinetic += dot(n, f, f);
    if (!frobenius) return;
    Pack<T> squares = 0;
    for (int j = 1; j <= k; ++j) {
      const Pack<T> normal = K * column_dot(n, x, 0, u, j);
      for (int i = 0; i < n; ++i) {
        const Pack<T> c = u(i, j) - normal * x(i, 0) - ux * x(i, j);
        squares += c * c;
      }
    }
    rates.frobenius += Pack<T>(share) * squares;
  }
  void velocity_backward(const OutputJet<T>& jet, Pack<T>* f_bar, const Rates<T>& rates_bar,
                         PackMatrix<T> u_bar, PackMatrix<T> x_bar) const override {
    const int n = D_;
    const auto& [x, u, k, share, frobenius, scaling] = jet;
    const Pack<T> K = static_cast<T>(K_);
    const Pack<T>& div_bar = rates_bar.divergence;
    const Pack<T> square_bar = Pack<T>(2 * share) * rates_bar.frobenius;
    const Pack<T> ux = K * column_dot(n, u, 0, x, 0);
    for (int i = 0; i < n; ++i) f_bar[i] += Pack<T>(2) * rates_bar.kinetic * (u(i, 0) - ux * x(i, 0));
    Pack<T> ux_bar = -dot(n, f_bar, x.data, 1, x.stride) - Pack<T>(d_) * div_bar;
    for (int j = 1; j <= k; ++j) {
      const Pack<T> trace_bar = Pack<T>(share) * div_bar;
      for (int i = 0; i < n; ++i) {
        u_bar(i, j) = trace_bar * x(i, j);
        x_bar(i, j) += trace_bar * u(i, j);
      }
      if (!frobenius) continue;
      const Pack<T> normal = K * column_dot(n, x, 0, u, j);
      Pack<T> normal_bar = 0;
      for (int i = 0; i < n; ++i) {
        const Pack<T> c_bar = square_bar * (u(i, j) - normal * x(i, 0) - ux * x(i, j));
        u_bar(i, j) += c_bar;
        normal_bar -= c_bar * x(i, 0);
        x_bar(i, 0) -= normal * c_bar;
        ux_bar -= c_bar * x(i, j);
        x_bar(i, j) -= ux * c_bar;
      }
      for (int i = 0; i < n; ++i) {
        u_bar(i, j) += normal_bar * K * x(i, 0);
        x_bar(i, 0) += normal_bar * K * u(i, j);
      }
    }
    for (int i = 0; i < n; ++i) {
      u_bar(i, 0) = f_bar[i] + ux_bar * K * x(i, 0);
      x_bar(i, 0) += ux_bar * K * u(i, 0) - ux * f_bar[i];
    }
  }

 private:
  // s = x + y, which |x| = |y| makes orthogonal to δ = x − y. Near the antipode the rounding of x and y is
  // not small beside s, and its part along δ would tilt what is built on s by ε/|s| off the tangent space:
  // take it out, ⟨s, δ⟩/⟨δ, δ⟩ δ with ⟨δ, δ⟩ = 4R² there (and nothing amplified where δ is small instead). At
  // the antipode, |s| within a few roundings, s = e₁(x) = e₁(y), its limit along one of the geodesics.
  void bisector(const Pack<T>* x, const Pack<T>* y, Pack<T>* s) const {
    Pack<T> along = 0;
    for (int i = 0; i < D_; ++i) {
      s[i] = x[i] + y[i];
      along += s[i] * (x[i] - y[i]);
    }
    along = along / (4 * R_ * R_);
    for (int i = 0; i < D_; ++i) s[i] -= along * (x[i] - y[i]);

    const LaneMask antipode = sqrt(dot(D_, s, s)) < Pack<T>(8 * std::numeric_limits<T>::epsilon() * R_);
    if (!antipode.any()) return;
    const Pack<T> scale = 1 / sqrt(dot(D_, x, x));
    const Pack<T> last = x[d_] * scale;
    const Pack<T> a = x[0] * scale / (1 + abs(last));
    for (int i = 0; i < D_; ++i) {
      const Pack<T> w = x[i] * scale + (i == d_ ? copysign(Pack<T>(1), last) : Pack<T>(0));
      s[i] = select(antipode, (i == 0 ? 1 : 0) - a * w, s[i]);
    }
  }

  int d_;
  int D_;
  double K_;
  T sqrt_K_;
  T R_;
};

}  // namespace riemflow
