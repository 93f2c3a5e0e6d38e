#pragma once
// An NPY file as rows of numbers in a window: "\x93NUMPY", version, length, a Python dictionary as text, then
// the numbers. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/io/bytes.hpp"

namespace riemflow::io {

struct NpyHeader {
  std::string type;  ///< "<f8": byte order, kind, bytes a number
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// The dictionary: exactly the keys descr, fortran_order and shape, once each, in any order. Throws Error
/// (bad_data), with `path` in front.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& path);

/// rows × columns numbers of `bytes` bytes (4 or 8), row by row.
struct NpyArray {
  std::uint64_t rows = 0;
  std::size_t columns = 1;
  std::size_t bytes = 8;

  std::size_t row_bytes() const { return columns * bytes; }
  std::uint64_t total() const { return rows * row_bytes(); }
  /// The number that starts at `from`.
  double number(const char* from) const;
};

/// Reads the header and leaves `window` at the first row; a Fortran-ordered array is held in memory and
/// transposed. A row fits into the window. Throws Error (bad_data).
NpyArray open_npy_array(Window& window, const std::string& path);

Error npy_error(const std::string& path, const std::string& problem, const std::string& advice);

}  // namespace riemflow::io
