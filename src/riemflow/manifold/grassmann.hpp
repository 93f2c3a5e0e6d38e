#pragma once
// grassmann:n,p, the subspaces of p dimensions of Rⁿ, 1 ≤ p < n ≤ 16: a point is the projector P onto one,
// P² = P = Pᵀ, tr P = p, its n² numbers row by row, in the metric ½ tr(UV), whose distance is √Σθ² of the
// principal angles θ. For p = 1 these are axes, P = xxᵀ. With Q = I − P, R = I − 2P, and U made symmetric,
//   Π_P U = PUQ + QUP = (U − RUR)/2   DΠ_P[V] U = VUR + RUV
//   H = Σ 2(Q V²Q − P V²P) over V = (E_ab + E_ba)/√2 = p I − n P
//   f = Π_P U   div f = Σ_j⟨V_j, U̇_j⟩ + p tr U − n tr(PU)
//
// Geometry by principal vectors x_i of one subspace and y_i = cos θ_i x_i + sin θ_i d_i of the other: the
// rotation Π_i of the planes (x_i, d_i) by θ_i takes P to P', geodesics are those by tθ_i, and transport is
// V ↦ RVRᵀ of the rotation R. The logarithm is Σ θ_i (d_i x_iᵀ + x_i d_iᵀ); the injectivity radius is π/2.

#include <fmt/format.h>

#include <memory>

#include "riemflow/manifold/embedded.hpp"

namespace riemflow {

/// Throws Error unless 1 ≤ p < n ≤ 16.
std::unique_ptr<const EmbeddedGeometry> grassmann_geometry(int n, int p);
/// The projector; a basis.
std::vector<Notation> grassmann_notations(int n, int p);

template <class T>
class Grassmann final : public Embedded<T> {
 public:
  Grassmann(int n, int p)
      : Embedded<T>(p * (n - p), n * n, 0.5, -n, p, grassmann_geometry(n, p)), n_(n), p_(p) {}

  std::string name() const override { return fmt::format("grassmann:{},{}", n_, p_); }
  std::string words() const override {
    return fmt::format("the Grassmannian of subspaces of {} dimensions of R{}", p_, as_power(n_));
  }
  std::string unit_of_volume() const override { return "unit of volume of principal angles"; }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::vector<Notation> notations() const override { return grassmann_notations(n_, p_); }
  /// Bases written with nine decimals.
  double same_within() const override { return 1e-8; }
  DeviceFormulas device_formulas() const override { return DeviceFormulas::projectors; }
  MatrixForm matrix_form() const override { return this->form(n_, n_, p_); }

  // Π_{k=n−p+1}^{n} |S^{k−1}| / Π_{k=1}^{p} |S^{k−1}|: frames of Rⁿ over those of the subspace.
  double log_volume() const override {
    const auto log_sphere = [](int k) {
      return std::numbers::ln2 + 0.5 * k * std::log(std::numbers::pi) - std::lgamma(0.5 * k);
    };
    double sum = 0;
    for (int k = 1; k <= p_; ++k) sum += log_sphere(n_ - p_ + k) - log_sphere(k);
    return sum;
  }

  /// The projector onto the p leading eigenvectors of the symmetric part, the nearest. Near the manifold by
  /// P ↦ 3P² − 2P³, which squares what eigenvalues are off.
  void project(Pack<T>* x) const override {
    constexpr double kNear = 0.05;
    constexpr int kSteps = std::numeric_limits<T>::digits > 24 ? 5 : 4;
    const Tile P = symmetric(x);
    Tile S = times(P, P);
    Pack<T> off = 0, trace = 0;
    for (std::size_t i = 0; i < P.size(); ++i) off += abs(S[i] - P[i]);
    for (int i = 0; i < n_; ++i) trace += P[at(i, i)];
    std::copy(P.begin(), P.end(), x);
    if (!(off < Pack<T>(kNear)).all() || !(abs(trace - Pack<T>(p_)) < Pack<T>(0.3)).all())
      return this->project_lanes(x);
    for (int i = 0; i < kSteps; ++i) {
      const Tile C = times(S, symmetric(x));
      for (std::size_t r = 0; r < C.size(); ++r) x[r] = 3 * S[r] - 2 * C[r];
      const Tile now = symmetric(x);
      std::copy(now.begin(), now.end(), x);
      S = times(now, now);
    }
  }

 private:
  using typename Embedded<T>::Tile;

  // (U − RUR)/2
  void tangent(const Pack<T>* x, const Pack<T>* u, Pack<T>* w) const override {
    const Tile R = mirror(x), U = symmetric(u), all = times(times(R, U), R);
    for (std::size_t r = 0; r < U.size(); ++r) w[r] = T(0.5) * (U[r] - all[r]);
  }
  // VUR + RUV
  void tilt(const Pack<T>* x, const Pack<T>* v, const Pack<T>* u, Pack<T>* w) const override {
    for (int r = 0; r < n_ * n_; ++r) w[r] = 0;
    add_both(symmetric(v), symmetric(u), mirror(x), 1, w);
  }
  // CRU + URC
  void tangent_backward(const Pack<T>* x, const Pack<T>* u, const Pack<T>* c, Pack<T>* x_bar) const override {
    add_both(symmetric(c), mirror(x), symmetric(u), 1, x_bar);
  }
  // −2(CVU + UVC)
  void tilt_backward(const Pack<T>* v, const Pack<T>* u, const Pack<T>* c, Pack<T>* x_bar) const override {
    add_both(symmetric(c), symmetric(v), symmetric(u), -2, x_bar);
  }

  /// w += s(ABC + CBA) of symmetric matrices
  void add_both(const Tile& A, const Tile& B, const Tile& C, double s, Pack<T>* w) const {
    const Tile all = times(times(A, B), C);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) w[at(i, j)] += static_cast<T>(s) * (all[at(i, j)] + all[at(j, i)]);
  }
  Tile times(const Tile& A, const Tile& B) const {
    Tile C = this->zeros();
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < n_; ++k)
        for (int j = 0; j < n_; ++j) C[at(i, j)] += A[at(i, k)] * B[at(k, j)];
    return C;
  }
  Tile symmetric(const Pack<T>* u) const {
    Tile S = this->zeros();
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) S[at(i, j)] = T(0.5) * (u[at(i, j)] + u[at(j, i)]);
    return S;
  }
  /// R = I − 2P
  Tile mirror(const Pack<T>* x) const {
    Tile R = symmetric(x);
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) R[at(i, j)] = Pack<T>(i == j ? 1 : 0) - 2 * R[at(i, j)];
    return R;
  }
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i * n_ + j); }

  int n_, p_;
};

}  // namespace riemflow
