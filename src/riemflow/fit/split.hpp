#pragma once
// Which points are for training, for validation and for the test.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace riemflow {

struct Split {
  std::vector<std::size_t> training, validation, test;
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

}  // namespace riemflow
