#include "riemflow/io/embedded.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "riemflow/manifold/earth.hpp"

namespace riemflow {
namespace {

TEST(Embedded, EarthquakesAreAllThereAsUnitVectors) {
  const Points<double> points = embedded_earthquakes<double>();
  ASSERT_EQ(points.dimension, 3);
  ASSERT_EQ(points.size(), 5871u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto p = points[i];
    EXPECT_NEAR(p[0] * p[0] + p[1] * p[1] + p[2] * p[2], 1, 1e-14) << i;
  }
}

TEST(Embedded, FirstEarthquakeIsTheFirstRow) {
  ASSERT_TRUE(embedded_earthquakes_csv().starts_with("year,latitude,longitude\n-2150,31.100,35.500\n"));
  const Points<double> points = embedded_earthquakes<double>();
  const double degree = std::numbers::pi / 180;
  EXPECT_NEAR(std::asin(points[0][2]) / degree, 31.1, 1e-12);
  EXPECT_NEAR(std::atan2(points[0][1], points[0][0]) / degree, 35.5, 1e-12);
}

TEST(Embedded, LastEarthquakeIsTheLastRow) {
  const Points<double> points = embedded_earthquakes<double>();
  const double degree = std::numbers::pi / 180;
  EXPECT_NEAR(std::asin(points[points.size() - 1][2]) / degree, -43.416, 1e-12);
  EXPECT_NEAR(std::atan2(points[points.size() - 1][1], points[points.size() - 1][0]) / degree, -73.880,
              1e-12);
}

TEST(Embedded, EveryRowIsItsUnitVector) {
  const Points<double> points = embedded_earthquakes<double>();
  std::istringstream rows{std::string(embedded_earthquakes_csv())};
  std::string row;
  std::getline(rows, row);  // the header
  for (std::size_t i = 0; std::getline(rows, row); ++i) {
    double year = 0, latitude = 0, longitude = 0;
    ASSERT_EQ(std::sscanf(row.c_str(), "%lf,%lf,%lf", &year, &latitude, &longitude), 3) << row;
    std::vector<double> expected(3);
    unit_vector<double>(latitude, longitude, expected);
    ASSERT_LT(i, points.size());
    EXPECT_EQ(std::vector<double>(points[i].begin(), points[i].end()), expected) << row;
  }
}

}  // namespace
}  // namespace riemflow
