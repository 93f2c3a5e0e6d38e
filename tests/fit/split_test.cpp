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

}  // namespace
}  // namespace riemflow
