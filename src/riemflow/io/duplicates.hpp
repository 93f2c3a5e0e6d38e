#pragma once
// Points that are exactly equal. Where they fall on both sides of a split, a test likelihood has no bound.

#include <cstdint>
#include <vector>

#include "riemflow/core/points.hpp"

namespace riemflow {

/// The number of the group of each point, groups of equal points counted from 0 as they first appear. −0
/// equals 0.
std::vector<std::size_t> duplicate_groups(const Points<double>& points);

/// Points that repeat an earlier one.
std::size_t count_duplicates(const Points<double>& points);

}  // namespace riemflow
