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

std::uint32_t MetricTree::node_of(std::uint32_t i, std::uint32_t most) const {
  std::uint32_t n = 0;
  while (nodes_[n].right != 0 && nodes_[n].end - nodes_[n].begin > most)
    n = i < nodes_[nodes_[n].right].begin ? n + 1 : nodes_[n].right;
  return n;
}

/// squares_ = squared distances of the first n candidates from an embedded point.
void MetricTree::LeafNeighbours::measure(const double* from, std::size_t n) {
  squares_.assign(n, 0);
  double* const squares = squares_.data();
  if (!space_.flat()) {
    for (std::size_t j = 0; j < n; ++j)
      squares[j] = space_.squared_distance(from, tree_.embedded(candidates_[j]));
    return;
  }
  const std::size_t stride = candidates_.size();
  for (std::size_t c = 0; c < tree_.width_; ++c) {
    const double *column = &embedded_[c * stride], x = from[c];
    for (std::size_t j = 0; j < n; ++j) squares[j] += (x - column[j]) * (x - column[j]);
  }
}

/// Within D of the centre c of the leaf are k + 1 points, so that the k-th neighbour of a point p of it is no
/// farther than D + |p − c|, and every neighbour no farther from c than D + 2r, r the radius of the leaf.
void MetricTree::LeafNeighbours::gather(std::uint32_t leaf) {
  const std::vector<Node>& nodes = tree_.nodes();
  leaf_ = leaf;
  centre_ = tree_.centre(leaf);
  const auto take = [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) candidates_.push_back(i);
  };
  const auto lay_out = [&] {
    if (!space_.flat()) return;
    embedded_.resize(candidates_.size() * tree_.width_);
    for (std::size_t c = 0; c < tree_.width_; ++c)
      for (std::size_t j = 0; j < candidates_.size(); ++j)
        embedded_[c * candidates_.size() + j] = tree_.embedded(candidates_[j])[c];
  };
  // D from the points of the smallest node around the leaf that has some times as many as are wanted.
  constexpr std::size_t kSome = 4;
  std::uint32_t around = leaf;
  for (std::uint32_t n = 0; nodes[n].right != 0 && nodes[n].end - nodes[n].begin >= kSome * (k_ + 1);
       n = nodes[leaf].begin < nodes[nodes[n].right].begin ? n + 1 : nodes[n].right)
    around = n;
  if (nodes[around].end - nodes[around].begin < k_ + 1) around = 0;
  candidates_.clear();
  take(nodes[around].begin, nodes[around].end);
  lay_out();
  measure(centre_, candidates_.size());
  std::nth_element(squares_.begin(), squares_.begin() + static_cast<std::ptrdiff_t>(k_), squares_.end());
  far_ = std::sqrt(squares_[k_]) * (1 + 1e-12);

  const double reach = far_ + 2 * nodes[leaf].radius;
  candidates_.clear();
  std::vector<std::uint32_t> open{0};
  while (!open.empty()) {
    const std::uint32_t n = open.back();
    open.pop_back();
    if (tree_.least_distance(space_, n, centre_) > reach) continue;
    if (nodes[n].right == 0) {
      take(nodes[n].begin, nodes[n].end);
    } else {
      open.push_back(nodes[n].right);
      open.push_back(n + 1);
    }
  }
  lay_out();
}

const std::vector<MetricTree::Neighbour>& MetricTree::LeafNeighbours::of(std::uint32_t i) {
  if (leaf_ == kNone || i < tree_.nodes()[leaf_].begin || i >= tree_.nodes()[leaf_].end)
    gather(tree_.node_of(i));
  const double* from = tree_.embedded(i);
  measure(from, candidates_.size());
  const double reach = far_ + std::sqrt(space_.squared_distance(from, centre_)) * (1 + 1e-12),
               most = reach * reach * (1 + 1e-12);
  found_.clear();
  for (std::size_t j = 0; j < candidates_.size(); ++j)
    if (squares_[j] <= most && candidates_[j] != i) found_.push_back({squares_[j], candidates_[j]});
  const auto nearer = [](const Neighbour& a, const Neighbour& b) {
    return a.square != b.square ? a.square < b.square : a.point < b.point;
  };
  const auto last = found_.begin() + static_cast<std::ptrdiff_t>(std::min(k_, found_.size()));
  std::nth_element(found_.begin(), last, found_.end(), nearer);
  found_.erase(last, found_.end());
  std::sort(found_.begin(), found_.end(), nearer);
  return found_;
}

}  // namespace riemflow
