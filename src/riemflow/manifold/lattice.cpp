#include "riemflow/manifold/lattice.hpp"

#include <algorithm>
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

/// ∫ λ² dx dy over a box within the disk, λ = 2/(1 − r²): since d[2(x dy − y dx)/(1 − r²)] = λ² dx dy, a sum
/// over its sides, on x = a
///   ∫ 2a dy/(1 − a² − y²) = (2a/s)(artanh(y₁/s) − artanh(y₀/s)),  s² = 1 − a².
double hyperbolic_area(double x0, double x1, double y0, double y1) {
  const auto side = [](double a, double from, double to) {
    const double s = std::sqrt(1 - a * a);
    return 2 * a / s * (std::atanh(to / s) - std::atanh(from / s));
  };
  return side(x1, y0, y1) - side(x0, y0, y1) + side(y1, x0, x1) - side(y0, x0, x1);
}

/// Degrees around an angle that wraps.
std::array<double, 2> turn_around(double angle, double radius) {
  const double half = std::min(radius / kRadians, 180.0);
  return {angle / kRadians - half, angle / kRadians + half};
}

}  // namespace

Lattice earth_lattice(std::size_t n, double west) {
  Lattice lattice;
  lattice.rows = axis("latitude", "degrees_north", n, -90, 180);
  lattice.columns = axis("longitude", "degrees_east", 2 * n, west, 360);
  lattice.ambient = 3;
  lattice.row_end = LatticeEnd::pole;
  lattice.column_end = LatticeEnd::periodic;
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
  lattice.scales = [](double latitude, double) {
    return std::array{kRadians, kRadians * std::cos(latitude * kRadians)};
  };
  // A circle of radius ρ touches the meridians asin(sin ρ/cos φ) to either side, unless it holds a pole.
  lattice.around = [](const double* x, double radius) {
    const double across = std::hypot(x[0], x[1]), latitude = std::atan2(x[2], across),
                 end = std::numbers::pi / 2;
    const bool whole = std::abs(latitude) + radius >= end;
    const auto longitudes =
        turn_around(std::atan2(x[1], x[0]),
                    whole ? std::numbers::pi : std::asin(std::min(1.0, std::sin(radius) / across)));
    return CoordinateBox{{std::max(latitude - radius, -end) / kRadians, longitudes[0]},
                         {std::min(latitude + radius, end) / kRadians, longitudes[1]}};
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
  lattice.row_end = lattice.column_end = LatticeEnd::periodic;
  const double side = 2 * std::numbers::pi / static_cast<double>(n);
  lattice.volume = [side](std::size_t, std::size_t) { return side * side; };
  lattice.scales = [](double, double) { return std::array{kRadians, kRadians}; };
  lattice.around = [](const double* x, double radius) {
    const auto first = turn_around(x[0], radius), second = turn_around(x[1], radius);
    return CoordinateBox{{first[0], second[0]}, {first[1], second[1]}};
  };
  return lattice;
}

Lattice ball_lattice(std::size_t n, double K) { return ball_lattice(n, K, 1 / std::sqrt(-K), 0, 0); }

Lattice ball_lattice(std::size_t n, double K, double half, double x, double y) {
  Lattice lattice;
  lattice.rows = axis("x", "1", n, x - half, 2 * half);
  lattice.columns = axis("y", "1", n, y - half, 2 * half);
  lattice.ambient = 2;
  lattice.place = [K](double first, double second, double* point) {
    point[0] = first;
    point[1] = second;
    return 1 + K * (first * first + second * second) > 1e-6;
  };
  const double R = 1 / std::sqrt(-K);
  lattice.volume = [K, R, rows = lattice.rows, columns = lattice.columns](std::size_t row,
                                                                          std::size_t column) {
    const double x0 = rows.edges[row] / R, x1 = rows.edges[row + 1] / R, y0 = columns.edges[column] / R,
                 y1 = columns.edges[column + 1] / R;
    if (std::hypot(std::max(std::abs(x0), std::abs(x1)), std::max(std::abs(y0), std::abs(y1))) < 1)
      return R * R * hyperbolic_area(x0, x1, y0, y1);
    const double first = rows.centres[row], second = columns.centres[column];
    const double lambda = 2 / (1 + K * (first * first + second * second));
    return lambda * lambda * width(rows, row) * width(columns, column);
  };
  lattice.scales = [K](double first, double second) {
    const double lambda = 2 / (1 + K * (first * first + second * second));
    return std::array{lambda, lambda};
  };
  // The ball around m is a Euclidean disk: with t = tanh(ρ/2R) and q = −K|m|² its centre is
  // m(1 − t²)/(1 − qt²), its radius R t(1 − q)/(1 − qt²).
  lattice.around = [K, R](const double* m, double radius) {
    const double t = std::tanh(radius / (2 * R)), q = -K * (m[0] * m[0] + m[1] * m[1]);
    const double shrink = (1 - t * t) / (1 - q * t * t), r = R * t * (1 - q) / (1 - q * t * t);
    return CoordinateBox{{shrink * m[0] - r, shrink * m[1] - r}, {shrink * m[0] + r, shrink * m[1] + r}};
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
  lattice.scales = [](double, double) { return std::array{1.0, 1.0}; };
  lattice.around = [](const double* m, double radius) {
    return CoordinateBox{{m[0] - radius, m[1] - radius}, {m[0] + radius, m[1] + radius}};
  };
  return lattice;
}

}  // namespace riemflow
