#include "riemflow/io/duplicates.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

Points<double> points_of(int dimension, std::vector<double> values) {
  Points<double> points;
  points.dimension = dimension;
  points.values = std::move(values);
  return points;
}

TEST(Duplicates, GroupsAreNumberedAsTheyAppear) {
  const auto points = points_of(2, {1, 2, 3, 4, 1, 2, 5, 6, 3, 4, 1, 2});
  EXPECT_EQ(duplicate_groups(points), (std::vector<std::size_t>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(count_duplicates(points), 3u);
}

TEST(Duplicates, EqualMeansEqual) {
  EXPECT_EQ(count_duplicates(points_of(1, {0.0, -0.0})), 1u);
  EXPECT_EQ(count_duplicates(points_of(1, {1.0, 1.0 + 1e-15})), 0u);
  EXPECT_EQ(count_duplicates(points_of(2, {1, 2, 2, 1})), 0u);
  EXPECT_EQ(count_duplicates(points_of(3, {})), 0u);
}

TEST(Duplicates, ManyPointsOnAGrid) {
  Points<double> points(200000, 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i][0] = static_cast<double>(i * 7919 % 100);
    points[i][1] = static_cast<double>(i % 70);
  }
  // i ↦ (7919 i mod 100, i mod 70) has period lcm(100, 70) = 700.
  EXPECT_EQ(count_duplicates(points), points.size() - 700);
  const auto groups = duplicate_groups(points);
  for (std::size_t i = 0; i < points.size(); ++i) ASSERT_EQ(groups[i], i % 700);
}

}  // namespace
}  // namespace riemflow
