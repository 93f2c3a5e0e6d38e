#pragma once
// Coordinates that patches of several spaces share: the angles of the unit sphere,
//   x = (cos φ₁, sin φ₁ cos φ₂, …, sin φ₁⋯sin φ_d), φ_i ∈ [0, π], φ_d ∈ [−π, π]
// and half-lines and lines as intervals, x = t/(1 − t²).

#include <cmath>
#include <numbers>
#include <vector>

#include "riemflow/manifold/patch.hpp"

namespace riemflow {

/// x = the point of the unit sphere S^d at the angles φ; returns Π sin^{d−i} φ_i.
inline double from_angles(int d, const double* angle, double* x) {
  double sines = 1, volume = 1;
  for (int i = 0; i < d; ++i) {
    x[i] = sines * std::cos(angle[i]);
    sines *= std::sin(angle[i]);
    if (i + 1 < d) volume *= std::abs(sines);
  }
  x[d] = sines;
  return volume;
}

/// Angles of S^d: the last goes all the way round.
inline void add_angles(int d, std::vector<PatchPart::Axis>& axes) {
  for (int i = 1; i < d; ++i) axes.push_back({0, std::numbers::pi, 6});
  if (d > 0) axes.push_back({-std::numbers::pi, std::numbers::pi, 10});
}

/// x = t/(1 − t²); returns dx/dt.
inline double stretch(double t, double& x) {
  const double gap = (1 - t) * (1 + t);
  x = t / gap;
  return (1 + t * t) / (gap * gap);
}

/// The t of x: the root of x t² + t − x in (−1, 1), without cancellation.
inline double unstretch(double x) { return 2 * x / (1 + std::sqrt(1 + 4 * x * x)); }

}  // namespace riemflow
