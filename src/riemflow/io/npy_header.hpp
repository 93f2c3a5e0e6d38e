#pragma once
// The header of an NPY file: "\x93NUMPY", version, length, then a Python dictionary as text.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace riemflow::io {

struct NpyHeader {
  std::string type;  ///< "<f8": byte order, kind, bytes a number
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
};

/// The dictionary: exactly the keys descr, fortran_order and shape, once each, in any order. Throws Error
/// (bad_data), with `path` in front.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& path);

}  // namespace riemflow::io
