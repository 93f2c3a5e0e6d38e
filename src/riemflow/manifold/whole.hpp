#pragma once
// The whole of a manifold of dimension d ≤ 3 as patches, for integrals over all of it: the parts that the
// factors declare (Manifold::part), the coordinates one after another and the volumes multiplied. Integrands
// that are smooth on the manifold are smooth in these coordinates; at the poles of angles √|G| vanishes and f
// does not depend on them.

#include <vector>

#include "riemflow/manifold/manifold.hpp"
#include "riemflow/manifold/patch.hpp"

namespace riemflow {

/// True if d ≤ 3 and all factors say their part.
bool has_patches(const Manifold<double>& manifold);

/// Enough patches for a first look at a density (about 64 for d = 2). `reach`: on the ball, r ends at
/// reach·R; points farther out cannot be told from the rim in the precision used (kReachFloat, kReachDouble).
/// Throws Error where there are none.
std::vector<Patch> whole_manifold(const Manifold<double>& manifold, double reach);

/// What coordinates resolve, 1 − |x|/R > 32ε, which leaves room for a flow to move.
inline constexpr double kReachFloat = 12.5;
inline constexpr double kReachDouble = 32;

}  // namespace riemflow
