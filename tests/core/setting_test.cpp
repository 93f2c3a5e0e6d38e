#include "riemflow/core/setting.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

TEST(Setting, IsShownAsTheCallerWritesIt) {
  const auto flags = [](std::string_view text) {
    return with_settings(text, [](std::string_view name) { return "--" + std::string(name); });
  };
  EXPECT_EQ(flags("give a smaller ‹rate› or ‹clip› 1"), "give a smaller --rate or --clip 1");
  EXPECT_EQ(flags("‹time-limit›"), "--time-limit");
  EXPECT_EQ(flags("‹unfinished"), "‹unfinished");
  EXPECT_EQ(flags("› before ‹rate›"), "› before --rate");
  EXPECT_EQ(flags(""), "");
}

}  // namespace
}  // namespace riemflow
