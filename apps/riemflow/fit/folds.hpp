#pragma once
// Which points a pool's members learn from, and which choose their weights.

#include <vector>

#include "riemflow/train/split.hpp"

namespace riemflow::app {

struct Fold {
  std::vector<std::size_t> training, held_out;
};

/// One fold, the split's own. Fewer than 150 validation points say little about weights: then five folds of
/// training and validation points together, in which every point is held out once.
std::vector<Fold> folds_of(const Split& split);

}  // namespace riemflow::app
