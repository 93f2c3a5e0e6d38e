#pragma once
// The land of the Earth: Natural Earth's polygons, compiled in. data/README.md has the format.

#include <vector>

namespace riemflow::figure {

/// Degrees.
struct LatLon {
  double latitude = 0, longitude = 0;
};

/// Rings, not closed by a repeated point, whose edges go the shorter way around. Inside is what an odd number
/// of them separates from the north pole, where there is sea.
using Land = std::vector<std::vector<LatLon>>;

enum class LandScale { coarse, fine };  ///< 1:110 million, 1:50 million
const Land& land(LandScale scale);

/// Whether a point is inside, with edges straight in longitude and latitude.
bool inside(const Land& land, LatLon point);

/// The longitude in [−180, 180).
double wrapped(double longitude);

}  // namespace riemflow::figure
