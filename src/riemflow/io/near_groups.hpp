#pragma once
// Points that lie near each other, as groups: twins of one event would flatter a test across a split.

#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// The number of the group of each point: points are in one group if a chain of points, each no farther than
/// `distance` (of the manifold, ≥ 0) from the one before, leads from one to the other. Groups are counted
/// from 0 as they first appear. About n log n steps, however many points a group has: a tree of the points
/// that have no group yet is asked once for each point. It knows nothing of the manifold but its distances.
std::vector<std::size_t> near_groups(const Manifold<double>& manifold, const Points<double>& points,
                                     double distance);

}  // namespace riemflow
