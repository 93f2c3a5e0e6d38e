#include "riemflow/kernel/near_groups.hpp"

#include <limits>

#include "riemflow/kernel/metric_tree.hpp"

namespace riemflow {
namespace {

/// The points that have no group yet, in the order of a tree.
class Ungrouped {
 public:
  Ungrouped(const std::shared_ptr<const Manifold<double>>& manifold, const Points<double>& points)
      : space_(manifold),
        points_(points),
        tree_(space_, points),
        left_(tree_.nodes().size()),
        there_(points.size(), true) {
    for (std::size_t n = 0; n < left_.size(); ++n) left_[n] = tree_.nodes()[n].end - tree_.nodes()[n].begin;
  }

  const std::vector<std::uint32_t>& order() const { return tree_.order(); }

  /// Takes out the points no farther than `distance` from that of the tree's number i, and adds their numbers
  /// to `found`.
  void take(std::uint32_t i, double distance, std::vector<std::uint32_t>& found) {
    at_ = i;
    distance_ = distance;
    take_of(0, found);
  }

 private:
  /// The number that it took.
  std::uint32_t take_of(std::uint32_t n, std::vector<std::uint32_t>& found) {
    // The tree's distances are no longer than geodesics: none is missed.
    if (left_[n] == 0 || tree_.least_distance(space_, n, tree_.embedded(at_)) > distance_) return 0;
    const MetricTree::Node& node = tree_.nodes()[n];
    std::uint32_t taken = 0;
    if (node.right != 0) {
      taken = take_of(n + 1, found) + take_of(node.right, found);
    } else {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        if (!there_[i] || !is_near(i)) continue;
        there_[i] = false;
        found.push_back(i);
        ++taken;
      }
    }
    left_[n] -= taken;
    return taken;
  }

  bool is_near(std::uint32_t i) const {
    const double* e = tree_.embedded(at_);
    const double square = space_.squared_distance(e, tree_.embedded(i));
    if (square == 0 || i == at_) return true;
    if (square > distance_ * distance_) return false;
    std::vector<Pack<double>> x(static_cast<std::size_t>(points_.dimension)), y(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) {
      x[c] = Pack<double>(points_[order()[at_]][c]);
      y[c] = Pack<double>(points_[order()[i]][c]);
    }
    return space_.manifold().distance(x.data(), y.data())[0] <= distance_;
  }

  KernelSpace space_;
  const Points<double>& points_;
  MetricTree tree_;
  std::vector<std::uint32_t> left_;  // of each node
  std::vector<bool> there_;
  std::uint32_t at_ = 0;
  double distance_ = 0;
};

}  // namespace

std::vector<std::size_t> near_groups(const std::shared_ptr<const Manifold<double>>& manifold,
                                     const Points<double>& points, double distance) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> groups(points.size(), kNone);
  if (points.size() == 0) return groups;
  Ungrouped ungrouped(manifold, points);
  std::vector<std::uint32_t> place(points.size());  // of a point in the tree
  for (std::uint32_t i = 0; i < place.size(); ++i) place[ungrouped.order()[i]] = i;
  std::size_t count = 0;
  std::vector<std::uint32_t> open;
  for (std::size_t first = 0; first < points.size(); ++first) {
    if (groups[first] != kNone) continue;
    open.assign(1, place[first]);
    while (!open.empty()) {
      const std::uint32_t i = open.back();
      open.pop_back();
      groups[ungrouped.order()[i]] = count;
      ungrouped.take(i, distance, open);
    }
    ++count;
  }
  return groups;
}

}  // namespace riemflow
