#include "riemflow/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace riemflow {

static_assert(std::endian::native == std::endian::little,
              "NPY files are written as memory holds the numbers");

/// Magic, version 1.0, length and dictionary, padded to a multiple of 64 bytes that ends with a line feed.
template <class T>
std::string npy_header(std::initializer_list<std::size_t> shape, std::size_t size) {
  std::string tuple;
  for (std::size_t n : shape) tuple += fmt::format("{}{}", tuple.empty() ? "" : ", ", n);
  if (shape.size() == 1) tuple += ",";
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                       sizeof(T) == 4 ? "<f4" : "<f8", tuple);
  constexpr std::size_t kPrefix = 10;
  dictionary.resize(std::max(dictionary.size(), std::max(size, kPrefix + 1) - kPrefix - 1), ' ');
  dictionary.append(63 - (kPrefix + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

template std::string npy_header<float>(std::initializer_list<std::size_t>, std::size_t);
template std::string npy_header<double>(std::initializer_list<std::size_t>, std::size_t);

}  // namespace riemflow
