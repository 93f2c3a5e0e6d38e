#include "riemflow/core/points.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

/// Coordinate i of point p is 100p + i + 1: no two alike, none zero.
Points<float> numbered(std::size_t n, int dimension) {
  Points<float> points(n, dimension);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t i = 0; i < points[p].size(); ++i) points[p][i] = static_cast<float>(100 * p + i + 1);
  return points;
}

TEST(Points, RowsAreContiguous) {
  const Points<float> points = numbered(3, 2);
  EXPECT_EQ(points.size(), 3u);
  EXPECT_EQ(points.values, (std::vector<float>{1, 2, 101, 102, 201, 202}));
  EXPECT_EQ(points[2][1], 202);
  EXPECT_EQ(Points<float>().size(), 0u);
  EXPECT_EQ(Points<float>().tiles(), 0u);
}

TEST(Points, TilesRoundTrip) {
  for (std::size_t n = 1; n <= 40; ++n) {
    for (const int dimension : {1, 3}) {
      const Points<float> points = numbered(n, dimension);
      Points<float> back(n, dimension);
      std::vector<Pack<float>> tile(static_cast<std::size_t>(dimension));
      std::size_t valid = 0;
      for (std::size_t t = 0; t < points.tiles(); ++t) {
        points.load_tile(t, tile.data());
        back.store_tile(t, tile.data());
        valid += static_cast<std::size_t>(points.lanes(t));
      }
      EXPECT_EQ(points.tiles(), (n + 15) / 16) << n;
      EXPECT_EQ(valid, n);
      EXPECT_EQ(back.values, points.values) << n;
    }
  }
}

TEST(Points, LanesArePoints) {
  const Points<float> points = numbered(20, 2);
  Pack<float> tile[2];
  points.load_tile(1, tile);
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(tile[0][lane], 1601 + 100 * lane);
    EXPECT_EQ(tile[1][lane], 1602 + 100 * lane);
  }
}

TEST(Points, PaddingRepeatsTheLastPoint) {
  for (std::size_t n = 1; n <= 40; ++n) {
    const Points<float> points = numbered(n, 2);
    const std::size_t last = points.tiles() - 1;
    Pack<float> tile[2];
    points.load_tile(last, tile);
    for (int lane = points.lanes(last); lane < kLanes; ++lane) {
      EXPECT_EQ(tile[0][lane], points[n - 1][0]);
      EXPECT_EQ(tile[1][lane], points[n - 1][1]);
    }
  }
}

TEST(Points, PaddingIsNotStored) {
  Points<float> points = numbered(17, 1);
  Pack<float> tile[1] = {Pack<float>(-1)};
  points.store_tile(1, tile);
  EXPECT_EQ(points.values.size(), 17u);
  EXPECT_EQ(points[16][0], -1);
  EXPECT_EQ(points[15][0], 1501);
}

TEST(Points, ThinnedAreSpreadOverAll) {
  Points<double> points(1000, 2);
  for (std::size_t i = 0; i < points.size(); ++i) points[i][0] = points[i][1] = static_cast<double>(i);
  EXPECT_EQ(thinned(points, 1000).values, points.values);
  const Points<double> some = thinned(points, 300);
  ASSERT_EQ(some.size(), 300u);
  double sum = 0;
  for (std::size_t k = 0; k < some.size(); ++k) {
    EXPECT_NEAR(some[k][1], (static_cast<double>(k) + 0.5) * 10 / 3, 1);
    if (k > 0) {
      EXPECT_GT(some[k][0], some[k - 1][0]);
    }
    sum += some[k][0];
  }
  EXPECT_NEAR(sum / 300, 499.5, 1);
}

}  // namespace
}  // namespace riemflow
