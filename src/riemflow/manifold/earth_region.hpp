#pragma once
// Regions of the Earth as patches in which a smooth density stays smooth: circles in polar coordinates about
// their centre, boxes in latitude and longitude, polygons as trapezoids (earth_polygon.hpp). Beside the
// patches their border, for what is known along it, and whether a point is inside.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "riemflow/manifold/patch.hpp"

namespace riemflow {

/// A piece of a border, x(t) for t in [0, 1], short enough to be nearly straight; the region is on its left,
/// seen from outside the sphere.
struct BorderPiece {
  std::function<void(double t, double* x, double* velocity)> at;
  double middle[3];   ///< x(½)
  double radius = 0;  ///< all of it is within this distance of the middle
};

struct EarthRegion {
  std::string name;  ///< "circle 35,139,100"
  std::vector<Patch> patches;
  /// Closed curves. Those of adjacent trapezoids run along their common side in both directions.
  std::vector<BorderPiece> border;
  std::function<bool(const double* x)> contains;  ///< either answer for a point of the border
  double steradians = 0;                          ///< in closed form
  std::vector<std::string> remarks;               ///< what was assumed
  /// The rest of the sphere, of a circle that is larger than it; else null.
  std::shared_ptr<const EarthRegion> rest;
};

/// All points within `km` of a place along the ground, 0 < km ≤ π·6371.0088, half the way round; degrees,
/// longitude in [−180, 360]. Error (usage) otherwise. Area: 4π sin²(r/2).
EarthRegion earth_circle(double latitude, double longitude, double km);

/// Between two meridians, eastward from west to east, and two parallels; degrees, longitudes in [−180, 360].
/// west > east: across the antimeridian (or, in 0..360, Greenwich); east − west = 360: the whole band. Error
/// (usage) unless −90 ≤ south < north ≤ 90. Area: Δλ (sin φ_n − sin φ_s).
EarthRegion earth_box(double west, double south, double east, double north);

/// Where a density in the coordinates (latitude, s ∈ [0, 1]) of a trapezoid lies: from the left edge at s = 0
/// to the right one at s = 1, both straight in longitude over latitude. All in degrees.
struct Trapezoid {
  double south, north;
  double left_south, left_north, right_south, right_north;
};

/// Patches of at most 22.5° a side.
std::vector<Patch> patches_of(const Trapezoid& trapezoid);
/// Of a disjoint union of trapezoids: patches, border, contains and steradians.
void add_trapezoids(const std::vector<Trapezoid>& trapezoids, EarthRegion& region);

/// ∫ (right − left) cos φ dφ. With the width w_s + (w_n − w_s)(φ − φ_s)/Δ this is
///   w_n sin φ_n − w_s sin φ_s + (w_n − w_s)(cos φ_n − cos φ_s)/Δ,
/// computed about the middle, where nothing cancels: with m the middle latitude and h = Δ/2, w the middle
/// width and b = (w_n − w_s)/2, = 2w cos m sin h − 2b sin m (sin h − h cos h)/h.
double steradians_of(const Trapezoid& trapezoid);

}  // namespace riemflow
