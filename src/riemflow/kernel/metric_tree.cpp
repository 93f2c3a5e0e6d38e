#include "riemflow/kernel/metric_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

std::vector<std::uint32_t> all_of(std::size_t n) {
  std::vector<std::uint32_t> numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

}  // namespace

MetricTree::MetricTree(const KernelSpace& space, const Points<double>& points)
    : MetricTree(space, points, all_of(points.size())) {}

MetricTree::MetricTree(const KernelSpace& space, const Points<double>& points,
                       std::vector<std::uint32_t> which, std::uint32_t leaf, std::uint32_t block)
    : width_(static_cast<std::size_t>(space.width())), leaf_(leaf), block_(block) {
  require(!which.empty() && which.size() < kNone, "a tree over " + std::to_string(which.size()) + " points",
          "give at least one, and fewer than 2^32");
  std::vector<double> embedded(which.size() * width_);
  for (std::size_t i = 0; i < which.size(); ++i) space.embed(points[which[i]], &embedded[i * width_]);
  std::vector<std::uint32_t> rows = all_of(which.size());
  nodes_.reserve(4 * which.size() / leaf_ + 1);
  centres_.reserve(nodes_.capacity() * width_);
  build(space, embedded, rows, 0, static_cast<std::uint32_t>(which.size()));
  embedded_.resize(embedded.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(&embedded[rows[i] * width_], width_, &embedded_[i * width_]);
    order_.push_back(which[rows[i]]);
  }
}

std::uint32_t MetricTree::build(const KernelSpace& space, const std::vector<double>& embedded,
                                std::vector<std::uint32_t>& rows, std::uint32_t begin, std::uint32_t end) {
  const auto node = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({begin, end, 0, 0});
  std::vector<double> mean(width_), low(width_, INFINITY), high(width_, -INFINITY);
  for (std::uint32_t i = begin; i < end; ++i)
    for (std::size_t c = 0; c < width_; ++c) {
      const double x = embedded[rows[i] * width_ + c];
      mean[c] += x / (end - begin);
      low[c] = std::min(low[c], x);
      high[c] = std::max(high[c], x);
    }
  space.complete(mean.data());
  double square = 0;
  for (std::uint32_t i = begin; i < end; ++i)
    square = std::max(square, space.squared_distance(&embedded[rows[i] * width_], mean.data()));
  // Rounded up: a bound may be loose, never wrong.
  nodes_[node].radius = std::sqrt(square) * (1 + 1e-12) + 1e-15;
  centres_.insert(centres_.end(), mean.begin(), mean.end());
  if (end - begin <= leaf_) return node;

  std::size_t axis = 0;
  for (std::size_t c = 1; c < width_; ++c)
    if (high[c] - low[c] > high[axis] - low[axis]) axis = c;
  const std::uint32_t middle = begin + ((end - begin) / 2 + block_ / 2) / block_ * block_;
  std::nth_element(rows.begin() + begin, rows.begin() + middle, rows.begin() + end,
                   [&](std::uint32_t a, std::uint32_t b) {
                     const double x = embedded[a * width_ + axis], y = embedded[b * width_ + axis];
                     return x != y ? x < y : a < b;
                   });
  build(space, embedded, rows, begin, middle);
  const std::uint32_t right = build(space, embedded, rows, middle, end);
  nodes_[node].right = right;
  return node;
}

double MetricTree::least_distance(const KernelSpace& space, std::size_t node, const double* e) const {
  return std::max(0.0,
                  std::sqrt(space.squared_distance(e, centre(node))) * (1 - 1e-12) - nodes_[node].radius);
}

void MetricTree::nearest(const KernelSpace& space, const double* e, std::size_t k, std::uint32_t without,
                         std::vector<Neighbour>& found) const {
  const auto nearer = [](const Neighbour& a, const Neighbour& b) { return a.square < b.square; };
  found.clear();
  // A heap, the farthest at its front.
  std::vector<std::pair<double, std::uint32_t>> open{{least_distance(space, 0, e), 0}};
  while (!open.empty() && k > 0) {
    const auto [distance, n] = open.back();
    open.pop_back();
    if (found.size() == k && distance * distance > found.front().square) continue;
    const Node& node = nodes_[n];
    if (node.right != 0) {
      std::pair<double, std::uint32_t> a{least_distance(space, n + 1, e), n + 1};
      std::pair<double, std::uint32_t> b{least_distance(space, node.right, e), node.right};
      if (a < b) std::swap(a, b);
      open.push_back(a);
      open.push_back(b);
      continue;
    }
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      if (i == without) continue;
      const Neighbour candidate{space.squared_distance(e, embedded(i)), i};
      if (found.size() == k) {
        if (!(candidate.square < found.front().square)) continue;
        std::pop_heap(found.begin(), found.end(), nearer);
        found.pop_back();
      }
      found.push_back(candidate);
      std::push_heap(found.begin(), found.end(), nearer);
    }
  }
  std::sort_heap(found.begin(), found.end(), nearer);
}

}  // namespace riemflow
