#pragma once
// Folds for cross-validation that keep groups of points together.

#include <cstddef>
#include <vector>

namespace riemflow {

/// The fold of each point, one of 0..folds−1. Points with equal group numbers are in one fold. The largest
/// groups go first, each to the fold that has the fewest points so far: no fold has more points than another
/// by more than the largest group. Groups of one size go round in the order in which they first appear, so
/// that points without groups are in fold i mod `folds`.
std::vector<std::size_t> fold_numbers(const std::vector<std::size_t>& groups, std::size_t folds);

}  // namespace riemflow
