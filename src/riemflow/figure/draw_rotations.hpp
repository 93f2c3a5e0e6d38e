#pragma once
// Models of rotations and of orientations as figures: pole figures, sections of Euler angles, the ball of
// rotation vectors.

#include "riemflow/figure/draw.hpp"

namespace riemflow::figure {

/// group: the crystal's. Unless a view is asked for, pole figures of crystals, and the ball where rotations
/// have no symmetry.
Drawing draw_rotations(const Model& model, const std::string& group, const DrawOptions& options,
                       TaskObserver& observer);

}  // namespace riemflow::figure
