#pragma once
// Which points are for training, for validation and for the test; and of a pool, which points its members
// learn from and which choose their weights.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace riemflow {

struct Split {
  std::vector<std::size_t> training, validation, test;

  /// Training, then validation.
  std::vector<std::size_t> known() const {
    std::vector<std::size_t> both = training;
    both.insert(both.end(), validation.begin(), validation.end());
    return both;
  }
};

/// Of splits or of runs: first..last.
struct SeedRange {
  std::uint64_t first = 0, last = 0;
};

/// Relative sizes of the three parts, e.g. {80, 10, 10}.
using SplitShares = std::array<double, 3>;

/// "80/10/10". Throws Error unless three numbers ≥ 0 with the first two > 0.
SplitShares parse_split(std::string_view text);

/// A random split of points 0..groups.size()−1, a function of (groups, shares, seed) alone. Points with equal
/// group numbers stay together; give each its own number to split freely. Throws Error if a part with a share
/// would be empty.
Split split_points(const std::vector<std::size_t>& groups, const SplitShares& shares, std::uint64_t seed);

struct Fold {
  std::vector<std::size_t> training, held_out;
};

/// One fold, the split's own. Fewer than 150 validation points say little about weights: then five folds of
/// training and validation points together, in which every point is held out once. Points with equal numbers
/// in `groups` (of all points, as in split_points) are never on both sides of a fold; there are fewer folds
/// where there are fewer groups, and at least two, as the split has two. rows: for so many of them together
/// counts one point.
std::vector<Fold> folds_of(const Split& split, const std::vector<std::size_t>& groups, std::size_t rows = 1);

}  // namespace riemflow
