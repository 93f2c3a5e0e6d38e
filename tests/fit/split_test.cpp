#include "riemflow/fit/split.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

std::vector<std::size_t> singles(std::size_t n) {
  std::vector<std::size_t> groups(n);
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  return groups;
}

TEST(Split, EachPointIsInOnePartAndTheSharesHold) {
  const Split split = split_points(singles(1000), {80, 10, 10}, 1);
  EXPECT_EQ(split.training.size(), 800u);
  EXPECT_EQ(split.validation.size(), 100u);
  EXPECT_EQ(split.test.size(), 100u);
  std::set<std::size_t> all(split.training.begin(), split.training.end());
  all.insert(split.validation.begin(), split.validation.end());
  all.insert(split.test.begin(), split.test.end());
  EXPECT_EQ(all.size(), 1000u);
}

TEST(Split, DependsOnTheSeedAlone) {
  const auto test_of = [](std::uint64_t seed) { return split_points(singles(500), {80, 10, 10}, seed).test; };
  EXPECT_EQ(test_of(3), test_of(3));
  EXPECT_NE(test_of(3), test_of(4));
}

TEST(Split, IsRandomNotTheFirstRows) {
  // The mean row number of 100 of 1000 random rows is 500 ± 29.
  const auto test = split_points(singles(1000), {80, 10, 10}, 5).test;
  const double mean = static_cast<double>(std::accumulate(test.begin(), test.end(), std::size_t{0})) / 100;
  EXPECT_NEAR(mean, 500, 120);
}

TEST(Split, EqualPointsStayTogether) {
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < 600; ++i) groups.push_back(i % 150);
  const Split split = split_points(groups, {80, 10, 10}, 2);
  std::size_t whole = 0;
  for (const auto* part : {&split.training, &split.validation, &split.test}) {
    std::map<std::size_t, int> members;
    for (const std::size_t i : *part) ++members[groups[i]];
    for (const auto& [group, count] : members) EXPECT_EQ(count, 4) << group;
    whole += members.size();
  }
  EXPECT_EQ(whole, 150u);
  EXPECT_GE(split.validation.size(), 60u);
  EXPECT_GE(split.test.size(), 60u);
}

TEST(Split, NoTestShareGivesNoTestPoints) {
  EXPECT_TRUE(split_points(singles(50), {90, 10, 0}, 0).test.empty());
}

TEST(Split, TooFewPointsIsAnError) {
  EXPECT_THROW(split_points(singles(1), {80, 10, 10}, 0), Error);
  EXPECT_THROW(split_points(std::vector<std::size_t>(100, 7), {80, 10, 10}, 0), Error);
}

TEST(Split, Parsing) {
  EXPECT_EQ(parse_split("80/10/10"), (SplitShares{80, 10, 10}));
  EXPECT_EQ(parse_split("0.9/0.1/0"), (SplitShares{0.9, 0.1, 0}));
  for (const char* bad :
       {"", "80", "80/20", "80/10/10/1", "a/b/c", "80/10/-1", "0/50/50", "50/0/50", "80/10/nan", "80//10"})
    EXPECT_THROW(parse_split(bad), Error) << bad;
}

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
