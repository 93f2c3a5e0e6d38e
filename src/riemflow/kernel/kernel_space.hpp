#pragma once
// Where kernels measure distances: a manifold embedded so that most distances are straight lines.
//
//   S^d_K   x itself, |x| = R = 1/√K            chord |x − y|
//   T^d     R(cos x_i/R, sin x_i/R), R = 1      chord² = Σ_i 4R² sin²((x_i − y_i)/2R)
//   R^d     x itself                            |x − y|
//   B^d_K   x and b = 1 − c|x|²                 geodesic (2/√c) asinh √q,  q = c|x − y|²/(b(x) b(y))
//
// as the space's KernelForm says (manifold/declarations.hpp), and on products the root of the sum of squares.
// All are metrics (a tree may prune by the triangle inequality), also for means of embedded points, and none
// is longer than the geodesic distance.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Whether there are kernels on the manifold: on each of its factors.
bool has_kernels(const Manifold<double>& manifold);

class KernelSpace {
 public:
  using Family = KernelForm::Family;
  struct Part {
    KernelForm::Family family;
    double curvature;
    double radius;  ///< of circles
    int dimension;  ///< d of the factor
    int ambient;    ///< its numbers in a point, from `row` on
    int row;
    int column;  ///< where its embedded numbers start
    const Manifold<double>* manifold;
  };

  /// Throws Error where a factor has no kernels (has_kernels).
  explicit KernelSpace(std::shared_ptr<const Manifold<double>> manifold);

  const Manifold<double>& manifold() const { return *manifold_; }
  const std::shared_ptr<const Manifold<double>>& shared_manifold() const { return manifold_; }
  const std::vector<Part>& parts() const { return parts_; }
  /// Numbers of an embedded point.
  int width() const { return width_; }
  /// Whether squared distances are plain sums of squares: no hyperbolic factor.
  bool flat() const { return flat_; }
  /// Of the smallest sphere; +∞ without one.
  double smallest_radius() const { return smallest_radius_; }

  /// e (width) = the embedded x (ambient). Points of a sphere that rounding has moved off it are put back.
  void embed(std::span<const double> x, double* e) const;
  /// What depends on other numbers of e is computed anew: for means of embedded points.
  void complete(double* e) const;
  double squared_distance(const double* a, const double* b) const;
  /// sinh²(ρ/2) = q between embedded points of a hyperbolic part.
  static double ball_q(const Part& part, const double* a, const double* b);

 private:
  std::shared_ptr<const Manifold<double>> manifold_;
  std::vector<Part> parts_;
  int width_ = 0;
  bool flat_ = true;
  double smallest_radius_;
};

}  // namespace riemflow
