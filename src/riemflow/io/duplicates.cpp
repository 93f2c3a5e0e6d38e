#include "riemflow/io/duplicates.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

/// Mixes with the finaliser of splitmix64.
std::uint64_t hash(std::span<const double> point) {
  std::uint64_t h = 0x9e3779b97f4a7c15;
  for (double x : point) {
    h ^= std::bit_cast<std::uint64_t>(x + 0.0);  // −0 + 0 = 0
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9;
    h = (h ^ (h >> 27)) * 0x94d049bb133111eb;
    h ^= h >> 31;
  }
  return h;
}

/// Of points with equal numbers.
std::vector<std::size_t> groups_by_numbers(const Points<double>& points) {
  // Open addressing; a slot holds 1 + the first point of a group.
  const std::size_t mask = std::bit_ceil(2 * points.size() + 1) - 1;
  std::vector<std::size_t> slots(mask + 1, 0), groups(points.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::size_t slot = hash(points[i]) & mask;
    const auto is_equal = [&](std::size_t j) { return std::ranges::equal(points[i], points[j]); };
    while (slots[slot] != 0 && !is_equal(slots[slot] - 1)) slot = (slot + 1) & mask;
    if (slots[slot] == 0) {
      slots[slot] = i + 1;
      groups[i] = count++;
    } else {
      groups[i] = groups[slots[slot] - 1];
    }
  }
  return groups;
}

/// Distances from one point to several.
class DistancesFrom {
 public:
  DistancesFrom(const Manifold<double>& manifold, std::vector<Pack<double>> from)
      : manifold_(manifold), from_(std::move(from)), to_(from_.size()) {}

  /// distances (=) to those of `points` that `which` names.
  void operator()(const Points<double>& points, std::span<const std::size_t> which,
                  std::vector<double>& distances) {
    distances.resize(which.size());
    for (std::size_t begin = 0; begin < which.size(); begin += kLanes) {
      const std::size_t n = std::min<std::size_t>(kLanes, which.size() - begin);
      for (std::size_t c = 0; c < to_.size(); ++c)
        for (std::size_t l = 0; l < kLanes; ++l)
          to_[c][static_cast<int>(l)] = points[which[begin + std::min(l, n - 1)]][c];
      const Pack<double> all = manifold_.distance(from_.data(), to_.data());
      for (std::size_t l = 0; l < n; ++l) distances[begin + l] = all[static_cast<int>(l)];
    }
  }

 private:
  const Manifold<double>& manifold_;
  std::vector<Pack<double>> from_, to_;
};

/// Of points no farther apart than `within`: the same point has the same distance from any place, so that
/// among points in the order of theirs from one place it has few neighbours to be compared with.
std::vector<std::size_t> groups_by_distance(const Manifold<double>& manifold, const Points<double>& points,
                                            double within) {
  constexpr double kRounding = 1e-13;  // of a distance
  const std::vector<std::size_t> alike = groups_by_numbers(points), different = firsts_of(alike);
  const auto n = static_cast<std::size_t>(points.dimension);
  std::vector<Pack<double>> x(n);
  // Of grids many points are equally far from one of them, but not from any place.
  Random random(0, Purpose::split, 0, 2);
  manifold.random_uniform(random, x.data(), 0);
  for (Pack<double>& c : x) c = Pack<double>(c[0]);
  std::vector<double> far, near;
  DistancesFrom(manifold, x)(points, different, far);
  std::vector<std::pair<double, std::size_t>> order(different.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {far[i], i};
  std::ranges::sort(order);

  std::vector<std::size_t> root(different.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto root_of = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const double slack = kRounding * order.back().first;
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto [distance, i] = order[k];
    candidates.clear();
    std::size_t end = k + 1;
    while (end < order.size() && order[end].first - distance <= within + slack) ++end;
    if (end == k + 1) continue;
    for (std::size_t m = k + 1; m < end; ++m) candidates.push_back(different[order[m].second]);
    for (std::size_t c = 0; c < n; ++c) x[c] = Pack<double>(points[different[i]][c]);
    DistancesFrom(manifold, x)(points, candidates, near);
    for (std::size_t m = k + 1; m < end; ++m) {
      if (!(near[m - k - 1] <= within)) continue;
      const std::size_t a = root_of(i), b = root_of(order[m].second);
      root[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<std::size_t> number(different.size()), groups(points.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < number.size(); ++i) number[i] = root_of(i) == i ? count++ : number[root_of(i)];
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = number[alike[i]];
  return groups;
}

}  // namespace

std::vector<std::size_t> firsts_of(const std::vector<std::size_t>& groups) {
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i] == first.size()) first.push_back(i);
  return first;
}

std::vector<std::size_t> duplicate_groups(const Manifold<double>& manifold, const Points<double>& points) {
  const std::vector<Factor<double>> factors = manifold.factors();
  const auto one_writing = [](const Factor<double>& f) { return f.manifold->same_within() == 0; };
  if (points.size() == 0 || std::ranges::all_of(factors, one_writing)) return groups_by_numbers(points);
  // Of a factor with several writings the number of its group in place of its numbers.
  std::vector<std::vector<double>> columns;
  for (const Factor<double>& factor : factors) {
    const auto row = static_cast<std::size_t>(factor.row);
    const auto n = static_cast<std::size_t>(factor.manifold->ambient());
    Points<double> own(points.size(), factor.manifold->ambient());
    for (std::size_t i = 0; i < points.size(); ++i)
      std::ranges::copy(points[i].subspan(row, n), own[i].begin());
    if (one_writing(factor)) {
      for (std::size_t c = 0; c < n; ++c) {
        columns.emplace_back();
        for (std::size_t i = 0; i < points.size(); ++i) columns.back().push_back(own[i][c]);
      }
    } else {
      const auto groups = groups_by_distance(*factor.manifold, own, factor.manifold->same_within());
      columns.emplace_back(groups.begin(), groups.end());
    }
  }
  Points<double> keys(points.size(), static_cast<int>(columns.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t c = 0; c < columns.size(); ++c) keys[i][c] = columns[c][i];
  return groups_by_numbers(keys);
}

std::size_t count_duplicates(const Manifold<double>& manifold, const Points<double>& points) {
  const std::vector<std::size_t> groups = duplicate_groups(manifold, points);
  return groups.empty() ? 0 : groups.size() - 1 - *std::max_element(groups.begin(), groups.end());
}

std::size_t count_duplicates(const ReadPoints& read) {
  return count_duplicates(*parse_manifold<double>(read.assumptions.manifold), read.points);
}

}  // namespace riemflow
