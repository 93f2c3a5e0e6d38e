#pragma once
// A texture: a density of orientations of crystals, told as multiples of the uniform one (m.r.d., multiples
// of a random distribution), and how such numbers are coloured.

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/figure/colour_bar.hpp"
#include "riemflow/manifold/crystal_group.hpp"

namespace riemflow::figure {

/// log p at rotations (w, x, y, z), with respect to the volume in which distance is the angle (8π² in all).
/// NaN where it could not be computed.
using OrientationDensity = std::function<std::vector<double>(const Points<double>&)>;

struct Texture {
  OrientationDensity log_density;  ///< equal at R and R s, s in the group
  /// log p of the uniform density: −log 8π² on rotation:3, log |G|/8π² on rotation:3/G.
  double log_uniform = -std::log(8 * std::numbers::pi * std::numbers::pi);
  CrystalGroup group = crystal_group("1");
};

/// exp(log p − log_uniform), asked for in pieces.
std::vector<double> multiples_of_uniform(const Texture& texture, const Points<double>& rotations);

/// From 0 to the largest, at least to 2, so that a uniform density is no extreme.
ColourBar multiples_bar(const std::vector<double>& multiples);
inline constexpr const char* kShortLabel = "m.r.d.";  ///< of a bar that has no room for more
/// Levels of contours: 1, 2, 4, 8, …, or steps of which up to six fit in where the largest is below 6. None
/// where all are the same within 0.05.
std::vector<double> multiples_levels(const std::vector<double>& multiples);
/// The uniform density's is broken.
Pen multiples_pen(double level);
/// "contours at 1 (broken), 2, 4"
std::string multiples_key(const std::vector<double>& levels);

}  // namespace riemflow::figure
