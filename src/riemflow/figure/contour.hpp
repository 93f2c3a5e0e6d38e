#pragma once
// Lines of equal value on a lattice, and the levels that enclose a share of a density's mass.

#include <vector>

#include "riemflow/figure/canvas.hpp"

namespace riemflow::figure {

/// Values at the points of a lattice, [row][column]; NaN where there is none.
struct Raster {
  int rows = 0, columns = 0;
  std::vector<double> values;
  /// After the last column comes the first again: a contour runs on there to `columns`, and the piece that
  /// goes on at 0 is a line of its own.
  bool wrap_columns = false, wrap_rows = false;
};

/// Where the value, linear along the edges between neighbours, is `level`. Points: x in columns, y in rows
/// from 0, so that (2, 1) is the place of values[1][2]. Squares with a NaN at a corner have no part of it.
Lines contour(const Raster& raster, double level);

/// The level above which the cells of highest density hold `share` of the mass, which is 1 or the sum over
/// all cells if that is more; −∞ where they do not hold it. mass[i]: of the cell of log_density[i]; NaN where
/// there is none.
double highest_density_level(const std::vector<double>& log_density, const std::vector<double>& mass,
                             double share);

}  // namespace riemflow::figure
