#include "riemflow/io/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

static_assert(std::endian::native == std::endian::little,
              "NPY files are written as memory holds the numbers");

}  // namespace

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

template <class T>
void write_npy(std::ostream& out, std::initializer_list<std::size_t> shape, const T* data) {
  std::size_t n = 1;
  for (std::size_t extent : shape) n *= extent;
  const std::string header = npy_header<T>(shape);
  out.write(header.data(), static_cast<std::streamsize>(header.size()));
  out.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(n * sizeof(T)));
  out.flush();
  require(out.good(), "an NPY array cannot be written", "check the space left on the disk",
          Fault::cannot_write);
}

template <class T>
void write_npy(const std::string& path, std::initializer_list<std::size_t> shape, const T* data) {
  std::ofstream out(path, std::ios::binary);
  require(out.is_open(), fmt::format("{}: cannot be created: {}", path, std::strerror(errno)),
          "check the folder and its permissions", Fault::cannot_write);
  write_npy(out, shape, data);
}

template std::string npy_header<float>(std::initializer_list<std::size_t>, std::size_t);
template std::string npy_header<double>(std::initializer_list<std::size_t>, std::size_t);
template void write_npy(std::ostream&, std::initializer_list<std::size_t>, const float*);
template void write_npy(std::ostream&, std::initializer_list<std::size_t>, const double*);
template void write_npy(const std::string&, std::initializer_list<std::size_t>, const float*);
template void write_npy(const std::string&, std::initializer_list<std::size_t>, const double*);

}  // namespace riemflow
