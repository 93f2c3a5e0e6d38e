#pragma once
// Regular grids of two-dimensional manifolds: rows go along the first coordinate, columns along the second,
// which is orthogonal to it. With the volumes of the cells, the means of a density add up to its mass.

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace riemflow {

struct LatticeAxis {
  std::string name;                    ///< "latitude", "angle1", "x"
  std::string units;                   ///< of the numbers here: "degrees_north", "degree", "1"
  std::vector<double> centres, edges;  ///< rising; edges: one more
};

/// A box of coordinates.
struct CoordinateBox {
  std::array<double, 2> low, high;
};

/// What lies beyond the first and the last cell of an axis: nothing, the other end, or, beyond a pole, the
/// same axis half a turn away.
enum class LatticeEnd { open, periodic, pole };

struct Lattice {
  LatticeAxis rows, columns;
  int ambient = 0;
  LatticeEnd row_end = LatticeEnd::open, column_end = LatticeEnd::open;
  /// point = that of the coordinates; false if it is not on the manifold.
  std::function<bool(double first, double second, double* point)> place;
  /// The Riemannian volume of a cell. Of a cell that reaches beyond the rim of the ball, which has no end,
  /// the density of volume at its centre times its area.
  std::function<double(std::size_t row, std::size_t column)> volume;
  /// Riemannian lengths of a unit of the first and the second coordinate, on the manifold.
  std::function<std::array<double, 2>(double first, double second)> scales;
  /// A box that holds the geodesic ball around a point; on axes that are not open it may reach beyond
  /// their ends, by no more than a turn in all.
  std::function<CoordinateBox(const double* point, double radius)> around;

  std::size_t size() const { return rows.centres.size() * columns.centres.size(); }
};

/// n cells from south to north, 2n from `west` (−180 or 0) eastward, in degrees.
/// Volume: Δλ (sin φ_north − sin φ_south).
Lattice earth_lattice(std::size_t n, double west);

/// n × n cells of angles from −180 to 180 degrees. Volume in rad².
Lattice torus_lattice(std::size_t n);

/// n × n cells of the square that holds the ball of curvature K < 0.
Lattice ball_lattice(std::size_t n, double K);
/// The same of the square of half side `half` around (x, y).
Lattice ball_lattice(std::size_t n, double K, double half, double x, double y);

/// n × n cells of the square of half side `extent` around (x, y).
Lattice euclidean_lattice(std::size_t n, double extent, double x = 0, double y = 0);

}  // namespace riemflow
