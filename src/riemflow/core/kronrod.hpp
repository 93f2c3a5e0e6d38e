#pragma once
// Gauss–Kronrod rules on [−1, 1]: n Gauss nodes (exact to degree 2n − 1) and n + 1 more between them make a
// rule of 2n + 1 nodes that is exact to degree 3n + 1. The difference of the two tells the error of the first
// at no further cost; that of the second is of the order of its power 3/2.

#include <span>

namespace riemflow {

struct KronrodRule {
  std::span<const double> nodes, weights, gauss_weights;  ///< gauss_weights: 0 at nodes that are not Gauss's

  int size() const { return static_cast<int>(nodes.size()); }
};

inline constexpr int kKronrodRules = 4;

/// i = 0..3: 1, 3, 5, 7 Gauss nodes, 3, 7, 11, 15 nodes in all.
const KronrodRule& kronrod_rule(int i);

}  // namespace riemflow
