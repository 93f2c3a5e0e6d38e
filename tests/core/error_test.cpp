#include "riemflow/core/error.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

TEST(Error, SaysWhatWasWrongAndWhatToDo) {
  const Error error("curvature 1 on a ball", "use K < 0");
  EXPECT_STREQ(error.what(), "curvature 1 on a ball; use K < 0");
  EXPECT_EQ(error.advice(), "use K < 0");
}

TEST(Error, CarriesFieldsBesideTheText) {
  const Error none("a", "b");
  EXPECT_EQ(none.fault(), Fault::configuration);
  EXPECT_EQ(none.place().file + none.setting() + none.value(), "");
  const Error read = Error(FilePlace{"a.csv", 3, 14}, "'x' is no number", "correct it").of_value("x");
  EXPECT_STREQ(read.what(), "a.csv:3:14: 'x' is no number; correct it");
  EXPECT_EQ(read.problem(), "a.csv:3:14: 'x' is no number");
  EXPECT_EQ(read.advice(), "correct it");
  EXPECT_EQ(read.fault(), Fault::bad_data);
  EXPECT_EQ(read.place().file, "a.csv");
  EXPECT_EQ(read.place().line, 3u);
  EXPECT_EQ(read.place().column, 14u);
  EXPECT_EQ(read.value(), "x");
  const Error set = Error("the rate is -1", "give more").of_setting("rate", "-1").at({"a.toml", 2});
  EXPECT_STREQ(set.what(), "the rate is -1; give more");
  EXPECT_EQ(set.setting() + set.value() + set.place().file, "rate-1a.toml");
  EXPECT_EQ(FilePlace{"a"}.text() + FilePlace({"b", 2}).text(), "a: b:2: ");
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
