#include "riemflow/fit/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace riemflow {
namespace {

TEST(Folds, ManyValidationPointsAreTheOneFold) {
  std::vector<std::size_t> groups(1500);
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  const Split split = split_points(groups, {80, 10, 10}, 0);
  const std::vector<Fold> folds = folds_of(split, groups);
  ASSERT_EQ(folds.size(), 1u);
  EXPECT_EQ(folds[0].training, split.training);
  EXPECT_EQ(folds[0].held_out, split.validation);
}

TEST(Folds, EveryPointIsHeldOutOnceAndNoGroupIsOnTwoSides) {
  // 400 points in groups of 1, 2, … 7.
  std::vector<std::size_t> groups;
  for (std::size_t g = 0; groups.size() < 400; ++g)
    for (std::size_t i = 0; i <= g % 7 && groups.size() < 400; ++i) groups.push_back(g);
  const Split split = split_points(groups, {80, 10, 10}, 3);
  const std::vector<Fold> folds = folds_of(split, groups);
  ASSERT_EQ(folds.size(), 5u);
  const std::size_t known = split.training.size() + split.validation.size();
  std::map<std::size_t, int> held;
  for (const Fold& fold : folds) {
    EXPECT_EQ(fold.training.size() + fold.held_out.size(), known);
    EXPECT_NEAR(static_cast<double>(fold.held_out.size()), static_cast<double>(known) / 5, 2);
    std::set<std::size_t> learned;
    for (const std::size_t i : fold.training) learned.insert(groups[i]);
    for (const std::size_t i : fold.held_out) {
      ++held[i];
      EXPECT_FALSE(learned.contains(groups[i])) << i;
    }
  }
  EXPECT_EQ(held.size(), known);
  for (const auto& [point, times] : held) EXPECT_EQ(times, 1) << point;
  for (const std::size_t i : split.test) EXPECT_FALSE(held.contains(i));
}

TEST(Folds, FewGroupsAreFewerFolds) {
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < 90; ++i) groups.push_back(i / 30);
  const std::vector<Fold> folds = folds_of(split_points(groups, {60, 20, 20}, 0), groups);
  ASSERT_EQ(folds.size(), 2u);
  for (const Fold& fold : folds) EXPECT_EQ(fold.held_out.size(), 30u);
}

}  // namespace
}  // namespace riemflow
