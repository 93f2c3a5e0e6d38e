#pragma once
// Rotations for those who know no Euler angles: a rotation is a vector along its axis, as long as its angle.
// All of them fill a ball whose radius is half a turn, seen here from its three sides.

#include <array>
#include <string>
#include <vector>

#include "riemflow/figure/density_chart.hpp"
#include "riemflow/figure/disc_lattice.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

/// The three views of the ball: along z, along y, along x.
inline constexpr std::array<std::array<int, 2>, 3> kBallViews = {{{0, 1}, {0, 2}, {1, 2}}};

/// Discs of radius 1 for half a turn. The density at a place is the largest along the line of sight, in
/// multiples of the uniform one: every peak is seen from all three sides with its height. (Means along the
/// line thin out what lies in the middle of the ball; sections miss what lies beside them.)
struct AxisAngleViews {
  std::array<DiscLattice, 3> density;          ///< without points: none
  std::array<std::vector<Vec2>, 3> dots = {};  ///< of rotations, seen from the same sides
  std::string dots_label;
  ColourBar bar;
};

/// n: points across the ball, rounded down to an odd number: about n³/2 evaluations.
AxisAngleViews axis_angle_views(const Texture& texture, int n = 61);
std::array<std::vector<Vec2>, 3> axis_angle_dots(const Points<double>& rotations);

std::string draw_axis_angle(const Sheet& sheet, const AxisAngleViews& views);

}  // namespace riemflow::figure
