#include "riemflow/io/json_tokens.hpp"

#include <fmt/format.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/number.hpp"

namespace riemflow::io {
namespace {

constexpr int kEnd = -1;

bool is_digit(int c) { return '0' <= c && c <= '9'; }

}  // namespace

JsonTokens::JsonTokens(Window window, std::string path) : window_(std::move(window)), path_(std::move(path)) {
  window_.fill(3);
  if (std::string_view(window_.begin(), window_.size()).starts_with("\xef\xbb\xbf")) {
    window_.advance(window_.begin() + 3);
    line_start_ = 3;
  }
  place_ = window_.begin();
}

/// The byte at the place, or kEnd.
int JsonTokens::peek() {
  if (place_ == window_.end()) {
    window_.advance(place_);
    const bool any = window_.more();
    place_ = window_.begin();
    if (!any) return kEnd;
  }
  return static_cast<unsigned char>(*place_);
}

std::uint64_t JsonTokens::position() const {
  return window_.offset() + static_cast<std::uint64_t>(place_ - window_.begin());
}

int JsonTokens::skip_space() {
  for (;; advance()) {
    const int c = peek();
    if (c == '\n') {
      ++line_;
      line_start_ = position() + 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return c;
    }
  }
}

void JsonTokens::fail(const std::string& problem, const std::string& advice) const {
  throw Error(FilePlace{path_, token_line_, token_column_}, problem, advice);
}

void JsonTokens::fail_here(const std::string& problem) {
  token_line_ = line_;
  token_column_ = position() - line_start_ + 1;
  const int c = peek();
  const char byte = static_cast<char>(c);
  fail(fmt::format("{} where {}", c == kEnd ? "the file ends" : in_quotes({&byte, 1}), problem),
       c == kEnd ? "the file may be cut off: copy or save it again" : "correct the JSON text");
}

JsonTokens::Token JsonTokens::next() {
  int c = skip_space();
  if (expect_ == Expect::comma_or_end && c == ',') {
    advance();
    expect_ = open_.back() == '{' ? Expect::key : Expect::element;
    c = skip_space();
  } else if (expect_ == Expect::comma_or_end && c != '}' && c != ']') {
    fail_here(open_.back() == '{' ? "a comma or } is expected" : "a comma or ] is expected");
  }
  token_line_ = line_;
  token_column_ = position() - line_start_ + 1;

  switch (expect_) {
    case Expect::end:
      if (c == '{')
        fail("a second object after the end of the first", "put all features into one FeatureCollection");
      if (c != kEnd) fail_here("the end of the file is expected");
      return Token::end;
    case Expect::comma_or_end:
      return close(static_cast<char>(c));
    case Expect::first_key:
      if (c == '}') return close('}');
      [[fallthrough]];
    case Expect::key:
      if (c != '"') fail_here("a name in quotes is expected");
      read_string();
      if (skip_space() != ':') fail_here("a colon is expected");
      advance();
      expect_ = Expect::value;
      return Token::key;
    case Expect::first_element:
      if (c == ']') return close(']');
      [[fallthrough]];
    case Expect::element:
    case Expect::value:
      break;
  }
  return value(c);
}

JsonTokens::Token JsonTokens::value(int c) {
  if (c == '{' || c == '[') return open(static_cast<char>(c));
  Token token = Token::null;
  if (c == '"') {
    read_string();
    token = Token::string;
  } else if (c == '-' || is_digit(c)) {
    read_number();
    token = Token::number;
  } else if (c == 't' || c == 'f') {
    read_word(c == 't' ? "true" : "false");
    token = Token::boolean;
  } else if (c == 'n') {
    read_word("null");
  } else {
    fail_here("a value is expected");
  }
  after_value();
  return token;
}

void JsonTokens::after_value() { expect_ = open_.empty() ? Expect::end : Expect::comma_or_end; }

JsonTokens::Token JsonTokens::open(char bracket) {
  if (open_.size() == kDeepest)
    fail(fmt::format("more than {} brackets are open", kDeepest), "flatten the file");
  advance();
  open_ += bracket;
  expect_ = bracket == '{' ? Expect::first_key : Expect::first_element;
  return bracket == '{' ? Token::begin_object : Token::begin_array;
}

JsonTokens::Token JsonTokens::close(char bracket) {
  const bool object = open_.back() == '{';
  if (object != (bracket == '}')) fail_here(object ? "a comma or } is expected" : "a comma or ] is expected");
  advance();
  open_.pop_back();
  after_value();
  return object ? Token::end_object : Token::end_array;
}

void JsonTokens::skip(Token first) {
  if (first != Token::begin_object && first != Token::begin_array) return;
  const std::size_t depth = open_.size() - 1;
  while (open_.size() > depth) next();
}

void JsonTokens::append(char c) {
  if (text_.size() < kLongestText) text_ += c;
}

void JsonTokens::append_utf8(unsigned code) {
  if (code < 0x80) return append(static_cast<char>(code));
  const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const unsigned lead = tail == 1 ? 0xc0 : tail == 2 ? 0xe0 : 0xf0;
  append(static_cast<char>(lead | (code >> (6 * tail))));
  for (int i = tail - 1; i >= 0; --i) append(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
}

void JsonTokens::read_string() {
  text_.clear();
  advance();
  for (;;) {
    const int c = peek();
    if (c == kEnd || c < 0x20) fail_here("a closing quote is expected");
    if (c == '\\') {
      read_escape();
      continue;
    }
    advance();
    if (c == '"') return;
    append(static_cast<char>(c));
  }
}

void JsonTokens::read_escape() {
  advance();
  const int c = peek();
  constexpr std::string_view kCodes = "\"\\/bfnrt", kMeans = "\"\\/\b\f\n\r\t";
  const std::size_t i = c == kEnd ? kCodes.npos : kCodes.find(static_cast<char>(c));
  if (i != kCodes.npos) {
    advance();
    return append(kMeans[i]);
  }
  if (c != 'u') fail_here("an escape such as \\n is expected");
  advance();
  unsigned code = read_hex();
  if (0xdc00 <= code && code < 0xe000) fail_here("the first half of a surrogate pair is expected before");
  if (0xd800 <= code && code < 0xdc00) {
    for (char expected : {'\\', 'u'}) {
      if (peek() != expected) fail_here("the second half of a surrogate pair is expected");
      advance();
    }
    const unsigned second = read_hex();
    if (second < 0xdc00 || second >= 0xe000)
      fail_here("the second half of a surrogate pair is expected before");
    code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
  }
  append_utf8(code);
}

unsigned JsonTokens::read_hex() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = peek();
    const int digit = is_digit(c)            ? c - '0'
                      : 'a' <= c && c <= 'f' ? c - 'a' + 10
                      : 'A' <= c && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) fail_here("a hexadecimal digit is expected");
    advance();
    code = code * 16 + static_cast<unsigned>(digit);
  }
  return code;
}

// -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
void JsonTokens::read_number() {
  text_.clear();
  const auto take = [&] {
    if (text_.size() == kLongestNumber) fail("a number of too many digits", "round it");
    text_ += *place_;
    advance();
  };
  const auto digits = [&] {
    if (!is_digit(peek())) fail_here("a digit is expected");
    while (is_digit(peek())) take();
  };
  if (peek() == '-') take();
  if (peek() == '0')
    take();
  else
    digits();
  if (peek() == '.') {
    take();
    digits();
  }
  if (const int e = peek(); e == 'e' || e == 'E') {
    take();
    if (const int sign = peek(); sign == '+' || sign == '-') take();
    digits();
  }
  if (io::read_number(text_, '.', number_) != NumberKind::finite)
    number_ = text_[0] == '-' ? -HUGE_VAL : HUGE_VAL;
}

void JsonTokens::read_word(const char* word) {
  for (const char* c = word; *c != 0; ++c, advance())
    if (peek() != *c) fail_here(fmt::format("{} is expected", word));
}

}  // namespace riemflow::io
