#pragma once
// Which points a pool's members learn from, and which choose their weights.

#include <vector>

#include "riemflow/fit/split.hpp"

namespace riemflow {

struct Fold {
  std::vector<std::size_t> training, held_out;
};

/// One fold, the split's own. Fewer than 150 validation points say little about weights: then five folds of
/// training and validation points together, in which every point is held out once. Points with equal numbers
/// in `groups` (of all points, as in split_points) are never on both sides of a fold; there are fewer folds
/// where there are fewer groups, and at least two, as the split has two.
std::vector<Fold> folds_of(const Split& split, const std::vector<std::size_t>& groups);

}  // namespace riemflow
