#include "riemflow/io/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "riemflow/core/random.hpp"

namespace riemflow {
namespace {

template <class T>
std::string text_of(T value) {
  std::string text;
  append_number(text, value);
  return text;
}

TEST(Number, WritesTheShortestText) {
  EXPECT_EQ(text_of(0.1), "0.1");
  EXPECT_EQ(text_of(0.1f), "0.1");
  EXPECT_EQ(text_of(-180.0), "-180");
  EXPECT_EQ(text_of(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(text_of(1.0f / 3), "0.33333334");
  EXPECT_EQ(text_of(std::nan("")), "nan");
  EXPECT_EQ(text_of(-std::nan("")), "nan");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(text_of(-std::numeric_limits<double>::min()), "-2.2250738585072014e-308");
}

TEST(Number, ReadsBackWhatItWrites) {
  std::uint64_t bits = 0x0123456789abcdef;
  for (int i = 0; i < 100000; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const double value = std::bit_cast<double>(bits ^ (bits >> 31));
    if (!std::isfinite(value)) continue;
    double back = 0;
    ASSERT_EQ(io::read_number(text_of(value), '.', back), io::NumberKind::finite) << text_of(value);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(back), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(Number, ReadsWhatPeopleWrite) {
  const std::pair<const char*, double> cases[] = {
      {"1", 1},  {"-1.5", -1.5}, {"+1.5", 1.5}, {".5", 0.5},  {"5.", 5}, {"1e3", 1000}, {"1E-2", 0.01},
      {"-0", 0}, {"1e-400", 0},  {"007", 7},    {"+.5e1", 5}, {" 7", 7}, {"7\t ", 7}};
  for (const auto& [text, expected] : cases) {
    double value = 99;
    EXPECT_EQ(io::read_number(text, '.', value), io::NumberKind::finite) << text;
    EXPECT_EQ(value, expected) << text;
  }
  double value = 0;
  EXPECT_EQ(io::read_number("48,25", ',', value), io::NumberKind::finite);
  EXPECT_EQ(value, 48.25);
  EXPECT_EQ(io::read_number("48.25", ',', value), io::NumberKind::text);
}

TEST(Number, TellsMissingFromWrong) {
  double value = 0;
  for (const char* missing : {"", " ", " NA", "NA", "na", "N/A", "NaN", "nan", "null", "NULL", "None"}) {
    value = 0;
    EXPECT_EQ(io::read_number(missing, '.', value), io::NumberKind::missing) << missing;
    EXPECT_TRUE(std::isnan(value));
  }
  for (const char* infinite : {"inf", "-inf", "Infinity", "1e400", "-1e999"})
    EXPECT_EQ(io::read_number(infinite, '.', value), io::NumberKind::infinite) << infinite;
  for (const char* text :
       {"x", "1x", "1 2", " 1 2", "--1", "+-1", "+", "-", ".", "1e", "0x10", "12°", "35N", "1,5", "nanx"}) {
    value = 0;
    EXPECT_EQ(io::read_number(text, '.', value), io::NumberKind::text) << text;
    EXPECT_TRUE(std::isnan(value)) << text;
  }
}

}  // namespace
}  // namespace riemflow
