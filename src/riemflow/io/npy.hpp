#pragma once
// Arrays as NPY files, which numpy.load reads.

#include <cstdint>
#include <initializer_list>
#include <string>

namespace riemflow {

/// What an NPY file begins with; its numbers follow, row-major, little-endian. T is float or double. At least
/// `size` bytes of it, so that a header written before the number of rows is known can be replaced by the
/// right one.
template <class T>
std::string npy_header(std::initializer_list<std::size_t> shape, std::size_t size = 0);

}  // namespace riemflow
