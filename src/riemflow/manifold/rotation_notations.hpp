#pragma once
// The ways in which rotations are written: quaternions, Euler angles, matrices, rotation vectors.

#include <vector>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Of points (w, x, y, z), as core/rotation.hpp has them: quaternion, Bunge's Euler angles, matrix, rotation
/// vector, Matthies' Euler angles, yaw–pitch–roll. What is read is a unit quaternion with w ≥ 0; what is
/// written is in the ranges of core/rotation.hpp. Angles that are read may be any.
std::vector<Notation> rotation_notations();

}  // namespace riemflow
