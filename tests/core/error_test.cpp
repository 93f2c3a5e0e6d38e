#include "riemflow/core/error.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

TEST(Error, SaysWhatWasWrongAndWhatToDo) {
  const Error error("curvature 1 on a ball", "use K < 0");
  EXPECT_STREQ(error.what(), "curvature 1 on a ball; use K < 0");
  EXPECT_EQ(error.advice(), "use K < 0");
}

TEST(Error, IsARuntimeError) { EXPECT_THROW(throw Error("a", "b"), std::runtime_error); }

TEST(Require, ThrowsOnlyWhereTheConditionFails) {
  EXPECT_NO_THROW(require(true, "a", "b"));
  try {
    require(false, "problem", "advice");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "problem; advice");
    EXPECT_EQ(error.advice(), "advice");
  }
}

}  // namespace
}  // namespace riemflow
