#include "riemflow/io/duplicates.hpp"

#include <algorithm>
#include <bit>

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

}  // namespace

std::vector<std::size_t> duplicate_groups(const Points<double>& points) {
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

std::size_t count_duplicates(const Points<double>& points) {
  const std::vector<std::size_t> groups = duplicate_groups(points);
  return groups.empty() ? 0 : groups.size() - 1 - *std::max_element(groups.begin(), groups.end());
}

}  // namespace riemflow
