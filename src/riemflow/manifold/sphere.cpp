#include "riemflow/manifold/sphere.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "riemflow/manifold/common.hpp"

namespace riemflow {

template <class T>
Sphere<T>::Sphere(int d, double K) : d_(d), D_(d + 1), K_(K) {
  require_dimension("sphere", d);
  require_curvature("sphere", K, +1);
  sqrt_K_ = static_cast<T>(std::sqrt(K));
  R_ = static_cast<T>(1 / std::sqrt(K));
}

template <class T>
std::string Sphere<T>::name() const {
  return K_ == 1 ? fmt::format("sphere:{}", d_) : fmt::format("sphere:{},K={}", d_, K_);
}

// log( 2 π^{D/2}/Γ(D/2) · R^d )
template <class T>
double Sphere<T>::log_volume() const {
  return std::log(2.0) + 0.5 * D_ * std::log(std::numbers::pi) - std::lgamma(0.5 * D_) -
         0.5 * d_ * std::log(K_);
}

// --- points and tangent vectors ------------------------------------------------------------------

template <class T>
void Sphere<T>::project(Pack<T>* x) const {
  const Pack<T> norm = scaled_norm(D_, x);
  const LaneMask zero = norm < std::numeric_limits<T>::denorm_min();
  for (int i = 0; i < D_; ++i) x[i] = select(zero, Pack<T>(i == d_ ? R_ : 0), x[i] / norm * R_);
}

template <class T>
std::optional<std::string> Sphere<T>::defect(std::span<const T> point) const {
  constexpr double tolerance = std::numeric_limits<T>::digits > 24 ? 1e-6 : 1e-4;
  if (auto bad = coordinate_defect(point, D_)) return bad;
  const double norm = euclidean_norm(point);
  const double R = 1 / std::sqrt(K_);
  if (std::abs(norm - R) <= tolerance * R) return std::nullopt;
  return fmt::format("norm {} where {} is expected, to {} relative", norm, R, tolerance);
}

// v − ⟨x, v⟩/⟨x, x⟩ x
template <class T>
void Sphere<T>::to_tangent(const Pack<T>* x, Pack<T>* v) const {
  const Pack<T> a = dot(D_, x, v) / dot(D_, x, x);
  for (int i = 0; i < D_; ++i) v[i] -= a * x[i];
}

template <class T>
Pack<T> Sphere<T>::inner(const Pack<T>*, const Pack<T>* u, const Pack<T>* v) const {
  return dot(D_, u, v);
}

// With n = x/|x| and σ = sign n_D, the Householder reflection H = I − (n + σE_D)(n + σE_D)ᵀ/(1 + |n_D|) takes
// n to −σE_D. So its columns e_j = E_j − n_j (n + σE_D)/(1 + |n_D|), j ≤ d, are orthonormal and orthogonal to
// n, and no difference in them cancels.
template <class T>
void Sphere<T>::frame(const Pack<T>* x, PackMatrix<T> e) const {
  const Pack<T> scale = 1 / sqrt(dot(D_, x, x));
  const Pack<T> last = x[d_] * scale;
  const Pack<T> sigma = copysign(Pack<T>(1), last);
  for (int j = 0; j < d_; ++j) {
    const Pack<T> a = x[j] * scale / (1 + abs(last));
    for (int i = 0; i < d_; ++i) e(i, j) = (i == j ? 1 : 0) - a * (x[i] * scale);
    e(d_, j) = -(a * (last + sigma));
  }
}

// --- geodesics -----------------------------------------------------------------------------------

// y = cos(θ) x + sin(θ)/θ v, θ = √K |v|
template <class T>
void Sphere<T>::exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const {
  const Pack<T> theta = sqrt_K_ * sqrt(dot(D_, v, v));
  const Pack<T> c = cos(theta);
  const Pack<T> sinc = select(Pack<T>(0) < theta, sin(theta) / theta, Pack<T>(1));
  for (int i = 0; i < D_; ++i) y[i] = c * x[i] + sinc * v[i];
  project(y);
}

// Kahan's angle, accurate from tiny to π: θ = 2 atan2(|x − y|, |x + y|)
template <class T>
Pack<T> Sphere<T>::distance(const Pack<T>* x, const Pack<T>* y) const {
  Pack<T> difference = 0, sum = 0;
  for (int i = 0; i < D_; ++i) {
    difference += (x[i] - y[i]) * (x[i] - y[i]);
    sum += (x[i] + y[i]) * (x[i] + y[i]);
  }
  return 2 * R_ * atan2(sqrt(difference), sqrt(sum));
}

// s = x + y, which |x| = |y| makes orthogonal to δ = x − y. Near the antipode the rounding of x and y is not
// small beside s, and its part along δ would tilt what is built on s by ε/|s| off the tangent space: take it
// out, ⟨s, δ⟩/⟨δ, δ⟩ δ with ⟨δ, δ⟩ = 4R² there (and nothing amplified where δ is small instead). At the
// antipode, |s| within a few roundings, s = e₁(x) = e₁(y), its limit along one of the geodesics.
template <class T>
void Sphere<T>::bisector(const Pack<T>* x, const Pack<T>* y, Pack<T>* s) const {
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

// log_x(y) = distance · u, u the direction of P_x(y − x) = P_x(y + x): of the two, the one without
// cancellation. Projected again once normalised, for where P_x left only the last bits.
template <class T>
void Sphere<T>::log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const {
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

// The reflection w = v − 2⟨s, v⟩/⟨s, s⟩ s in s = x + y takes x to −y and turns the plane of x and y,
// otherwise nothing: on vectors orthogonal to x it is the parallel transport, and an isometry to rounding
// everywhere.
template <class T>
void Sphere<T>::transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const {
  bisector(x, y, w);
  const Pack<T> a = 2 * dot(D_, w, v) / dot(D_, w, w);
  for (int i = 0; i < D_; ++i) w[i] = v[i] - a * w[i];
}

// --- volume --------------------------------------------------------------------------------------

// √|G| = K^{−d/2} Π_{i=1}^{d−1} sin^{d−i} φ_i with sin φ_i = |x_{i+1..D}|/|x_{i..D}|. The product telescopes:
// log √|G| = −(d/2) log K + Σ_{i=2}^{d} log( |x_{i..D}|/|x| ).
template <class T>
Pack<T> Sphere<T>::log_volume_density(const Pack<T>* x) const {
  const Pack<T> whole = dot(D_, x, x);
  Pack<T> sum = -d_ * std::log(K_);
  Pack<T> tail = x[d_] * x[d_];
  for (int i = d_ - 1; i >= 1; --i) {
    tail += x[i] * x[i];
    sum += riemflow::log(tail / whole);
  }
  return sum / 2;
}

template <class T>
void Sphere<T>::random_uniform(Random& random, Pack<T>* x, int lane) const {
  std::vector<double> z(static_cast<std::size_t>(D_));
  double square = 0;
  for (double& zi : z) {
    zi = random.normal();
    square += zi * zi;
  }
  const double scale = 1 / std::sqrt(K_ * square);
  for (int i = 0; i < D_; ++i) x[i][lane] = static_cast<T>(scale * z[static_cast<std::size_t>(i)]);
}

// --- what a flow needs ---------------------------------------------------------------------------

// ⟨x, x⟩, by which everything divides, is finite and not lost to underflow.
template <class T>
LaneMask Sphere<T>::in_domain(const Pack<T>* x) const {
  const Pack<T> square = dot(D_, x, x);
  LaneMask m;
  for (int l = 0; l < kLanes; ++l) m.lane[static_cast<std::size_t>(l)] = std::isnormal(square[l]);
  return m;
}

// x_bar = R/|x| (I − x xᵀ/⟨x, x⟩) x_bar
template <class T>
void Sphere<T>::project_backward(const Pack<T>* x, Pack<T>* x_bar) const {
  const Pack<T> scale = R_ / sqrt(dot(D_, x, x));
  to_tangent(x, x_bar);
  for (int i = 0; i < D_; ++i) x_bar[i] *= scale;
}

template <class T>
void Sphere<T>::error_weight(const Pack<T>*, Pack<T>* weight) const {
  for (int i = 0; i < D_; ++i) weight[i] = 1;
}

// From ⟨x, v_j⟩ = 0: dv_j = −⟨v_j, dx⟩ x/⟨x, x⟩ up to spin, so x_bar −= Σ_j ⟨v_bar_j, x⟩ v_j/⟨x, x⟩.
template <class T>
void Sphere<T>::seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                                    Pack<T>* x_bar) const {
  const Pack<T> scale = 1 / dot(D_, x, x);
  for (int j = 0; j < d_; ++j) {
    const Pack<T> a = scale * dot(D_, &v_bar(0, j), x, v_bar.stride);
    for (int i = 0; i < D_; ++i) x_bar[i] -= a * v(i, j);
  }
}

// v_j = ε_j − a x, a = ⟨x, ε_j⟩/⟨x, x⟩
template <class T>
void Sphere<T>::seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const {
  const Pack<T> scale = 1 / dot(D_, x, x);
  for (int j = 0; j < k; ++j) {
    const Pack<T> a = scale * dot(D_, &noise(0, j), x, noise.stride);
    for (int i = 0; i < D_; ++i) v(i, j) = noise(i, j) - a * x[i];
  }
}

// da = ⟨ε_j − 2a x, dx⟩/⟨x, x⟩, so with b = ⟨v_bar_j, x⟩/⟨x, x⟩: x_bar −= b (ε_j − 2a x) + a v_bar_j
template <class T>
void Sphere<T>::seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                                    Pack<T>* x_bar) const {
  const Pack<T> scale = 1 / dot(D_, x, x);
  for (int j = 0; j < k; ++j) {
    const Pack<T> a = scale * dot(D_, &noise(0, j), x, noise.stride);
    const Pack<T> b = scale * dot(D_, &v_bar(0, j), x, v_bar.stride);
    for (int i = 0; i < D_; ++i) x_bar[i] -= b * (noise(i, j) - 2 * a * x[i]) + a * v_bar(i, j);
  }
}

template class Sphere<float>;
template class Sphere<double>;

}  // namespace riemflow
