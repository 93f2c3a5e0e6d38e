#pragma once
// Points as rows of a table: coordinates for people, or the numbers of the ambient space.

#include <span>
#include <string>
#include <vector>

#include "riemflow/core/executor.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/io/coordinates.hpp"
#include "riemflow/io/table_writer.hpp"

namespace riemflow::app {

class CoordinateRows {
 public:
  /// vectors: ambient coordinates x_1 …, else io/coordinates.hpp.
  CoordinateRows(const Manifold<double>& manifold, bool vectors)
      : manifold_(manifold), vectors_(vectors), width_(coordinate_names(manifold).size()) {}

  /// After columns that the command puts first.
  void append_columns(std::vector<TableColumn>& columns) const {
    if (vectors_)
      for (int i = 1; i <= manifold_.ambient(); ++i) columns.push_back({"x_" + std::to_string(i)});
    else
      for (const std::string& name : coordinate_names(manifold_)) columns.push_back({name});
  }

  void append(std::span<const double> point, std::vector<double>& row) const {
    if (vectors_) {
      row.insert(row.end(), point.begin(), point.end());
      return;
    }
    row.resize(row.size() + width_);
    to_coordinates(manifold_, point, std::span(row).last(width_));
  }

  /// One row a point, by all threads.
  std::vector<double> of(Points<double> points, Executor& executor) const {
    if (vectors_) return std::move(points.values);
    std::vector<double> rows(points.size() * width_);
    in_pieces(&executor, points.size(), kPointsAPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        to_coordinates(manifold_, points[i], std::span(rows).subspan(i * width_, width_));
    });
    return rows;
  }

 private:
  static constexpr std::size_t kPointsAPiece = 512;

  const Manifold<double>& manifold_;
  bool vectors_;
  std::size_t width_;
};

}  // namespace riemflow::app
