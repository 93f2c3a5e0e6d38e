#pragma once
// How a network sees a point: numbers that are one to one with the points, have a differential of full rank,
// and are what the weights of the first layer multiply (flow/field/input_layer.hpp). All on jets, with a
// column for the value and k for its derivatives.

#include <cmath>
#include <memory>
#include <numbers>

#include "riemflow/core/pack.hpp"
#include "riemflow/core/simd/kernels.hpp"

namespace riemflow {

template <class T>
class Features {
 public:
  virtual ~Features() = default;
  /// Rows of `out`.
  virtual int size() const = 0;
  /// out = the jet of the features, in = the jet of the point, with k derivatives each.
  virtual void embed(int k, PackMatrix<T> in, PackMatrix<T> out) const = 0;
  /// in_bar += the cotangent of `in`, given out_bar.
  virtual void embed_backward(int k, PackMatrix<T> in, PackMatrix<T> out_bar, PackMatrix<T> in_bar) const = 0;
};

/// s·x of n coordinates.
template <class T>
class ScaledCoordinates final : public Features<T> {
 public:
  explicit ScaledCoordinates(int n, double s = 1) : n_(n), s_(static_cast<T>(s)) {}
  int size() const override { return n_; }
  void embed(int k, PackMatrix<T> in, PackMatrix<T> out) const override {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j <= k; ++j) out(i, j) = Pack<T>(s_) * in(i, j);
  }
  void embed_backward(int k, PackMatrix<T>, PackMatrix<T> out_bar, PackMatrix<T> in_bar) const override {
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j <= k; ++j) in_bar(i, j) += Pack<T>(s_) * out_bar(i, j);
  }

 private:
  int n_;
  T s_;
};

/// (sin ωx_1 … sin ωx_n, cos ωx_1 … cos ωx_n), ω = 2π/period.
template <class T>
class Circles final : public Features<T> {
 public:
  explicit Circles(int n, double period = 2 * std::numbers::pi)
      : n_(n), omega_(static_cast<T>(2 * std::numbers::pi / period)) {}
  int size() const override { return 2 * n_; }
  // S = sin ωx, Ṡ = ω cos ωx·v;  C = cos ωx, Ċ = −ω sin ωx·v
  void embed(int k, PackMatrix<T> in, PackMatrix<T> out) const override {
    for (int i = 0; i < n_; ++i) {
      const Pack<T> angle = Pack<T>(omega_) * in(i, 0), s = sin(angle), c = cos(angle);
      out(i, 0) = s;
      out(n_ + i, 0) = c;
      for (int j = 1; j <= k; ++j) {
        const Pack<T> v = Pack<T>(omega_) * in(i, j);
        out(i, j) = c * v;
        out(n_ + i, j) = -s * v;
      }
    }
  }
  void embed_backward(int k, PackMatrix<T> in, PackMatrix<T> out_bar, PackMatrix<T> in_bar) const override {
    const Pack<T> omega = omega_;
    for (int i = 0; i < n_; ++i) {
      const Pack<T> angle = omega * in(i, 0), s = sin(angle), c = cos(angle);
      Pack<T> angle_bar = c * out_bar(i, 0) - s * out_bar(n_ + i, 0);
      for (int j = 1; j <= k; ++j) {
        angle_bar -= omega * in(i, j) * (s * out_bar(i, j) + c * out_bar(n_ + i, j));
        in_bar(i, j) += omega * (c * out_bar(i, j) - s * out_bar(n_ + i, j));
      }
      in_bar(i, 0) += omega * angle_bar;
    }
  }

 private:
  int n_;
  T omega_;
};

/// Neurons of a geodesic first layer: scale(a)·σ(⟨row(a), features⟩) is the signed distance of a point from
/// the hypersurface that its parameters a name.
template <class T>
class GeodesicNeurons {
 public:
  virtual ~GeodesicNeurons() = default;
  /// What the rows multiply.
  virtual std::shared_ptr<const Features<T>> features() const = 0;
  /// σ
  virtual simd::Function distance() const = 0;
  /// Numbers of a.
  virtual int parameters() const = 0;
  /// row (as long as the features), scale =
  virtual void prepare(const double* a, double* row, double& scale) const = 0;
  /// a_bar = the cotangent of a, given those of row and scale.
  virtual void pull_back(const double* a, const double* row_bar, double scale_bar, double* a_bar) const = 0;

 protected:
  /// |a|, kept off zero: the direction of a null vector is arbitrary but must not be NaN.
  static double length(int n, const double* a) {
    double s = 0;
    for (int i = 0; i < n; ++i) s += a[i] * a[i];
    return std::max(std::sqrt(s), 1e-12);
  }
};

}  // namespace riemflow
