#pragma once
// hyperboloid:d, hyperbolic space of curvature K = −c in Lorentz coordinates: x = (x₀, x⃗) in R^{d+1} with
// x₀ = √(1/c + |x⃗|²) and the product ⟨u, v⟩ = −u₀v₀ + u⃗·v⃗ that tangent vectors, those with ⟨x, v⟩ = 0, have
// from it. What it is told through is the ball of the same curvature, x⃗/(1 + √c x₀), isometrically, so that
// densities are those of the ball.
//
// x⃗ is the point and v⃗ the tangent vector; x₀, and v₀ = x⃗·v⃗/x₀, follow from them and are not looked at, so
// that lengths are never below 0 and to_tangent puts v₀ right. A coordinate rounded to ε, relative, moves a
// point by ε √c x₀ across, as on the ball. Distances are good to a few roundings of x⃗ as far as squares of
// squares of coordinates are numbers, to 170/√c from the origin. Densities end at 22/√c, less log √d: there
// rounding of the ball's coordinates moves a point by 1e-7/√c, and at 34.6/√c it tells no points apart.

#include <fmt/format.h>

#include <memory>
#include <type_traits>

#include "riemflow/manifold/pointwise.hpp"

namespace riemflow {

/// tolerance: relative, of x₀ of points.
std::unique_ptr<const PointGeometry> lorentz_geometry(int d, double K, double tolerance);
std::shared_ptr<const Covering> ball_covering(int d, double K);
std::vector<Notation> lorentz_notations(int d, double K);

template <class T>
class Hyperboloid final : public Pointwise<T> {
 public:
  explicit Hyperboloid(int d, double K = -1)
      : Pointwise<T>(d, d + 1, lorentz_geometry(d, K, std::is_same_v<T, double> ? 1e-6 : 1e-4),
                     ball_covering(d, K)),
        K_(K) {}

  std::string name() const override {
    return K_ == -1 ? fmt::format("hyperboloid:{}", this->dimension())
                    : fmt::format("hyperboloid:{},K={}", this->dimension(), K_);
  }
  /// The disk.
  Picture picture() const override {
    return {this->dimension() == 2 ? Picture::Kind::cover : Picture::Kind::pairs};
  }
  std::string unit_of_volume() const override {
    return "unit of hyperbolic " + unit_of_size(this->dimension()).substr(8);
  }
  std::vector<Notation> notations() const override { return lorentz_notations(this->dimension(), K_); }

 private:
  double K_;
};

}  // namespace riemflow
