#include "riemflow/core/suggest.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

TEST(Suggest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3);
  EXPECT_EQ(edit_distance("sphere", "shpere"), 2);
  EXPECT_EQ(edit_distance("same", "same"), 0);
}

TEST(Suggest, NearestName) {
  const std::string_view known[] = {"sphere", "torus", "ball"};
  EXPECT_EQ(nearest_name("spere", known), "sphere");
  EXPECT_EQ(nearest_name("torsu", known), "torus");
  EXPECT_EQ(nearest_name("banana", known), "");
}

}  // namespace
}  // namespace riemflow
