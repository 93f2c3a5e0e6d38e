#include "riemflow/manifold/earth.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

TEST(Earth, UnitVectorsAtThePolesAndTheSeam) {
  double p[3], q[3];
  unit_vector<double>(90, 123, p);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(p[1], 0);
  EXPECT_EQ(p[2], 1);
  unit_vector<double>(10, 180, p);
  unit_vector<double>(10, -180, q);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(p[i], q[i]);
  unit_vector<double>(0, 90, p);
  EXPECT_EQ(p[1], 1);
  unit_vector<double>(-37.25, 211.5, p);
  earth_point(-37.25 * kRadians, 211.5 * kRadians, q);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(p[i], q[i], 1e-15);
}

}  // namespace
}  // namespace riemflow
