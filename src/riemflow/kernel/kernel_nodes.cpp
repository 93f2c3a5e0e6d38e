#include "riemflow/kernel/kernel_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/kernel/kernel_families.hpp"

namespace riemflow {

KernelNodes::KernelNodes(const KernelSpace& space, const MetricTree& tree,
                         const std::vector<NodeBound>& bounds, double turn)
    : rows_(3 + space.width()), width_(static_cast<std::size_t>(space.width())), turn_(turn) {
  using Kind = simd::DensityFactor::Kind;
  if (space.flat()) {
    factors_.push_back({Kind::round, space.width(), space.width(), 0, 0, 3});
  } else {
    const std::vector<KernelSpace::Part>& parts = space.parts();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const KernelSpace::Part& part = parts[p];
      const int end = p + 1 < parts.size() ? parts[p + 1].column : space.width();
      factors_.push_back({is_hyperbolic(part.family) ? Kind::round_ball : Kind::round, part.dimension,
                          end - part.column, part.curvature, part.column, 3 + part.column});
    }
  }
  add(tree, bounds, 0);
}

std::uint32_t KernelNodes::add(const MetricTree& tree, const std::vector<NodeBound>& bounds,
                               std::uint32_t node) {
  std::vector<std::uint32_t> nodes = {node};
  for (bool grown = true; grown && nodes.size() <= kBlock / 2;) {
    grown = false;
    std::vector<std::uint32_t> next;
    for (const std::uint32_t n : nodes) {
      const std::uint32_t right = tree.nodes()[n].right;
      next.push_back(right == 0 ? n : n + 1);
      if (right != 0) next.push_back(right);
      grown = grown || right != 0;
    }
    nodes = std::move(next);
  }
  const std::size_t group = groups_.size(), rows = static_cast<std::size_t>(rows_);
  groups_.push_back({static_cast<std::uint32_t>(nodes.size()), {}});
  numbers_.resize(groups_.size() * rows * kBlock);
  for (std::size_t c = 0; c < kBlock; ++c) {
    const std::uint32_t n = nodes[std::min(c, nodes.size() - 1)];
    double* to = &numbers_[group * rows * kBlock + c];
    to[0] = bounds[n].log_bound;
    to[kBlock] = bounds[n].precision;
    to[2 * kBlock] = tree.nodes()[n].radius;
    for (std::size_t i = 0; i < width_; ++i) to[(3 + i) * kBlock] = tree.centre(n)[i];
  }
  for (std::size_t c = 0; c < nodes.size(); ++c) {
    const MetricTree::Node& at = tree.nodes()[nodes[c]];
    const std::uint32_t below = at.right == 0 ? 0 : add(tree, bounds, nodes[c]);
    groups_[group].children[c] = {at.begin, at.end, below};
  }
  return static_cast<std::uint32_t>(group);
}

void KernelNodes::log_bounds(std::size_t group, const double* x, double* out) const {
  static const simd::Densities& densities = simd::densities();
  const simd::BallLayout layout{factors_.data(), static_cast<int>(factors_.size()), rows_, turn_};
  densities.log_bounds(layout, &numbers_[group * static_cast<std::size_t>(rows_) * kBlock], x, out);
}

}  // namespace riemflow
