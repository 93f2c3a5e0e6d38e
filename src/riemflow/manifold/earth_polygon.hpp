#pragma once
// Polygons on the Earth whose edges are straight in longitude over latitude, as GeoJSON means them (RFC 7946,
// section 3.1.1), cut into trapezoids between parallels.
//
// On the cylinder of longitudes a ring is unrolled edge by edge. An edge of more than 180° is taken the short
// way round (170 → −170 are 20°), but as it stands if it is one of exactly 360° or lies on a pole. A ring
// that comes back 360° from where it began goes round a pole: with the inside on its left, eastward round the
// north pole, westward round the south pole; it is closed along that pole. A hole that goes round a pole
// leaves out the pole that its polygon contains, whichever way it runs.
//
// Inside a polygon is what an odd number of its rings' edges separates from the outside; of several polygons,
// what is inside at least one.

#include <optional>
#include <string>
#include <vector>

#include "riemflow/manifold/earth_region.hpp"

namespace riemflow {

/// Degrees.
struct LonLat {
  double longitude, latitude;
};

/// Without its last position, which repeats the first.
using Ring = std::vector<LonLat>;

/// The outer ring, then holes.
using Polygon = std::vector<Ring>;

/// Disjoint, in no order: about as many as edges. Throws Error (bad_data), beginning with `name`, if a ring
/// goes round more than once. `remarks`: what was assumed.
std::vector<Trapezoid> trapezoids_of(const std::vector<Polygon>& polygons, const std::string& name,
                                     std::vector<std::string>& remarks);

/// A ring of a polygon, from 1 on, that is no hole: what it encloses is not inside the first ring, in part or
/// at all, or is inside another hole. Even and odd would add what was to be taken away.
struct MisplacedHole {
  enum How { outside, across, overlapping };
  std::size_t ring;
  How how;
};
/// By areas, to 1e-11 of the first ring's: holes that touch it or each other are where they should be. Throws
/// as trapezoids_of.
std::optional<MisplacedHole> misplaced_hole(const Polygon& polygon, const std::string& name);

EarthRegion earth_polygons(const std::vector<Polygon>& polygons, const std::string& name);

}  // namespace riemflow
