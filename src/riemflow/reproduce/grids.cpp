#include "riemflow/reproduce/grids.hpp"

#include <limits>

namespace riemflow {

Json grid_of(const Lattice& lattice, const LogDensity& log_density) {
  std::vector<std::size_t> cells;
  Points<double> points;
  points.dimension = lattice.ambient;
  std::vector<double> point(static_cast<std::size_t>(lattice.ambient));
  std::size_t cell = 0;
  for (double row : lattice.rows.centres)
    for (double column : lattice.columns.centres) {
      if (lattice.place(row, column, point.data())) {
        cells.push_back(cell);
        points.values.insert(points.values.end(), point.begin(), point.end());
      }
      ++cell;
    }
  const std::vector<double> at_points = log_density(points);
  std::vector<double> values(lattice.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < cells.size(); ++i) values[cells[i]] = at_points[i];
  return {{"rows", rounded_array(lattice.rows.centres, 6)},
          {"columns", rounded_array(lattice.columns.centres, 6)},
          {"log_density", rounded_array(values)}};
}

}  // namespace riemflow
