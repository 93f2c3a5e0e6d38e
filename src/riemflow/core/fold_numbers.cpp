#include "riemflow/core/fold_numbers.hpp"

#include <algorithm>
#include <unordered_map>

namespace riemflow {

std::vector<std::size_t> fold_numbers(const std::vector<std::size_t>& groups, std::size_t folds) {
  std::unordered_map<std::size_t, std::size_t> found;
  std::vector<std::vector<std::size_t>> members;  // of each group, in the order in which they appear
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto [place, is_new] = found.try_emplace(groups[i], members.size());
    if (is_new) members.emplace_back();
    members[place->second].push_back(i);
  }
  std::stable_sort(members.begin(), members.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  std::vector<std::size_t> sizes(folds, 0), fold(groups.size());
  for (const std::vector<std::size_t>& group : members) {
    const auto smallest = std::min_element(sizes.begin(), sizes.end());
    *smallest += group.size();
    for (const std::size_t i : group) fold[i] = static_cast<std::size_t>(smallest - sizes.begin());
  }
  return fold;
}

}  // namespace riemflow
