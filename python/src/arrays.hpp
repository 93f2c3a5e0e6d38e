#pragma once
// Arrays of numpy as points and back.

#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "python/src/bindings.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/points.hpp"

namespace riemflow::python {

/// An array [n, columns] as it lies in memory, row by row, of float64 or float32: no copy. It is read in
/// chunks, so that memory does not grow with it.
class ArrayView {
 public:
  explicit ArrayView(const py::array& array) : array_(array), data_(array.data()) {
    require(array.ndim() == 2, fmt::format("an array of {} dimensions where 2 are expected", array.ndim()),
            "give one point a row: an array [n, numbers per point]", Fault::bad_data);
    const bool rows = (array.flags() & py::array::c_style) != 0;
    single_ = py::isinstance<py::array_t<float>>(array);
    require(rows && (single_ || py::isinstance<py::array_t<double>>(array)),
            "an array that is not float64 or float32, row by row", "give numpy.ascontiguousarray(x, float)",
            Fault::bad_data);
    rows_ = static_cast<std::size_t>(array.shape(0));
    columns_ = static_cast<int>(array.shape(1));
  }

  std::size_t size() const { return rows_; }
  int columns() const { return columns_; }

  /// Rows from `begin` to `end`.
  Points<double> rows(std::size_t begin, std::size_t end) const {
    Points<double> points(end - begin, columns_);
    const std::size_t first = begin * static_cast<std::size_t>(columns_);
    const auto copy = [&](const auto* from) {
      std::copy(from + first, from + first + points.values.size(), points.values.begin());
    };
    single_ ? copy(static_cast<const float*>(data_)) : copy(static_cast<const double*>(data_));
    return points;
  }
  Points<double> all() const { return rows(0, rows_); }

 private:
  py::array array_;  // kept while it is read
  const void* data_;
  bool single_ = false;
  std::size_t rows_ = 0;
  int columns_ = 0;
};

/// The vector becomes the array's memory.
template <class T>
py::array_t<T> array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const py::capsule owner(kept, [](void* memory) { delete static_cast<std::vector<T>*>(memory); });
  return py::array_t<T>(std::move(shape), kept->data(), owner);
}
template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  const auto n = static_cast<py::ssize_t>(values.size());
  return array_of(std::move(values), {n});
}
inline py::array_t<double> array_of(Points<double> points) {
  const auto n = static_cast<py::ssize_t>(points.size());
  return array_of(std::move(points.values), {n, points.dimension});
}

/// Of an array of one dimension.
inline std::vector<double> vector_of(
    const py::array_t<double, py::array::c_style | py::array::forcecast>& array) {
  return {array.data(), array.data() + array.size()};
}

}  // namespace riemflow::python
