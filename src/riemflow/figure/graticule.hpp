#pragma once
// Meridians and parallels of a map, and their degrees beside it.

#include "riemflow/figure/cut.hpp"

namespace riemflow::figure {

/// Every 30 degrees, in the plane of the projection.
Lines graticule(const Projection& projection);

struct DegreeLabel {
  Vec2 at;        ///< in the plane of the projection, on the map's border where that is possible
  Vec2 outwards;  ///< the direction away from the map
  std::string text;
};
/// Where meridians and parallels meet the border: "60° N" beside the map, "120° E" under it. On a view of
/// half the sphere, all around. The more important first; they may overlap.
std::vector<DegreeLabel> degree_labels(const Projection& projection);

}  // namespace riemflow::figure
