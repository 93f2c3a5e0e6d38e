#pragma once
// Upper bounds of what the kernels of a tree's nodes add, for eight nodes at a time: a binary tree seen three
// levels at a time. One node after the other took longer than the kernels that are visited.

#include <cstdint>
#include <vector>

#include "riemflow/core/aligned.hpp"
#include "riemflow/core/simd/densities.hpp"
#include "riemflow/kernel/kernel_space.hpp"
#include "riemflow/kernel/metric_tree.hpp"

namespace riemflow {

/// Kernels of a node: log of their sum at x ≤ log_bound + log of their weights' sum − ½ precision·reach.
struct NodeBound {
  double log_bound, precision;
};

class KernelNodes {
 public:
  static constexpr std::size_t kBlock = simd::kBlock;
  struct Child {
    std::uint32_t begin, end;  ///< its kernels, in the tree's order
    std::uint32_t group;       ///< its children; 0 for a leaf
  };
  /// Up to kBlock nodes, in the tree's order.
  struct Group {
    std::uint32_t count;
    Child children[kBlock];
  };

  /// bounds: one a node of the tree. turn: R of simd::Densities::log_bounds.
  KernelNodes(const KernelSpace& space, const MetricTree& tree, const std::vector<NodeBound>& bounds,
              double turn);

  /// The first has the root's.
  const Group& group(std::size_t g) const { return groups_[g]; }
  /// out[kBlock], aligned to 64 bytes: log_bound − ½ precision·reach of a group's children, x embedded.
  void log_bounds(std::size_t group, const double* x, double* out) const;

 private:
  std::uint32_t add(const MetricTree& tree, const std::vector<NodeBound>& bounds, std::uint32_t node);

  std::vector<simd::DensityFactor> factors_;
  int rows_;
  std::size_t width_;
  double turn_;
  std::vector<Group> groups_;
  AlignedVector<double> numbers_;
};

}  // namespace riemflow
