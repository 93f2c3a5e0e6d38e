#pragma once
// JSON (RFC 8259) token by token, in constant memory: a tree or a callback parser would hold the whole file,
// or could not stop between two points. Strings are cut after kLongestText bytes; what they hold need not be
// UTF-8.

#include <cstdint>
#include <string>

#include "riemflow/io/bytes.hpp"

namespace riemflow::io {

class JsonTokens {
 public:
  enum class Token {
    begin_object,
    end_object,
    begin_array,
    end_array,
    key,
    string,
    number,
    boolean,
    null,
    end
  };

  static constexpr std::size_t kLongestText = 256;
  static constexpr std::size_t kLongestNumber = 256;
  static constexpr std::size_t kDeepest = 128;

  JsonTokens(Window window, std::string path);

  /// Tokens come in an order that makes a document, or Error (bad_data) is thrown.
  Token next();
  /// Reads to the end of the value that began with `first`.
  void skip(Token first);

  /// Of the last token: where it starts, and what it holds.
  std::uint64_t line() const { return token_line_; }
  std::uint64_t column() const { return token_column_; }
  const std::string& text() const { return text_; }  ///< of a key, string or number
  double number() const { return number_; }          ///< infinite where it is too large

  /// Throws Error (bad_data) at the last token.
  [[noreturn]] void fail(const std::string& problem, const std::string& advice) const;

 private:
  enum class Expect { value, first_element, element, first_key, key, comma_or_end, end };

  int peek();
  void advance() { ++place_; }
  int skip_space();
  Token open(char bracket);
  Token close(char bracket);
  Token value(int c);
  void after_value();
  void read_string();
  void read_escape();
  unsigned read_hex();
  void read_number();
  void read_word(const char* word);
  void append(char c);
  void append_utf8(unsigned code);
  std::uint64_t position() const;
  [[noreturn]] void fail_here(const std::string& problem);

  Window window_;
  std::string path_;
  const char* place_;
  Expect expect_ = Expect::value;
  std::string open_;  // the brackets around the place, outermost first
  std::string text_;
  double number_ = 0;
  std::uint64_t line_ = 1, line_start_ = 0;  // line_start_: bytes before the line
  std::uint64_t token_line_ = 1, token_column_ = 1;
};

}  // namespace riemflow::io
