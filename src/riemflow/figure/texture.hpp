#pragma once
// A texture: a density of orientations of crystals, told as multiples of the uniform one (m.r.d., multiples
// of a random distribution), and how such numbers are coloured.

#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/figure/colour_bar.hpp"
#include "riemflow/manifold/crystal_group.hpp"

namespace riemflow::figure {

using Orientation = rotation::Quaternion<double>;

/// log p at rotations (w, x, y, z), with respect to the volume in which distance is the angle (8π² in all).
/// NaN where it could not be computed.
using OrientationDensity = std::function<std::vector<double>(const Points<double>&)>;

struct Texture {
  OrientationDensity log_density;  ///< equal at R and R s, s in the group
  /// log p of the uniform density: −log 8π² on rotation:3, log |G|/8π² on rotation:3/G.
  double log_uniform = -std::log(8 * std::numbers::pi * std::numbers::pi);
  CrystalGroup group = crystal_group("1");
  /// The first n of its draws: no lattice finds what is narrow without them. Empty: it is broad everywhere.
  std::function<Points<double>(std::size_t n)> draws = {};
  double draws_a_value = 5;  ///< that cost as much as the density at one place
};

inline Orientation orientation_at(const Points<double>& rotations, std::size_t i) {
  const auto q = rotations[i];
  return {q[0], q[1], q[2], q[3]};
}
inline void add_orientation(Points<double>& rotations, const Orientation& q) {
  const auto kept = rotation::canonical(q);
  rotations.values.insert(rotations.values.end(), kept.begin(), kept.end());
}

/// exp(log p − log_uniform), asked for in pieces.
std::vector<double> multiples_of_uniform(const Texture& texture, const Points<double>& rotations);

/// How narrow the texture is where it is narrowest, in radians: the deviation σ of an isotropic normal whose
/// logarithm would be as steep. Told from the slopes at 1000 draws, of which that of a normal is √χ₃²/σ: the
/// steepest hundredth of them begins at 3.37/σ. What holds less than about a hundredth of the mass is not
/// seen. kBroad without draws, and never more.
double finest_width(const Texture& texture);
inline constexpr double kBroad = 0.5;

/// Of sharp textures, whose largest density is above this, peaks and what is around them are seen on a log
/// scale alone, and contours would be as thick as the peaks.
inline constexpr double kSharp = 100;
/// From 0 to the largest, at least to 2, so that a uniform density is no extreme. On a log scale, which sharp
/// textures have unless asked otherwise, from the smallest, but no more than four powers of ten below the
/// largest.
ColourBar multiples_bar(const std::vector<double>& multiples, std::optional<bool> log_scale = std::nullopt);
inline constexpr const char* kShortLabel = "m.r.d.";  ///< of a bar that has no room for more
/// Levels of contours: 1, 2, 5, 10, 20, 50; or steps of which up to six fit in where the largest is below 6.
/// None of a sharp texture, and none where all are the same within 0.05.
std::vector<double> multiples_levels(const std::vector<double>& multiples);
/// The uniform density's is broken.
Pen multiples_pen(double level);
/// "contours at 1 (broken), 2, 5"
std::string multiples_key(const std::vector<double>& levels);

}  // namespace riemflow::figure
