#include "riemflow/io/near_groups.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

#include "riemflow/io/duplicates.hpp"

namespace riemflow {
namespace {

/// A share of distances that rounding may be off by.
constexpr double kSlack = 1e-12;

/// The points that have no group yet, as a tree: a node has up to kLanes points, or as many nodes, each of
/// the points that are nearest to one of them, its pivot. What a node holds is looked at in one tile.
class Ungrouped {
 public:
  Ungrouped(const Manifold<double>& manifold, const Points<double>& points)
      : manifold_(manifold),
        points_(points),
        width_(static_cast<std::size_t>(points.dimension)),
        order_(points.size()),
        there_(points.size(), true),
        query_(width_),
        near_(width_) {
    std::iota(order_.begin(), order_.end(), 0u);
    build(0, static_cast<std::uint32_t>(points.size()));
  }

  /// Takes out the points no farther than `distance` from point i, and adds their numbers to `found`.
  void take(std::uint32_t i, double distance, std::vector<std::uint32_t>& found) {
    at_ = i;
    distance_ = distance;
    for (std::size_t c = 0; c < width_; ++c) query_[c] = Pack<double>(points_[i][c]);
    take_of(0, found);
  }

 private:
  struct Node {
    std::uint32_t begin, end;  ///< its points, in the order of the tree
    std::uint32_t left;        ///< of these, that have no group yet
    std::vector<std::uint32_t> children = {};
    std::vector<double> radii = {};       ///< of the children: no point of one is farther from its pivot
    std::vector<Pack<double>> tile = {};  ///< the pivots of the children, or the points
  };

  std::vector<Pack<double>> tile_of(std::span<const std::uint32_t> which) const {
    std::vector<Pack<double>> tile(width_);
    for (int l = 0; l < kLanes; ++l) {
      const auto point = points_[which[std::min<std::size_t>(static_cast<std::size_t>(l), which.size() - 1)]];
      for (std::size_t c = 0; c < width_; ++c) tile[c][l] = point[c];
    }
    return tile;
  }

  std::uint32_t build(std::uint32_t begin, std::uint32_t end) {
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({begin, end, end - begin});
    const std::uint32_t n = end - begin;
    if (n <= kLanes) {
      nodes_[number].tile = tile_of({&order_[begin], n});
      return number;
    }
    std::vector<std::uint32_t> pivots;
    for (std::uint32_t k = 0; k < kLanes; ++k)
      pivots.push_back(order_[begin + static_cast<std::uint32_t>(std::uint64_t{k} * n / kLanes)]);
    const std::vector<Pack<double>> tile = tile_of(pivots);
    std::vector<std::vector<std::uint32_t>> parts(kLanes);
    std::vector<double> radii(kLanes, 0.0);
    std::vector<Pack<double>> x(width_);
    for (std::uint32_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < width_; ++c) x[c] = Pack<double>(points_[order_[i]][c]);
      const Pack<double> far = manifold_.distance_at_least(x.data(), tile.data());
      // Equal points, whose nearest pivot is one for all, would go on for ever: these are dealt out.
      std::size_t nearest = (i - begin) % kLanes;
      for (int l = 0; l < kLanes; ++l)
        if (far[l] < far[static_cast<int>(nearest)]) nearest = static_cast<std::size_t>(l);
      parts[nearest].push_back(order_[i]);
      radii[nearest] = std::max(radii[nearest], far[static_cast<int>(nearest)]);
    }
    std::uint32_t place = begin;
    for (const auto& part : parts)
      place =
          static_cast<std::uint32_t>(std::ranges::copy(part, order_.begin() + place).out - order_.begin());
    std::vector<std::uint32_t> children;
    place = begin;
    for (const auto& part : parts) {
      const auto size = static_cast<std::uint32_t>(part.size());
      children.push_back(size > 0 ? build(place, place + size) : 0);
      place += size;
    }
    nodes_[number].children = std::move(children);
    nodes_[number].radii = std::move(radii);
    nodes_[number].tile = tile;
    return number;
  }

  /// The number that it took.
  std::uint32_t take_of(std::uint32_t number, std::vector<std::uint32_t>& found) {
    const Node& node = nodes_[number];
    const Pack<double> far = manifold_.distance_at_least(query_.data(), node.tile.data());
    std::uint32_t taken = 0;
    if (node.children.empty()) {
      taken = take_near(node, far, found);
    } else {
      const double nearest = *std::min_element(far.lane, far.lane + kLanes);
      for (std::size_t k = 0; k < node.children.size(); ++k) {
        const double pivot = far[static_cast<int>(k)], radius = node.radii[k];
        if (node.children[k] == 0 || nodes_[node.children[k]].left == 0) continue;
        if (pivot - radius - kSlack * (pivot + radius) > distance_) continue;
        // A point is no farther from its own pivot than from any: what is near is not much beyond that.
        if (pivot - nearest - kSlack * (pivot + nearest) > 2 * distance_) continue;
        taken += take_of(node.children[k], found);
      }
    }
    nodes_[number].left -= taken;
    return taken;
  }

  std::uint32_t take_near(const Node& node, const Pack<double>& far, std::vector<std::uint32_t>& found) {
    std::array<bool, kLanes> possible{};
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const std::uint32_t l = i - node.begin;
      possible[l] = there_[order_[i]] && !(far[static_cast<int>(l)] * (1 - kSlack) > distance_);
    }
    if (std::ranges::none_of(possible, std::identity())) return 0;
    // What need not be known is not computed: a distance of 0 is soon found.
    for (std::size_t c = 0; c < width_; ++c)
      for (int l = 0; l < kLanes; ++l)
        near_[c][l] = possible[static_cast<std::size_t>(l)] ? node.tile[c][l] : query_[c][l];
    const Pack<double> exact = manifold_.distance(query_.data(), near_.data());
    std::uint32_t taken = 0;
    for (std::uint32_t i = node.begin; i < node.end; ++i) {
      const std::uint32_t l = i - node.begin, point = order_[i];
      if (!possible[l] || !(point == at_ || exact[static_cast<int>(l)] <= distance_)) continue;
      there_[point] = false;
      found.push_back(point);
      ++taken;
    }
    return taken;
  }

  const Manifold<double>& manifold_;
  const Points<double>& points_;
  std::size_t width_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<bool> there_;  // by the numbers of points
  std::vector<Pack<double>> query_, near_;
  std::uint32_t at_ = 0;
  double distance_ = 0;
};

}  // namespace

std::vector<std::size_t> near_groups(const Manifold<double>& manifold, const Points<double>& points,
                                     double distance) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  if (points.size() == 0) return {};
  // The rounding of the distance of equal points may be more than `distance`.
  std::vector<std::size_t> groups = duplicate_groups(manifold, points);
  const std::vector<std::size_t> firsts = firsts_of(groups);
  require(firsts.size() < kNone, std::to_string(firsts.size()) + " points in groups", "give fewer than 2^32");
  Points<double> different(firsts.size(), points.dimension);
  for (std::size_t i = 0; i < firsts.size(); ++i) std::ranges::copy(points[firsts[i]], different[i].begin());
  Ungrouped ungrouped(manifold, different);
  std::vector<std::uint32_t> chains(firsts.size(), kNone), open;
  std::uint32_t count = 0;
  for (std::uint32_t first = 0; first < chains.size(); ++first) {
    if (chains[first] != kNone) continue;
    open.assign(1, first);
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      chains[i] = count;
      ungrouped.take(i, distance, open);
    }
    ++count;
  }
  for (std::size_t& group : groups) group = chains[group];
  return groups;
}

}  // namespace riemflow
