#include "riemflow/core/fold_numbers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace riemflow {
namespace {

TEST(FoldNumbers, PointsWithoutGroupsGoRound) {
  std::vector<std::size_t> groups(23);
  std::iota(groups.begin(), groups.end(), std::size_t{100});
  const std::vector<std::size_t> folds = fold_numbers(groups, 5);
  for (std::size_t i = 0; i < groups.size(); ++i) EXPECT_EQ(folds[i], i % 5);
}

TEST(FoldNumbers, GroupsStayTogetherAndSizesAreBalanced) {
  // Sizes 1..40 in a scattered order: 820 points, the largest group 40.
  std::vector<std::size_t> groups;
  for (std::size_t g = 1; g <= 40; ++g)
    for (std::size_t i = 0; i < g; ++i) groups.push_back(g * 7919 % 41);
  std::vector<std::size_t> scattered;
  for (std::size_t i = 0; i < groups.size(); ++i) scattered.push_back(groups[i * 37 % groups.size()]);
  const std::vector<std::size_t> folds = fold_numbers(scattered, 5);
  std::map<std::size_t, std::size_t> fold_of;
  std::vector<std::size_t> sizes(5, 0);
  for (std::size_t i = 0; i < scattered.size(); ++i) {
    EXPECT_EQ(fold_of.try_emplace(scattered[i], folds[i]).first->second, folds[i]);
    ++sizes[folds[i]];
  }
  // The largest first: far better than the bound of one group, 40 points.
  EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()),
            3u);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}), 820u);
}

}  // namespace
}  // namespace riemflow
