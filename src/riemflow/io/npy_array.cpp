#include "riemflow/io/npy_array.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "riemflow/core/error.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/npy_header.hpp"

namespace riemflow::io {
namespace {

constexpr std::uint64_t kMostNpyColumns = 65536;
static_assert(kMostNpyColumns * 8 <= Window::kCapacity);
static_assert(std::endian::native == std::endian::little, "numbers are read as memory holds them");

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

NpyArray open_npy_array(Window& window, const std::string& path) {
  const NpyHeader header = read_header(window, path);
  const NpyArray array = check(header, window, path);
  if (header.fortran_order && array.columns > 1)
    window = Window(owned_bytes(transposed(window, array, path)));
  return array;
}

void fail_npy(const std::string& path, const std::string& problem, const std::string& advice) {
  throw Error(fmt::format("{}: {}", path, problem), advice, Fault::bad_data);
}

}  // namespace riemflow::io
