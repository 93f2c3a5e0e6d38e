#pragma once
// The whole of a manifold of dimension d ≤ 3 as patches, for integrals over all of it. With R = 1/√|K|:
//
//   S^d   x = R(cos φ₁, sin φ₁ cos φ₂, …, sin φ₁⋯sin φ_d)        √|G| = R^d Π_i sin^{d−i} φ_i
//         φ_i ∈ [0, π], φ_d ∈ [−π, π]
//   T^d   the angles                                              √|G| = 1
//   R^d   x_i = t_i/(1 − t_i²), t_i ∈ (−1, 1)                     √|G| = Π_i (1 + t_i²)/(1 − t_i²)²
//   B^d   x = R tanh(r/2R) ω, ω on the unit sphere in its angles  √|G| = (R sinh(r/R))^{d−1} dr/dt dω
//         r = t/(1 − t²) the hyperbolic distance from the origin
//         (B¹: the same with t ∈ (−1, 1) and a sign for ω)
//
// Products: the coordinates one after another, the factors multiplied. Integrands that are smooth on the
// manifold are smooth in all of these; at the poles of the angles √|G| vanishes and f does not depend on
// them.

#include <vector>

#include "riemflow/manifold/manifold.hpp"
#include "riemflow/manifold/patch.hpp"

namespace riemflow {

/// True if d ≤ 3.
bool has_patches(const Manifold<double>& manifold);

/// Enough patches for a first look at a density (about 64 for d = 2). `reach`: on the ball, r ends at
/// reach·R; points farther out cannot be told from the rim in the precision used (kReachFloat, kReachDouble).
/// Throws Error where d > 3.
std::vector<Patch> whole_manifold(const Manifold<double>& manifold, double reach);

/// What coordinates resolve, 1 − |x|/R > 32ε, which leaves room for a flow to move.
inline constexpr double kReachFloat = 12.5;
inline constexpr double kReachDouble = 32;

}  // namespace riemflow
