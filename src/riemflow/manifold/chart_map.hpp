#pragma once
// Charts of a manifold M: a smooth injective map c from R^d (or a part of it) into M, with which a flow on
// R^d is a density on M with respect to the Riemannian volume,
//   log p_M(x) = log p_R(c⁻¹(x)) − log vol_c(c⁻¹(x)),   vol_c(y) = √det(Dcᵀ G Dc).
//
//   stereographic  S^d_K, R = 1/√K, μ₀ = (R, 0, …, 0): projection from −μ₀, y dimensionless. With s = 2/(1 +
//   |y|²)
//                    c(y) = R(s − 1, s y),   c⁻¹(x) = x_{2:d+1}/(|x| + x₁),   vol = (R s)^d
//                  All of R^d; all of S^d but −μ₀.
//   wrapped        B^d_K, c = −K: y the coordinates of a tangent vector at 0 in an orthonormal basis, that is
//                  λ(0) = 2 times its coordinates in the ball; |y| is the distance of c(y) from 0. With ρ =
//                  √c|y|
//                    c(y) = exp_0(y/2) = tanh(ρ/2)/ρ · y,   c⁻¹(x) = 2 atanh(√c|x|)/(√c|x|) · x
//                    vol = (sinh ρ/ρ)^{d−1}
//                  All of R^d; all of B^d.
//   naive          B^d_K: the coordinates of the ball as if they were those of R^d,
//                    c(y) = y,   vol = λ(y)^d,   λ(y) = 2/(1 − c|y|²)
//                  |y| < 1/√c only. A density p_R has mass outside: its mass on B^d is less than 1, and
//                  KL(p_R ‖ p) is infinite for every density p of B^d.
//
// There is no wrapped map of the sphere: exp_μ winds R^d around it without end, and the density is a sum over
// all windings. There is no naive one: a density of R^{d+1} has none on S^d.
//
// All of it is computed in double, a point at a time, and rounded to T once: it is needed once a solve.
// A point without an image or without coordinates is said to be so, and is NaN: the exact −μ₀; y outside the
// naive ball; wrapped y so far out (PoincareBall::project: 34.6/√c in double, 14.5/√c in float, less
// log √d) that its image would round to the rim.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "riemflow/core/pack.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// A batch on the other side of a chart.
template <class T>
struct Mapped {
  Points<T> points;                  ///< NaN where there is none
  std::vector<double> log_volume;    ///< log vol_c at the chart's end, before its rounding to T; NaN likewise
  std::vector<std::size_t> missing;  ///< points without an image or without coordinates, in increasing order
};

template <class T>
class ChartMap {
 public:
  virtual ~ChartMap() = default;

  /// "stereographic", "wrapped", "naive": make_chart_map(kind(), manifold) makes the same map.
  virtual std::string_view kind() const = 0;
  /// True if every y of R^d has an image, were it not for rounding.
  virtual bool everywhere() const = 0;
  const Manifold<T>& manifold() const { return *manifold_; }
  /// d, numbers in y; x has manifold().ambient().
  int dimension() const { return manifold_->dimension(); }

  /// x = c(y), and the lanes that have an image.
  LaneMask to_manifold(const Pack<T>* y, Pack<T>* x) const;
  /// y = c⁻¹(x), and the lanes that have coordinates. On the sphere constant along rays.
  LaneMask to_chart(const Pack<T>* x, Pack<T>* y) const;
  /// log vol_c(y)
  Pack<T> log_volume(const Pack<T>* y) const;
  /// y_bar = (Dc)ᵀ x_bar + volume_bar · ∇ log vol_c, at y.
  void backward(const Pack<T>* y, const Pack<T>* x_bar, const Pack<T>& volume_bar, Pack<T>* y_bar) const;

  /// x_bar = (Dc⁻¹)ᵀ(y_bar + volume_bar · ∇ log vol_c) at a point x that has coordinates y = c⁻¹(x): the
  /// covector on M of one in coordinates. In double from x on; tangential on the sphere.
  void push_covector(std::span<const T> x, std::span<const double> y_bar, double volume_bar,
                     std::span<double> x_bar) const;

  Mapped<T> to_manifold(const Points<T>& y) const;
  Mapped<T> to_chart(const Points<T>& x) const;

 protected:
  explicit ChartMap(std::shared_ptr<const Manifold<T>> manifold) : manifold_(std::move(manifold)) {}

 private:
  // One point. False where there is no image or are no coordinates, whatever x or y then is. log vol_c and
  // the derivative are NaN only where the formula has no value, outside the naive ball.
  virtual bool image(const double* y, double* x) const = 0;
  virtual bool preimage(const double* x, double* y) const = 0;
  virtual double log_volume_at(const double* y) const = 0;
  virtual void pull_back(const double* y, const double* x_bar, double volume_bar, double* y_bar) const = 0;
  /// x_bar = (Dc⁻¹)ᵀ y_bar at y = c⁻¹(x).
  virtual void push(const double* x, const double* y, const double* y_bar, double* x_bar) const = 0;

  std::shared_ptr<const Manifold<T>> manifold_;
};

/// Throws Error for a kind that is not known, with the near one, or that the manifold does not have, with the
/// reason.
template <class T>
std::shared_ptr<const ChartMap<T>> make_chart_map(std::string_view kind,
                                                  std::shared_ptr<const Manifold<T>> manifold);

extern template class ChartMap<float>;
extern template class ChartMap<double>;

}  // namespace riemflow
