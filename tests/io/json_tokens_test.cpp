#include "riemflow/io/json_tokens.hpp"

#include <nlohmann/json.hpp>

#include "tests/io/reading.hpp"

namespace riemflow::io {
namespace {

using Token = JsonTokens::Token;

/// Reads a document to its end, in reads of `most_a_read` bytes through a window of `capacity`.
void read_json(std::string_view text, std::size_t most_a_read = SIZE_MAX, std::size_t capacity = 16) {
  JsonTokens tokens(Window(memory_bytes(text, most_a_read), capacity), "f");
  while (tokens.next() != Token::end) {
  }
}

bool accepts(std::string_view text) {
  try {
    read_json(text);
  } catch (const Error&) {
    return false;
  }
  return true;
}

const char* const kDocuments[] = {
    "{}", "[]", "1", "-0", "0.5", "1e5", "1E+5", "1e-5", "\"\"", "true", "false", "null", " [ 1 , 2 ] ",
    "{\"a\":1}", "{\"a\":{\"b\":[{},[],null]},\"c\":\"d\"}", "\"\\u00e9\\ud83d\\ude00\\n\\\\\\/\"",
    "[\"\\\"\"]", "\t\r\n[]\n",
    // and these are wrong
    "", " ", "{", "[", "}", "]", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
    "[1 2]", "{\"a\":1 \"b\":2}", "[1}", "{\"a\":1]", "01", "+1", "1.", ".5", "1e", "1e+", "-", "--1", "0x1",
    "tru", "truex", "nul", "True", "'a'", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\\ud800\"",
    "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\t\"", "[] []", "1 2", "{} x", "[1]]", "{\"a\":1}}",
    "[NaN]", "[Infinity]", "// c\n[]", "\xef\xbb[]", "[\"a\",\n\"b\"", "\v[]"};

TEST(JsonTokens, AcceptsWhatNlohmannAccepts) {
  for (const char* text : kDocuments) EXPECT_EQ(accepts(text), nlohmann::json::accept(text)) << text;
  EXPECT_TRUE(accepts("\xef\xbb\xbf[]"));
}

TEST(JsonTokens, EveryPrefixLikeNlohmann) {
  const std::string text = R"({"a": [1.5e-3, -0.25, true, null], "b\u00e9\\": {"c": "d\"e", "": [[], {}]}})";
  for (std::size_t n = 0; n <= text.size(); ++n)
    EXPECT_EQ(accepts(text.substr(0, n)), nlohmann::json::accept(text.substr(0, n))) << text.substr(0, n);
}

TEST(JsonTokens, Values) {
  JsonTokens tokens(Window(memory_bytes("{\"k\\u0065y\": [-12.5e1,\n \"\\u20ac\\ud83d\\ude00\\n\"]}", 3), 8),
                    "f");
  EXPECT_EQ(tokens.next(), Token::begin_object);
  EXPECT_EQ(tokens.next(), Token::key);
  EXPECT_EQ(tokens.text(), "key");
  EXPECT_EQ(tokens.next(), Token::begin_array);
  EXPECT_EQ(tokens.next(), Token::number);
  EXPECT_EQ(tokens.number(), -125);
  EXPECT_EQ(tokens.line(), 1u);
  EXPECT_EQ(tokens.column(), 15u);
  EXPECT_EQ(tokens.next(), Token::string);
  EXPECT_EQ(tokens.text(), "€😀\n");
  EXPECT_EQ(tokens.line(), 2u);
  EXPECT_EQ(tokens.column(), 2u);
  EXPECT_EQ(tokens.next(), Token::end_array);
  EXPECT_EQ(tokens.next(), Token::end_object);
  EXPECT_EQ(tokens.next(), Token::end);
  EXPECT_EQ(tokens.next(), Token::end);
}

TEST(JsonTokens, Skips) {
  JsonTokens tokens(Window(memory_bytes("[[1,{\"a\":[2]}],3,\"x\"]")), "f");
  tokens.next();
  tokens.skip(tokens.next());
  const Token three = tokens.next();
  EXPECT_EQ(tokens.number(), 3);
  tokens.skip(three);
  EXPECT_EQ(tokens.next(), Token::string);
}

TEST(JsonTokens, LongStringsAreCutAndLongNumbersRefused) {
  const std::string text = "[\"" + std::string(100000, 'x') + "\"]";
  JsonTokens tokens(Window(memory_bytes(text), 64), "f");
  tokens.next();
  EXPECT_EQ(tokens.next(), Token::string);
  EXPECT_EQ(tokens.text().size(), JsonTokens::kLongestText);
  EXPECT_FALSE(accepts("1" + std::string(300, '0')));
}

TEST(JsonTokens, DepthIsLimited) {
  EXPECT_TRUE(accepts(std::string(128, '[') + std::string(128, ']')));
  const Error e = error_from([] { read_json(std::string(1000000, '[')); });
  EXPECT_STREQ(e.what(), "f:1:129: more than 128 brackets are open; flatten the file");
}

TEST(JsonTokens, Positions) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1,\n 2 3]", "f:2:4: '3' where a comma or ] is expected; correct the JSON text"},
      {"{\"a\":1\n,}", "f:2:2: '}' where a name in quotes is expected; correct the JSON text"},
      {"[1,\n",
       "f:2:1: the file ends where a value is expected; the file may be cut off: copy or save it again"},
      {"[\"abc",
       "f:1:6: the file ends where a closing quote is expected; the file may be cut off: copy or save it "
       "again"},
      {"[1, tru\x01]", "f:1:8: '\\x01' where true is expected; correct the JSON text"},
      {"[1}", "f:1:3: '}' where a comma or ] is expected; correct the JSON text"},
      {"\xef\xbb\xbf[x", "f:1:2: 'x' where a value is expected; correct the JSON text"}};
  for (const auto& [text, what] : cases)
    for (std::size_t most : {std::size_t{1}, SIZE_MAX}) {
      const Error e = error_from([&, t = text] { read_json(t, most); });
      EXPECT_STREQ(e.what(), what);
      EXPECT_EQ(e.fault(), Fault::bad_data);
    }
}

}  // namespace
}  // namespace riemflow::io
