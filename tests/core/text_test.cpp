#include "riemflow/core/text.hpp"

#include <gtest/gtest.h>

namespace riemflow {
namespace {

TEST(Text, Splits) {
  const std::string_view s = " a;b ;; ";
  const auto parts = split(s, [&](std::size_t i) { return s[i] == ';'; });
  EXPECT_EQ(parts, (std::vector<std::string_view>{"a", "b", "", ""}));
  EXPECT_EQ(split("", [](std::size_t) { return true; }), std::vector<std::string_view>{""});
  EXPECT_EQ(lower("Wrapped-NORMAL"), "wrapped-normal");
  EXPECT_EQ(trimmed(" \t "), "");
}

TEST(Text, NumbersAreTheWholeText) {
  EXPECT_EQ(parse_number<double>("+1.5e+2"), 150);
  EXPECT_EQ(parse_number<double>("-0.25"), -0.25);
  EXPECT_EQ(parse_number<int>("12"), 12);
  for (const char* bad : {"", "+", "+-1", "1x", "1 ", "--1"}) EXPECT_FALSE(parse_number<double>(bad)) << bad;
  EXPECT_FALSE(parse_number<int>("1.5"));
}

}  // namespace
}  // namespace riemflow
