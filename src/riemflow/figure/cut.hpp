#pragma once
// What lies on the sphere as a map shows it: cut at the map's border, which is the meridian opposite of its
// centre or the horizon. Results are in the plane of the projection.

#include "riemflow/figure/projection.hpp"

namespace riemflow::figure {

/// Points joined by arcs of great circles, each the shorter one.
struct SphereLine {
  std::vector<Vec3> points;
  bool closed = false;
};

/// The pieces that are seen. An arc that meets the border ends there.
Lines cut(const Projection& projection, const std::vector<SphereLine>& lines);

/// Rings to be filled, even-odd. Border edges of the map are among theirs.
Lines filled(const Projection& projection, const Land& land);

/// The rings' own edges.
Lines coasts(const Projection& projection, const Land& land);

}  // namespace riemflow::figure
