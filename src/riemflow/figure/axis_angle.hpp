#pragma once
// Rotations for those who know no Euler angles: a rotation is a vector along its axis, as long as its angle.
// All of them fill a ball whose radius is half a turn, seen here from its three sides. Orientations of
// crystals are shown once, by the least of their angles: they fill a part of the ball, the fundamental zone.

#include <array>
#include <string>
#include <vector>

#include "riemflow/figure/density_chart.hpp"
#include "riemflow/figure/disc_lattice.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

/// The three views of the ball: along z, along y, along x.
inline constexpr std::array<std::array<int, 2>, 3> kBallViews = {{{0, 1}, {0, 2}, {1, 2}}};

/// The rotations with no shorter equivalent: |ρ·a_s| ≤ tan(ω_s/4) of ρ = tan(ω/2) n, for each turn s of the
/// group by ω_s about a_s.
class FundamentalZone {
 public:
  explicit FundamentalZone(const CrystalGroup& group);
  /// The largest angle about an axis of length 1.
  double largest_angle(const rotation::Vector<double>& axis) const;
  /// The largest of all that lie in one of the coordinate planes, which is what is seen from a side.
  double radius() const { return radius_; }
  bool whole() const { return bounds_.empty(); }  ///< the whole ball

 private:
  struct Bound {
    rotation::Vector<double> axis;
    double most;  // tan(ω_s/4)
  };
  std::vector<Bound> bounds_;
  double radius_;
};

/// Discs of radius 1 for the zone's. The density at a place is the largest along the line of sight, in
/// multiples of the uniform one: every peak is seen from all three sides with its height. (Means along the
/// line thin out what lies in the middle of the ball; sections miss what lies beside them.)
struct AxisAngleViews {
  FundamentalZone zone;
  std::array<DiscLattice, 3> density = {};        ///< without points: none
  std::array<std::vector<Cloud>, 3> clouds = {};  ///< rotations, seen from the same sides
  ColourBar bar = {};
};

/// As fine as the texture's narrowest places ask for (line_of_sight.hpp).
AxisAngleViews axis_angle_views(const Texture& texture, std::optional<bool> log_scale = std::nullopt);
/// Where rotations are seen, on each disc.
std::array<std::vector<Vec2>, 3> axis_angle_dots(const CrystalGroup& group, const FundamentalZone& zone,
                                                 const Points<double>& rotations);

std::string draw_axis_angle(const Sheet& sheet, const AxisAngleViews& views);

}  // namespace riemflow::figure
