#pragma once
// Regular cell-centred grids of two-dimensional manifolds: rows go along the first coordinate, columns along
// the second. A density is given at the centres; with the volumes of the cells it adds up to about 1.

#include <functional>
#include <string>
#include <vector>

namespace riemflow {

struct LatticeAxis {
  std::string name;                    ///< "latitude", "angle1", "x"
  std::string units;                   ///< of the numbers here: "degrees_north", "degree", "1"
  std::vector<double> centres, edges;  ///< rising; edges: one more
};

struct Lattice {
  LatticeAxis rows, columns;
  int ambient = 0;
  /// point = that of a cell's centre; false if it is not on the manifold.
  std::function<bool(double first, double second, double* point)> place;
  /// The Riemannian volume of a cell.
  std::function<double(std::size_t row, std::size_t column)> volume;
  bool exact_volume = true;  ///< else density of volume at the centre times the area of the cell

  std::size_t size() const { return rows.centres.size() * columns.centres.size(); }
};

/// n cells from south to north, 2n from `west` (−180 or 0) eastward, in degrees.
/// Volume: Δλ (sin φ_north − sin φ_south).
Lattice earth_lattice(std::size_t n, double west);

/// n × n cells of angles from −180 to 180 degrees. Volume in rad².
Lattice torus_lattice(std::size_t n);

/// n × n cells of the square that holds the ball of curvature K < 0. Volume: λ² times the area, λ at the
/// centre.
Lattice ball_lattice(std::size_t n, double K);
/// The same of the square of half side `half` around (x, y).
Lattice ball_lattice(std::size_t n, double K, double half, double x, double y);

/// n × n cells of the square of half side `extent` around (x, y).
Lattice euclidean_lattice(std::size_t n, double extent, double x = 0, double y = 0);

}  // namespace riemflow
