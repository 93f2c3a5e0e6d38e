#pragma once
// The rotations that leave a crystal as it is: the eleven proper point groups. An orientation R (crystal to
// sample, core/rotation.hpp) cannot be told from R s, s in the group.
//
// Settings, in the axes of the crystal with c along z and a along x (b then lies in the plane of x and y, at
// 90° or at 120°): the axis of highest order is z; of 222 the axes are x, y, z; of 32 the twofold axes are x
// and its images (321), of 422 and 622 too, and those half way between; of 23 and 432 the cube's edges are
// x, y, z. The twofold axis of 2 is y, the unique axis b of the International Tables (121), which files of
// monoclinic minerals follow.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/core/rotation.hpp"

namespace riemflow {

struct CrystalGroup {
  std::string name;         ///< Hermann and Mauguin's: "432"
  std::string schoenflies;  ///< "O"
  /// One of each pair ±q, w ≥ 0, the identity first.
  std::vector<rotation::Quaternion<double>> elements;
};

/// "1", "2", "222", "3", "32", "4", "422", "6", "622", "23", "432"
const std::vector<std::string>& crystal_group_names();

/// By either name, or by one that says its axes too ("121", "321"), in upper or lower case. Throws Error,
/// with the names, for another; of a group with reflections or an inversion, and of one in other axes, it
/// says which group to name instead.
CrystalGroup crystal_group(std::string_view name);

/// Of the orientations R s that cannot be told from R the one with the least angle, w ≥ 0.
rotation::Quaternion<double> least_turn(const CrystalGroup& group, const rotation::Quaternion<double>& R);

}  // namespace riemflow
