#include "riemflow/io/npy_array.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow::io {
namespace {

constexpr std::uint64_t kMostNpyColumns = 65536;
constexpr std::size_t kMostDimensions = 32;  // numpy's own limit
static_assert(kMostNpyColumns * 8 <= Window::kCapacity);
static_assert(std::endian::native == std::endian::little, "numbers are read as memory holds them");

[[noreturn]] void fail_npy(const std::string& path, const std::string& problem, const std::string& advice) {
  throw npy_error(path, problem, advice);
}

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
    fail_npy(path_, problem, advice);
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

/// `window` is left at the first number.
NpyHeader read_header(Window& window, const std::string& path) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(window.begin()[i]));
  };
  window.fill(12);
  if (window.size() == 0) fail_npy(path, "the file is empty", "save it again with numpy.save");
  if (std::string_view(window.begin(), window.size()).substr(0, 6) != "\x93NUMPY")
    fail_npy(path, "this is no NPY file: it does not begin with \\x93NUMPY", "save it with numpy.save");
  if (window.size() < 12) fail_npy(path, "the file ends inside its header", "save it again with numpy.save");
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    fail_npy(path, fmt::format("version {} of the NPY format is not known", version),
             "save it with numpy.save");
  const std::size_t prefix = version == 1 ? 10 : 12;
  const std::size_t length =
      byte(8) + (byte(9) << 8) + (version == 1 ? 0 : (byte(10) << 16) + (byte(11) << 24));
  if (prefix + length > window.capacity())
    fail_npy(path, fmt::format("its header claims {} bytes", length), "save it again with numpy.save");
  window.fill(prefix + length);
  if (window.size() < prefix + length)
    fail_npy(path, "the file ends inside its header", "save it again with numpy.save");
  const NpyHeader header = parse_npy_dictionary({window.begin() + prefix, length}, path);
  window.advance(window.begin() + prefix + length);
  return header;
}

NpyArray check(const NpyHeader& header, const Window& window, const std::string& path) {
  NpyArray array;
  if (header.type != "<f8" && header.type != "<f4") {
    if (header.type.ends_with("O"))
      fail_npy(path, "it holds Python objects (a pickle, which can run any code when it is loaded)",
               "save an array of numbers, as in numpy.save(path, a.astype('<f8'))");
    const bool big_endian = header.type.starts_with(">f");
    fail_npy(
        path,
        fmt::format("its numbers are of type {}{}", in_quotes(header.type), big_endian ? ", big-endian" : ""),
        "save it as little-endian float64, as in numpy.save(path, a.astype('<f8'))");
  }
  array.bytes = header.type == "<f4" ? 4 : 8;
  if (header.shape.size() != 1 && header.shape.size() != 2)
    fail_npy(path, fmt::format("its array has {} dimensions", header.shape.size()),
             "save an array of shape [points, numbers], as with a.reshape(len(a), -1)");
  array.rows = header.shape[0];
  const std::uint64_t columns = header.shape.size() == 2 ? header.shape[1] : 1;
  if (array.rows == 0 || columns == 0) fail_npy(path, "its array is empty", "give one point at least");
  if (columns > kMostNpyColumns)
    fail_npy(path, fmt::format("its array has {} columns", columns),
             fmt::format("give at most {}", kMostNpyColumns));
  array.columns = static_cast<std::size_t>(columns);
  if (array.rows > (std::uint64_t{1} << 62) / array.row_bytes())
    fail_npy(path, fmt::format("its header claims {} rows", array.rows), "save it again with numpy.save");
  if (const auto size = window.source_size(); size && *size != window.offset() + array.total())
    fail_npy(path,
             fmt::format("{} bytes of numbers follow the header, which says {}", *size - window.offset(),
                         array.total()),
             *size < window.offset() + array.total() ? "the file is cut off: copy or save it again"
                                                     : "give a file with one array");
  return array;
}

/// Column by column to row by row. Memory grows with what the file holds, not with what its header claims.
std::string transposed(Window& window, const NpyArray& array, const std::string& path) {
  std::string by_columns;
  while (window.size() > 0 || window.more()) {
    by_columns.append(window.begin(), window.size());
    window.advance(window.end());
  }
  if (by_columns.size() != array.total())
    fail_npy(
        path,
        fmt::format("{} bytes of numbers follow the header, which says {}", by_columns.size(), array.total()),
        "copy or save it again");
  std::string by_rows(by_columns.size(), '\0');
  for (std::size_t r = 0; r < array.rows; ++r)
    for (std::size_t c = 0; c < array.columns; ++c)
      std::memcpy(&by_rows[(r * array.columns + c) * array.bytes],
                  &by_columns[(c * array.rows + r) * array.bytes], array.bytes);
  return by_rows;
}

}  // namespace

double NpyArray::number(const char* from) const {
  if (bytes == 4) {
    float value;
    std::memcpy(&value, from, 4);
    return static_cast<double>(value);
  }
  double value;
  std::memcpy(&value, from, 8);
  return value;
}

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& path) {
  return Dictionary(text, path).read();
}

NpyArray open_npy_array(Window& window, const std::string& path) {
  const NpyHeader header = read_header(window, path);
  const NpyArray array = check(header, window, path);
  if (header.fortran_order && array.columns > 1)
    window = Window(owned_bytes(transposed(window, array, path)));
  return array;
}

Error npy_error(const std::string& path, const std::string& problem, const std::string& advice) {
  return Error(fmt::format("{}: {}", path, problem), advice, Fault::bad_data);
}

}  // namespace riemflow::io
