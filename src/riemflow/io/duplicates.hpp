#pragma once
// Points that are one and the same. Where they fall on both sides of a split, a test likelihood has no bound.
//
// They are the same if their numbers are equal, and on a factor of a manifold where a point can be written in
// several ways (x and −x of an axis, orientations that a symmetry of the crystal takes to each other, angles
// a turn apart) if their distance there is no more than Manifold::same_within(), 1e-8 of images and 1e-12 of
// a turn: rounding of numbers in double, or of nine decimals, and no more. There is no border where that
// fails, as there is for images that are picked by rule.

#include <cstdint>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/io/point_source.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// The number of the group of each point, groups of equal points counted from 0 as they first appear. −0
/// equals 0. Points of which each is the same as the next are one group.
std::vector<std::size_t> duplicate_groups(const Manifold<double>& manifold, const Points<double>& points);

/// The first point of each group.
std::vector<std::size_t> firsts_of(const std::vector<std::size_t>& groups);

/// Points that repeat an earlier one.
std::size_t count_duplicates(const Manifold<double>& manifold, const Points<double>& points);
std::size_t count_duplicates(const ReadPoints& read);

}  // namespace riemflow
