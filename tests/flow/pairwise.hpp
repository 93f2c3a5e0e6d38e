#pragma once
// A small set of combinations in which every pair of choices of two different options occurs.

#include <set>
#include <tuple>
#include <vector>

namespace riemflow::test {

using Combination = std::vector<int>;  ///< choice of each option

/// All pairs (option, choice, other option, its choice) of a combination.
using Pair = std::tuple<int, int, int, int>;
inline std::set<Pair> pairs_of(const Combination& combination) {
  std::set<Pair> pairs;
  for (int i = 0; i < static_cast<int>(combination.size()); ++i)
    for (int j = 0; j < i; ++j)
      pairs.insert(
          {i, combination[static_cast<std::size_t>(i)], j, combination[static_cast<std::size_t>(j)]});
  return pairs;
}

inline std::vector<Combination> all_combinations(const std::vector<int>& choices) {
  std::vector<Combination> all = {{}};
  for (const int n : choices) {
    std::vector<Combination> longer;
    for (const Combination& combination : all)
      for (int choice = 0; choice < n; ++choice) {
        longer.push_back(combination);
        longer.back().push_back(choice);
      }
    all = longer;
  }
  return all;
}

/// Greedily: the combination with the most pairs not seen yet, until all are. choices[i]: those of option i.
inline std::vector<Combination> pairwise(const std::vector<int>& choices) {
  const std::vector<Combination> all = all_combinations(choices);
  std::set<Pair> missing;
  for (const Combination& combination : all) missing.merge(pairs_of(combination));
  std::vector<Combination> chosen;
  while (!missing.empty()) {
    std::size_t most = 0;
    const Combination* best = nullptr;
    for (const Combination& combination : all) {
      std::size_t news = 0;
      for (const Pair& pair : pairs_of(combination)) news += missing.count(pair);
      if (news > most) most = news, best = &combination;
    }
    for (const Pair& pair : pairs_of(*best)) missing.erase(pair);
    chosen.push_back(*best);
  }
  return chosen;
}

}  // namespace riemflow::test
