#pragma once
// Arrays as NPY files, which numpy.load reads.

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>

namespace riemflow {

/// Writes `data`, row-major, little-endian; T is float or double. Throws Error (cannot_write).
template <class T>
void write_npy(std::ostream& out, std::initializer_list<std::size_t> shape, const T* data);
template <class T>
void write_npy(const std::string& path, std::initializer_list<std::size_t> shape, const T* data);

}  // namespace riemflow
