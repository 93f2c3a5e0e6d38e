#pragma once
// A space that is told through another one: a smooth map c from a manifold N, the cover, onto M, with which
// every point of M but for a set without volume has the same finite number of lifts, points of N that c takes
// to it. Densities of M are computed on N,
//   p_M(y) = Σ_{x: c(x) = y} p_N(x)/J(x),   J(x) = the volume of M that a unit of volume of N becomes at x,
// which has the mass of p_N whatever p_N is; c of a draw from p_N is a draw from p_M. A fit learns from all
// lifts of its points, so that p_N is nearly as symmetric as the lifts are; the sum makes p_M exactly so.
//
// Quotients (axes, rotations, orientations of crystals, compositions) have several lifts and J = 1 where c
// is a local isometry; spaces that are one global chart of another (covariances) have one lift and J ≠ 1.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

class Covering {
 public:
  virtual ~Covering() = default;

  /// N, which itself has no covering.
  virtual const std::shared_ptr<const Manifold<double>>& cover() const = 0;
  /// Numbers of a point of M.
  virtual int ambient() const = 0;
  /// Lifts of a point.
  virtual std::size_t sheets() const = 0;
  /// Why the cover cannot hold lifts of this point of M in the precision of its coordinates, with the number
  /// that shows it; nothing if it can.
  virtual std::optional<std::string> defect(const double* y) const {
    static_cast<void>(y);
    return std::nullopt;
  }
  /// x (ambient of N) = lift number `sheet` of the point y of M. Smooth in y near it, so that the lifts of
  /// nearby points are nearby for one of the sheets.
  virtual void lift(const double* y, std::size_t sheet, double* x) const = 0;
  /// y (ambient of M) = c(x); of the ways to write y the one that project() keeps.
  virtual void drop(const double* x, double* y) const = 0;
  /// log J(x), the same at all lifts of a point; its gradient, a covector at x, is added to x_bar unless that
  /// is null.
  virtual double log_stretch(const double* x, double* x_bar) const {
    static_cast<void>(x);
    static_cast<void>(x_bar);
    return 0;
  }
  /// y_bar (ambient of M) = (dx/dy)ᵀ x_bar: what a covector at the lift x of y is at y, up to its normal
  /// part.
  virtual void pull_back(const double* y, std::size_t sheet, const double* x, const double* x_bar,
                         double* y_bar) const = 0;
  /// In place: v, a vector at x, becomes its image under the symmetry that takes x to lift(drop(x), sheet).
  /// Of several sheets these are linear maps of the cover's coordinates, and its isometries.
  virtual void carry(const double* x, std::size_t sheet, double* v) const {
    static_cast<void>(x);
    static_cast<void>(sheet);
    static_cast<void>(v);
  }
};

}  // namespace riemflow
