#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "riemflow/io/safetensors.hpp"

namespace riemflow {
namespace {

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
  return bytes + rest;
}

/// "" if the bytes are taken, else the message, whose fault must be bad_data.
std::string hostile_answer(const std::string& bytes) {
  try {
    parse_safetensors(std::as_bytes(std::span(bytes)), "evil");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::bad_data);
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("evil: ")) << message;
    EXPECT_NE(message.find("; the file is damaged"), std::string::npos) << message;
    for (const char c : message) EXPECT_TRUE(c >= ' ' && c <= '~') << message;
    return message;
  }
  return "";
}

/// Of a file with this header and `data` bytes of zeros.
std::string answer_to(const std::string& header, std::size_t data = 0) {
  return hostile_answer(with_length(header.size(), header + std::string(data, '\0')));
}

void expect_refused(const std::string& header, std::size_t data, const std::string& because) {
  const std::string message = answer_to(header, data);
  EXPECT_NE(message.find(because), std::string::npos)
      << header.substr(0, 200) << "\n  was answered: " << message;
}

std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"t":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

TEST(SafeTensorsHostile, TheHeadersLength) {
  EXPECT_NE(hostile_answer("").find("0 bytes"), std::string::npos);
  EXPECT_NE(hostile_answer("\1\2").find("2 bytes"), std::string::npos);
  EXPECT_NE(hostile_answer(with_length(0, "")).find("8 bytes"), std::string::npos);
  EXPECT_NE(hostile_answer(with_length(0, "{}")), "");
  for (const int bit : {27, 31, 32, 59, 60, 62, 63})
    EXPECT_NE(hostile_answer(with_length(std::uint64_t{1} << bit, "{}")).find("announced"), std::string::npos)
        << bit;
  EXPECT_NE(hostile_answer(with_length(~std::uint64_t{0}, "{}")).find("announced"), std::string::npos);
  EXPECT_NE(hostile_answer(with_length(3, "{}")).find("ends after 2"), std::string::npos);
  EXPECT_NE(hostile_answer(with_length(90'000'000, "{}")).find("ends after 2"), std::string::npos);
  EXPECT_EQ(hostile_answer(with_length(2, "{}")), "");
  EXPECT_NE(hostile_answer(with_length(2, "{}x")).find("1 bytes follow"), std::string::npos);
}

// The arguments of a command are easily swapped.
TEST(SafeTensorsHostile, DataInThePlaceOfAModel) {
  const auto said_of = [](const std::string& bytes) -> std::string {
    try {
      parse_safetensors(std::as_bytes(std::span(bytes)), "quakes.csv");
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::bad_data);
      return error.what();
    }
    return "";
  };
  for (const char* text : {"latitude,longitude\n1,2\n", "{}", "1 2\n", "{\"type\":\"FeatureCollection\"}",
                           "\xef\xbb\xbflat\tlon\r\n"})
    EXPECT_EQ(
        said_of(text),
        "quakes.csv: it is text, not a model; give a file that `riemflow fit` wrote; if these are the data, "
        "they come after the model, as in riemflow score MODEL DATA");
  EXPECT_TRUE(said_of("\x93NUMPY\1").starts_with("quakes.csv: it is an NPY file, not a model; "));
}

TEST(SafeTensorsHostile, TheHeaderIsNotJson) {
  for (const std::string header : {"{",
                                   "}",
                                   "[]",
                                   "null",
                                   " {}",
                                   "{}}",
                                   "{} x",
                                   "{}\n\f",
                                   "{'a':1}",
                                   "{\"a\"}",
                                   "{\"a\":}",
                                   "{/**/}",
                                   "{,}",
                                   "{\"a\":{},}",
                                   "\xef\xbb\xbf{}",
                                   "{\"\xff\":{}}",
                                   "{\"\xc0\xaf\":{}}",
                                   "{\"\xed\xa0\x80\":{}}",
                                   "{\"\\ud800\":{}}",
                                   "{\"a\":\"b",
                                   "{\"a\":nan}",
                                   "{\"a\":01}",
                                   "{\"a\n\":{}}"})
    EXPECT_NE(answer_to(header), "") << header;
  EXPECT_NE(answer_to(std::string("{}\0}", 4)), "");
  EXPECT_NE(answer_to(std::string("{\"a\0\":{}}", 9)), "");
  EXPECT_EQ(answer_to("{ }  \n"), "");
}

TEST(SafeTensorsHostile, DeepNesting) {
  const std::string deep(100000, '[');
  EXPECT_NE(answer_to(deep), "");
  expect_refused(R"({"t":)" + deep, 0, "array");
  expect_refused(R"({"t":{"shape":)" + deep, 0, "array");
  expect_refused(R"({"__metadata__":)" + deep, 0, "array");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  expect_refused(objects, 0, "not known");
  expect_refused(R"({"__metadata__":)" + objects, 0, "object");
}

TEST(SafeTensorsHostile, TheWrongThings) {
  ASSERT_EQ(answer_to(one("\"F32\"", "[2]", "[0,8]"), 8), "");
  // Where a value stands, and the one that may stand there.
  struct Case {
    const char *before, *after, *allowed;
  };
  for (const auto& [before, after, allowed] : {
           Case{R"({"t":{"dtype":)", R"(,"shape":[2],"data_offsets":[0,8]}})", ""},
           Case{R"({"t":{"dtype":"F32","shape":)", R"(,"data_offsets":[0,8]}})", ""},
           Case{R"({"t":{"dtype":"F32","shape":[2,)", R"(],"data_offsets":[0,8]}})", "1"},
           Case{R"({"t":{"dtype":"F32","shape":[2],"data_offsets":)", "}}", ""},
           Case{R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[)", ",8]}}", ""},
           Case{R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,)", "]}}", ""},
           Case{R"({"t":)", "}", ""},
           Case{R"({"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"__metadata__":)", "}", "{}"},
           Case{R"({"t":{"dtype":"U8","shape":[8],"data_offsets":[0,8]},"__metadata__":{"k":)", "}}",
                "\"s\""},
       }) {
    for (const std::string value : {"1", "-1", "-0", "1.5", "1e0", "null", "true", "\"s\"", "[]", "[[]]",
                                    "{}", "1e999", "99999999999999999999999999"})
      EXPECT_EQ(answer_to(before + value + after, 8) == "", value == allowed) << before << value << after;
  }
  expect_refused(one("\"F16\"", "[2]", "[0,4]"), 4, "dtype \"F16\" is not known");
  expect_refused(one("\"f32\"", "[2]", "[0,8]"), 8, "not known");
  expect_refused(one("\"F32\"", "[2]", "[0]"), 8, "fewer than two");
  expect_refused(one("\"F32\"", "[2]", "[0,8,8]"), 8, "more than two");
}

TEST(SafeTensorsHostile, KeysTwiceOrNotAtAll) {
  const std::string t = R"("t":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  ASSERT_EQ(answer_to("{" + t + "}"), "");
  expect_refused("{" + t + "," + t + "}", 0, "tensor \"t\" stands twice");
  expect_refused("{" + t + R"(,"\u0074":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0,
                 "stands twice");
  expect_refused(R"({"t":{"dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0]}})", 0,
                 "dtype stands twice");
  expect_refused(R"({"t":{"shape":[0],"data_offsets":[0,0]}})", 0, "dtype is missing");
  expect_refused(R"({"t":{"dtype":"U8","data_offsets":[0,0]}})", 0, "shape is missing");
  expect_refused(R"({"t":{"dtype":"U8","shape":[0]}})", 0, "data_offsets is missing");
  expect_refused(R"({"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})", 0, "\"x\" is not known");
  expect_refused(R"({"__metadata__":{},"__metadata__":{}})", 0, "stands twice");
  expect_refused(R"({"__metadata__":{"k":"1","k":"1"}})", 0, "\"k\" of __metadata__ stands twice");
}

TEST(SafeTensorsHostile, OffsetsAndShapes) {
  expect_refused(one("\"F32\"", "[2]", "[-8,0]"), 8, "negative");
  expect_refused(one("\"F32\"", "[2]", "[8,0]"), 8, "ends before it begins");
  expect_refused(one("\"F32\"", "[2]", "[0,8]"), 7, "only 7 bytes");
  expect_refused(one("\"F32\"", "[2]", "[0,8]"), 9, "1 bytes follow");
  expect_refused(one("\"F32\"", "[2]", "[4,12]"), 12, "before it ends at 0");
  expect_refused(one("\"F32\"", "[3]", "[0,8]"), 8, "12 bytes");
  expect_refused(one("\"F32\"", "[2]", "[18446744073709551608,18446744073709551615]"), 8, "only 8 bytes");
  expect_refused(one("\"F32\"", "[2]", "[0,18446744073709551615]"), 8, "only 8 bytes");
  // 2^32 · 2^32 · 4 and others that are 0 modulo 2^64.
  expect_refused(one("\"F32\"", "[4294967296,4294967296]", "[0,0]"), 0, "too large");
  expect_refused(one("\"F32\"", "[4611686018427387904]", "[0,0]"), 0, "too large");
  expect_refused(one("\"F64\"", "[2305843009213693952,0]", "[0,0]"), 0, "too large");
  const auto two = [](const char* a, const char* b) {
    return fmt::format(R"({{"a":{{"dtype":"U8","shape":[8],"data_offsets":{}}},)"
                       R"("b":{{"dtype":"U8","shape":[8],"data_offsets":{}}}}})",
                       a, b);
  };
  EXPECT_EQ(answer_to(two("[0,8]", "[8,16]"), 16), "");
  EXPECT_EQ(answer_to(two("[8,16]", "[0,8]"), 16), "");
  expect_refused(two("[0,8]", "[0,8]"), 8, "before it ends at 8");
  expect_refused(two("[0,8]", "[4,12]"), 12, "before it ends at 8");
  expect_refused(two("[0,8]", "[9,17]"), 17, "before it ends at 8");
}

TEST(SafeTensorsHostile, NamesCannotForgeTheMessage) {
  const std::string message = answer_to(R"({"\u001b[2J\n\u202e)" + std::string(5000, 'x') + R"(":1})");
  EXPECT_LT(message.size(), 400u);
  EXPECT_NE(message.find("\\u001b[2J\\n\\u202e"), std::string::npos) << message;
}

TEST(SlowSafeTensorsHostile, AMillionTensors) {
  std::string header = "{";
  constexpr int kMany = 1'000'000;
  for (int i = 0; i < kMany; ++i)
    header += fmt::format(R"("{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}},)", i, i, i + 1);
  header.back() = '}';
  ASSERT_LT(header.size(), 100'000'000u);
  const std::string bytes = with_length(header.size(), header + std::string(kMany, '\x07'));
  const SafeTensors content = parse_safetensors(std::as_bytes(std::span(bytes)), "many");
  ASSERT_EQ(content.tensors.size(), static_cast<std::size_t>(kMany));
  EXPECT_EQ(content.tensors[999'999].name, "999999");
  EXPECT_EQ(serialise(content).size(), 8 + (header.size() + 7) / 8 * 8 + kMany);
}

}  // namespace
}  // namespace riemflow
