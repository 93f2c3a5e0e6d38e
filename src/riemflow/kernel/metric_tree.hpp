#pragma once
// A tree of balls over embedded points: each node knows a centre and a radius that holds all its points, so
// that the triangle inequality bounds their distances from anywhere.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/kernel/kernel_space.hpp"

namespace riemflow {

class MetricTree {
 public:
  struct Node {
    std::uint32_t begin, end;  ///< its points, in the tree's order
    std::uint32_t right;       ///< its second child; the first follows it. 0 for a leaf
    double radius;
  };
  struct Neighbour {
    double square;        ///< of the distance
    std::uint32_t point;  ///< in the tree's order
  };
  static constexpr std::uint32_t kLeaf = 12;  ///< points of a leaf, at most
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// points: on the manifold; `which` of them, at least one and fewer than 2³², are the tree's. Nodes begin
  /// at multiples of `block`, ≤ leaf.
  MetricTree(const KernelSpace& space, const Points<double>& points, std::vector<std::uint32_t> which,
             std::uint32_t leaf = kLeaf, std::uint32_t block = 1);
  /// Over all of them.
  MetricTree(const KernelSpace& space, const Points<double>& points);

  std::size_t size() const { return order_.size(); }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// order()[i] = the number of the i-th point of the tree in `points`.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// The i-th point of the tree, embedded.
  const double* embedded(std::size_t i) const { return &embedded_[i * width_]; }
  const double* centre(std::size_t node) const { return &centres_[node * width_]; }
  /// Least distance that a point of the node can have from the embedded e.
  double least_distance(const KernelSpace& space, std::size_t node, const double* e) const;

  /// The k points nearest to the embedded e, the nearest first, ties in any order; fewer if there are not so
  /// many. `without` (tree's order) is left out.
  void nearest(const KernelSpace& space, const double* e, std::size_t k, std::uint32_t without,
               std::vector<Neighbour>& found) const;

  /// The largest node that has point i and no more than so many points; its leaf where all have more.
  std::uint32_t node_of(std::uint32_t i, std::uint32_t most = 0) const;
  /// Of each point of a leaf the k points nearest to it but for itself, the nearest first, ties in the tree's
  /// order; fewer if there are not so many. All that may be neighbours are looked up once for the leaf: a
  /// tenth of the time of as many searches.
  class LeafNeighbours;

 private:
  std::uint32_t build(const KernelSpace& space, const std::vector<double>& embedded,
                      std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end);

  std::size_t width_;
  std::uint32_t leaf_, block_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> order_;
  std::vector<double> embedded_;  // in the tree's order
  std::vector<double> centres_;   // a node
};

/// Keeps its memory from one leaf to the next.
class MetricTree::LeafNeighbours {
 public:
  LeafNeighbours(const KernelSpace& space, const MetricTree& tree, std::size_t k)
      : space_(space), tree_(tree), k_(std::min(k, tree.size() - 1)) {}

  /// Of point i of the tree. Quick if the last one was of the same leaf.
  const std::vector<Neighbour>& of(std::uint32_t i);

 private:
  void gather(std::uint32_t leaf);
  void measure(const double* from, std::size_t n);

  const KernelSpace& space_;
  const MetricTree& tree_;
  std::size_t k_;
  std::uint32_t leaf_ = kNone;
  const double* centre_ = nullptr;
  double far_ = 0;  ///< no farther from the leaf's centre are k_ + 1 points
  std::vector<std::uint32_t> candidates_;
  std::vector<double> embedded_;  ///< of the candidates, [number][candidate]
  std::vector<double> squares_;
  std::vector<Neighbour> found_;
};

}  // namespace riemflow
