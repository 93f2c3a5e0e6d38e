#pragma once
// Points of a flow as rows of a table: coordinates for people, or the numbers of the ambient space.

#include <span>
#include <string>
#include <vector>

#include "apps/riemflow/support/table.hpp"
#include "riemflow/io/coordinates.hpp"

namespace riemflow::app {

class CoordinateRows {
 public:
  /// vectors: ambient coordinates x_1 …, else io/coordinates.hpp.
  CoordinateRows(const Manifold<double>& manifold, bool vectors) : manifold_(manifold), vectors_(vectors) {}

  /// After columns that the command puts first.
  void append_columns(std::vector<Column>& columns) const {
    if (vectors_)
      for (int i = 1; i <= manifold_.ambient(); ++i) columns.push_back({"x_" + std::to_string(i)});
    else
      for (const std::string& name : coordinate_names(manifold_)) columns.push_back({name});
  }

  template <class T>
  void append(std::span<const T> point, std::vector<double>& row) {
    if (vectors_) {
      row.insert(row.end(), point.begin(), point.end());
      return;
    }
    ambient_.assign(point.begin(), point.end());
    if (width_ == 0) width_ = coordinate_names(manifold_).size();
    row.resize(row.size() + width_);
    to_coordinates(manifold_, ambient_, std::span(row).last(width_));
  }

 private:
  const Manifold<double>& manifold_;
  bool vectors_;
  std::size_t width_ = 0;
  std::vector<double> ambient_;
};

}  // namespace riemflow::app
