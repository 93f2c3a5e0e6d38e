#pragma once
// Lines of equal value on a lattice, and the values whose lines enclose given shares of the mass.

#include <span>
#include <vector>

#include "riemflow/figure/canvas.hpp"

namespace riemflow::figure {

/// Values at the nodes of a lattice, [row][column].
struct Nodes {
  std::size_t rows = 0, columns = 0;
  std::span<const double> values;
  bool columns_wrap = false, rows_wrap = false;  ///< the first follows the last
};

/// Where the value, linear along the lattice's edges, is `level`: in units of nodes, x by column, y by row.
/// Across a wrap the numbers go on, so that each line is continuous. There is no line where a value is NaN.
Lines contour(const Nodes& nodes, double level);

/// For each share the largest level such that the cells at or above it hold that share of all mass: the
/// levels of highest-density regions. Cells whose density is NaN do not count.
std::vector<double> highest_density_levels(std::span<const double> densities, std::span<const double> volumes,
                                           std::span<const double> shares);

}  // namespace riemflow::figure
