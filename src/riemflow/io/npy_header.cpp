#include "riemflow/io/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow::io {
namespace {

constexpr std::size_t kMostDimensions = 32;  // numpy's own limit

class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& path) : rest_(text), path_(path) {}

  NpyHeader read() {
    NpyHeader header;
    bool has_type = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr" && !has_type) {
        has_type = true;
        skip_space();
        if (rest_.starts_with('[')) fail("an array of records", "save the columns as one array of numbers");
        header.type = string();
      } else if (key == "fortran_order" && !has_order) {
        has_order = true;
        header.fortran_order = boolean();
      } else if (key == "shape" && !has_shape) {
        has_shape = true;
        header.shape = tuple();
      } else {
        fail(fmt::format("its header has the key {} where it does not belong", in_quotes(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (!rest_.empty())
      fail(fmt::format("its header goes on with {} after the dictionary", in_quotes(rest_)));
    if (!has_type || !has_order || !has_shape) fail("its header lacks descr, fortran_order or shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& problem,
                         const std::string& advice = "save it again with numpy.save") {
    throw Error(fmt::format("{}: {}", path_, problem), advice, Fault::bad_data);
  }
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t' || rest_[0] == '\r'))
      rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("its header has {} where '{}' is expected", in_quotes(rest_), c));
  }
  std::string string() {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    if (quote != '\'' && quote != '"')
      fail(fmt::format("its header has {} where text is expected", in_quotes(rest_)));
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) fail("its header has a string that does not end");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    skip_space();
    for (bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail(fmt::format("its header has {} where True or False is expected", in_quotes(rest_)));
  }
  std::uint64_t whole_number() {
    skip_space();
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc())
      fail(fmt::format("its header has {} where a length is expected", in_quotes(rest_)));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// (), (n,), (n, k), (n, k,), …
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMostDimensions) fail("its header has too many dimensions");
      shape.push_back(whole_number());
      if (accept(',')) continue;
      if (shape.size() == 1) fail("its header has a shape that is no tuple");
      expect(')');
      break;
    }
    return shape;
  }

  std::string_view rest_;
  const std::string& path_;
};

}  // namespace

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& path) {
  return Dictionary(text, path).read();
}

}  // namespace riemflow::io
