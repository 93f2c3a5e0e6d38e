#pragma once
// The coordinates over which spaces of few dimensions are drawn (declarations.hpp).

#include <vector>

#include "riemflow/manifold/declarations.hpp"

namespace riemflow {

/// The coordinates of a point themselves; those of periodic axes wrapped into them.
DrawnCoordinates own_coordinates(std::vector<DrawnAxis> axes);
/// The angle on a circle of this radius around 0; with both_ends a point is at −x as well.
DrawnCoordinates circle_coordinates(double radius, bool both_ends);
/// Longitude and latitude of a sphere of this radius around 0, in degrees.
DrawnCoordinates globe_coordinates(double radius, bool both_ends);
/// Of a product, `ambient` numbers of a point for each factor. Every factor's places beside every other's.
DrawnCoordinates product_coordinates(std::vector<DrawnCoordinates> factors, std::vector<int> ambient);

}  // namespace riemflow
