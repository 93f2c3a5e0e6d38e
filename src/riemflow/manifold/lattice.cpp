#include "riemflow/manifold/lattice.hpp"

#include <cmath>

#include "riemflow/manifold/earth.hpp"

namespace riemflow {
namespace {

/// n cells from `low` to `low + width`. Each number is one rounded quotient, so that the centres of a grid of
/// 0.1 degrees are the doubles nearest to −89.95, −89.85, … and print as such.
LatticeAxis axis(std::string name, std::string units, std::size_t n, double low, double width) {
  LatticeAxis result{std::move(name), std::move(units), {}, {}};
  const double count = static_cast<double>(n);
  for (std::size_t i = 0; i <= n; ++i) {
    const double k = static_cast<double>(i);
    result.edges.push_back((low * count + width * k) / count);
    if (i < n) result.centres.push_back((2 * low * count + width * (2 * k + 1)) / (2 * count));
  }
  return result;
}

double width(const LatticeAxis& axis, std::size_t i) { return axis.edges[i + 1] - axis.edges[i]; }

}  // namespace

Lattice earth_lattice(std::size_t n, double west) {
  Lattice lattice;
  lattice.rows = axis("latitude", "degrees_north", n, -90, 180);
  lattice.columns = axis("longitude", "degrees_east", 2 * n, west, 360);
  lattice.ambient = 3;
  lattice.place = [](double latitude, double longitude, double* point) {
    earth_point(latitude * kRadians, longitude * kRadians, point);
    return true;
  };
  // sin φ_n − sin φ_s = 2 cos m sin h
  lattice.volume = [rows = lattice.rows, n](std::size_t row, std::size_t) {
    const double h = 0.5 * width(rows, row) * kRadians;
    return std::numbers::pi / static_cast<double>(n) * 2 * std::cos(rows.centres[row] * kRadians) *
           std::sin(h);
  };
  return lattice;
}

Lattice torus_lattice(std::size_t n) {
  Lattice lattice;
  lattice.rows = axis("angle1", "degree", n, -180, 360);
  lattice.columns = axis("angle2", "degree", n, -180, 360);
  lattice.ambient = 2;
  lattice.place = [](double first, double second, double* point) {
    point[0] = first * kRadians;
    point[1] = second * kRadians;
    return true;
  };
  const double side = 2 * std::numbers::pi / static_cast<double>(n);
  lattice.volume = [side](std::size_t, std::size_t) { return side * side; };
  return lattice;
}

Lattice ball_lattice(std::size_t n, double K) { return ball_lattice(n, K, 1 / std::sqrt(-K), 0, 0); }

Lattice ball_lattice(std::size_t n, double K, double half, double x, double y) {
  Lattice lattice;
  lattice.rows = axis("x", "1", n, x - half, 2 * half);
  lattice.columns = axis("y", "1", n, y - half, 2 * half);
  lattice.ambient = 2;
  lattice.exact_volume = false;
  lattice.place = [K](double first, double second, double* point) {
    point[0] = first;
    point[1] = second;
    return 1 + K * (first * first + second * second) > 1e-6;
  };
  const double side = 2 * half / static_cast<double>(n);
  lattice.volume = [K, side, rows = lattice.rows.centres, columns = lattice.columns.centres](
                       std::size_t row, std::size_t column) {
    const double first = rows[row], second = columns[column];
    const double gap = 1 + K * (first * first + second * second);
    return std::pow(2 / gap * side, 2);
  };
  return lattice;
}

Lattice euclidean_lattice(std::size_t n, double extent, double x, double y) {
  Lattice lattice;
  lattice.rows = axis("x", "1", n, x - extent, 2 * extent);
  lattice.columns = axis("y", "1", n, y - extent, 2 * extent);
  lattice.ambient = 2;
  lattice.place = [](double first, double second, double* point) {
    point[0] = first;
    point[1] = second;
    return true;
  };
  const double side = 2 * extent / static_cast<double>(n);
  lattice.volume = [side](std::size_t, std::size_t) { return side * side; };
  return lattice;
}

}  // namespace riemflow
