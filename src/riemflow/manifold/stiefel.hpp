#pragma once
// stiefel:n,p, the n × p matrices X with XᵀX = I: p orthonormal vectors of Rⁿ, 1 ≤ p < n ≤ 16, in the metric
// tr(UᵀV) of the surrounding space. The numbers of a point, and of tangent vectors, are x11 x12 … xnp row by
// row. For p = 1 it is the unit sphere. With sym M = (M + Mᵀ)/2,
//   Π_X V = V − X sym(XᵀV)   H = −(n − (p + 1)/2) X
//   f = U − X sym(XᵀU)       div f = Σ_j⟨V_j, U̇_j⟩ − (n − (p + 1)/2) tr(XᵀU)
//
// Geodesics (Edelman, Arias & Smith 1998; in this form, whose exponentials are of skew matrices, Zimmermann &
// Hüper 2022): with A = XᵀV, Q an orthonormal basis beside X of what V has there and V = XA + QR,
//   exp_X(V) = [X Q] exp[2A −Rᵀ; R 0] [I; 0] exp(−A).
// The logarithm has no closed form for p > 1. It is found by Newton's method to 1e-12 from several starts;
// the injectivity radius is π (Zimmermann & Stoye 2024), so that what is found within π is the shortest.
// Beyond, it is the shortest that was found, and NaN where none was, as happens at points that are conjugate,
// such as −X.

#include <fmt/format.h>

#include <memory>

#include "riemflow/manifold/embedded.hpp"

namespace riemflow {

/// Throws Error unless 1 ≤ p < n ≤ 16.
std::unique_ptr<const EmbeddedGeometry> stiefel_geometry(int n, int p);
/// The entries row by row.
std::vector<Notation> stiefel_notations(int n, int p);

template <class T>
class Stiefel final : public Embedded<T> {
 public:
  Stiefel(int n, int p)
      : Embedded<T>(n * p - p * (p + 1) / 2, n * p, 1, -(n - 0.5 * (p + 1)), 0, stiefel_geometry(n, p)),
        n_(n),
        p_(p) {}

  std::string name() const override { return fmt::format("stiefel:{},{}", n_, p_); }
  std::string words() const override {
    return fmt::format("the Stiefel manifold of {} orthonormal vectors of R{}", p_, as_power(n_));
  }
  std::string unit_of_volume() const override { return "unit of volume of tr(UᵀV)"; }
  Picture picture() const override { return {Picture::Kind::pairs}; }
  std::vector<Notation> notations() const override { return stiefel_notations(n_, p_); }
  DeviceFormulas device_formulas() const override { return DeviceFormulas::orthonormal; }
  MatrixForm matrix_form() const override { return this->form(n_, p_, p_); }

  // 2^{p(p−1)/4} Π_{k=n−p+1}^{n} |S^{k−1}|, |S^{k−1}| = 2π^{k/2}/Γ(k/2): column after column lies on a sphere
  // of what is beside the others, and tr(UᵀV) counts a turn of two columns in their plane twice.
  double log_volume() const override {
    double sum = 0.25 * p_ * (p_ - 1) * std::numbers::ln2;
    for (int k = n_ - p_ + 1; k <= n_; ++k)
      sum += std::numbers::ln2 + 0.5 * k * std::log(std::numbers::pi) - std::lgamma(0.5 * k);
    return sum;
  }

  /// The polar factor X(XᵀX)^{−1/2}, the nearest point. Near the manifold by X ↦ X(3I − XᵀX)/2, which
  /// squares what XᵀX is off.
  void project(Pack<T>* x) const override {
    constexpr double kNear = 0.1;
    Tile S = square(), step = this->zeros();
    constexpr int kSteps = std::numeric_limits<T>::digits > 24 ? 4 : 3;
    for (int i = 0; i < kSteps; ++i) {
      symmetric(x, x, S.data());
      Pack<T> off = 0;
      for (int a = 0; a < p_; ++a)
        for (int b = 0; b < p_; ++b) off += abs(S[at(a, b)] - Pack<T>(a == b ? 1 : 0));
      if (i == 0 && !(off < Pack<T>(kNear)).all()) return this->project_lanes(x);
      times(x, S.data(), step.data());
      for (int r = 0; r < n_ * p_; ++r) x[r] += T(0.5) * (x[r] - step[static_cast<std::size_t>(r)]);
    }
  }

 private:
  using typename Embedded<T>::Tile;

  void tangent(const Pack<T>* x, const Pack<T>* u, Pack<T>* w) const override {
    Tile S = square(), xS = this->zeros();
    symmetric(x, u, S.data());
    times(x, S.data(), xS.data());
    for (int r = 0; r < n_ * p_; ++r) w[r] = u[r] - xS[static_cast<std::size_t>(r)];
  }
  // −V sym(XᵀU) − X sym(VᵀU)
  void tilt(const Pack<T>* x, const Pack<T>* v, const Pack<T>* u, Pack<T>* w) const override {
    for (int r = 0; r < n_ * p_; ++r) w[r] = 0;
    subtract(v, x, u, w);
    subtract(x, v, u, w);
  }
  // −C sym(XᵀU) − U sym(XᵀC)
  void tangent_backward(const Pack<T>* x, const Pack<T>* u, const Pack<T>* c, Pack<T>* x_bar) const override {
    subtract(c, x, u, x_bar);
    subtract(u, x, c, x_bar);
  }
  // −C sym(VᵀU) − U sym(VᵀC)
  void tilt_backward(const Pack<T>* v, const Pack<T>* u, const Pack<T>* c, Pack<T>* x_bar) const override {
    subtract(c, v, u, x_bar);
    subtract(u, v, c, x_bar);
  }

  /// w −= A sym(BᵀC)
  void subtract(const Pack<T>* a, const Pack<T>* b, const Pack<T>* c, Pack<T>* w) const {
    Tile S = square(), aS = this->zeros();
    symmetric(b, c, S.data());
    times(a, S.data(), aS.data());
    for (int r = 0; r < n_ * p_; ++r) w[r] -= aS[static_cast<std::size_t>(r)];
  }
  /// S = sym(AᵀB), p × p
  void symmetric(const Pack<T>* a, const Pack<T>* b, Pack<T>* S) const {
    for (int i = 0; i < p_; ++i)
      for (int j = 0; j <= i; ++j) {
        Pack<T> sum = 0;
        for (int r = 0; r < n_; ++r) sum += a[r * p_ + i] * b[r * p_ + j] + a[r * p_ + j] * b[r * p_ + i];
        S[at(i, j)] = S[at(j, i)] = T(0.5) * sum;
      }
  }
  /// y = A S
  void times(const Pack<T>* a, const Pack<T>* S, Pack<T>* y) const {
    for (int r = 0; r < n_; ++r)
      for (int j = 0; j < p_; ++j) {
        Pack<T> sum = 0;
        for (int i = 0; i < p_; ++i) sum += a[r * p_ + i] * S[at(i, j)];
        y[r * p_ + j] = sum;
      }
  }
  Tile square() const { return Tile(static_cast<std::size_t>(p_ * p_)); }
  std::size_t at(int i, int j) const { return static_cast<std::size_t>(i * p_ + j); }

  int n_, p_;
};

}  // namespace riemflow
