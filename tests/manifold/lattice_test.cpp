#include "riemflow/manifold/lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

double total_volume(const Lattice& lattice) {
  double sum = 0;
  for (std::size_t i = 0; i < lattice.rows.centres.size(); ++i)
    for (std::size_t j = 0; j < lattice.columns.centres.size(); ++j) sum += lattice.volume(i, j);
  return sum;
}

TEST(Lattice, VolumesOfCompactManifolds) {
  EXPECT_NEAR(total_volume(earth_lattice(18, -180)), 4 * std::numbers::pi, 1e-12);
  EXPECT_NEAR(total_volume(torus_lattice(72)), 4 * std::numbers::pi * std::numbers::pi, 1e-11);
  EXPECT_NEAR(total_volume(euclidean_lattice(10, 3)), 36, 1e-12);
  // The northernmost row is a cap: 2π(1 − sin 80°) in 36 cells.
  EXPECT_NEAR(36 * earth_lattice(18, 0).volume(17, 0),
              2 * std::numbers::pi * (1 - std::sin(80 * std::numbers::pi / 180)), 1e-14);
}

TEST(Lattice, CentresAreTheNearestNumbers) {
  const Lattice lattice = earth_lattice(1800, -180);
  EXPECT_EQ(lattice.rows.centres.front(), -89.95);
  EXPECT_EQ(lattice.rows.centres[1], -89.85);
  EXPECT_EQ(lattice.rows.centres.back(), 89.95);
  EXPECT_EQ(lattice.columns.centres[3], -179.65);
  EXPECT_EQ(lattice.rows.edges.front(), -90);
  EXPECT_EQ(lattice.rows.edges.back(), 90);
  EXPECT_EQ(earth_lattice(180, 0).columns.centres.front(), 0.5);
  EXPECT_EQ(earth_lattice(180, 0).columns.edges.back(), 360);
}

TEST(Lattice, Points) {
  double x[3];
  const Lattice earth = earth_lattice(18, -180);
  ASSERT_TRUE(earth.place(0, 90, x));
  EXPECT_NEAR(x[0], 0, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);
  const Lattice ball = ball_lattice(100, -0.25);
  EXPECT_EQ(ball.rows.edges.front(), -2);
  EXPECT_TRUE(ball.place(1.9, 0, x));
  EXPECT_FALSE(ball.place(1.9, 1.9, x));
}

/// ∫ scales over a cell by 40 × 40 midpoints, Richardson's extrapolation of 20 × 20.
double volume_by_sums(const Lattice& lattice, std::size_t row, std::size_t column) {
  const auto sum = [&](int n) {
    const double a = lattice.rows.edges[row], da = (lattice.rows.edges[row + 1] - a) / n;
    const double b = lattice.columns.edges[column], db = (lattice.columns.edges[column + 1] - b) / n;
    double total = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const auto [first, second] = lattice.scales(a + (i + 0.5) * da, b + (j + 0.5) * db);
        total += first * second * da * db;
      }
    return total;
  };
  return (4 * sum(40) - sum(20)) / 3;
}

TEST(Lattice, VolumesAreThoseOfTheScales) {
  const Lattice ball = ball_lattice(100, -0.25), window = ball_lattice(10, -1, 0.1, 0.6, 0);
  for (const auto& [lattice, row, column] : {std::tuple{earth_lattice(18, -180), 3, 5},
                                             {earth_lattice(18, -180), 17, 0},
                                             {torus_lattice(36), 3, 5},
                                             {euclidean_lattice(10, 3), 1, 2},
                                             {ball, 50, 50},
                                             {ball, 20, 15},
                                             {ball, 90, 60},
                                             {window, 0, 9}}) {
    const double wanted =
        volume_by_sums(lattice, static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    EXPECT_NEAR(lattice.volume(static_cast<std::size_t>(row), static_cast<std::size_t>(column)) / wanted, 1,
                1e-7)
        << lattice.rows.name << " " << row << " " << column;
  }
  // The cell at the corner of the square reaches beyond the rim: λ² of its centre.
  const Lattice coarse = ball_lattice(4, -1);
  EXPECT_DOUBLE_EQ(coarse.volume(3, 2), std::pow(0.5 * 2 / (1 - 0.75 * 0.75 - 0.25 * 0.25), 2));
}

/// Points on the circle around x, and a little within it, lie in the box; some touch each of its sides.
TEST(Lattice, BoxesHoldBalls) {
  for (const auto& [name, lattice, at] :
       {std::tuple{"sphere:2", earth_lattice(18, -180), std::array{40.0, 170.0}},
        {"sphere:2", earth_lattice(18, -180), std::array{-88.0, 20.0}},
        {"torus:2", torus_lattice(36), std::array{-179.0, 30.0}},
        {"ball:2,K=-0.25", ball_lattice(100, -0.25), std::array{1.2, -1.0}},
        {"euclidean:2", euclidean_lattice(10, 3), std::array{1.0, 2.0}}}) {
    const auto manifold = parse_manifold<double>(name);
    const auto D = static_cast<std::size_t>(manifold->ambient());
    std::vector<double> x(3);
    ASSERT_TRUE(lattice.place(at[0], at[1], x.data()));
    for (const double radius : {0.01, 0.3, 1.0}) {
      const CoordinateBox box = lattice.around(x.data(), radius);
      std::vector<Pack<double>> m(D), v(D), y(D), frame(2 * D);
      for (std::size_t c = 0; c < D; ++c) m[c] = Pack<double>(x[c]);
      manifold->frame(m.data(), {frame.data(), 2});
      std::array<double, 2> low{1e9, 1e9}, high{-1e9, -1e9};
      for (int k = 0; k < 720; ++k) {
        const double angle = 2 * std::numbers::pi * k / 720;
        for (std::size_t c = 0; c < D; ++c)
          v[c] = Pack<double>(radius *
                              (std::cos(angle) * frame[2 * c][0] + std::sin(angle) * frame[2 * c + 1][0]));
        manifold->exp(m.data(), v.data(), y.data());
        const bool earth = D == 3;
        const double degree = std::numbers::pi / 180;
        std::array<double, 2> u{y[0][0], y[1][0]};
        if (earth) u = {std::asin(y[2][0]) / degree, std::atan2(y[1][0], y[0][0]) / degree};
        if (lattice.row_end == LatticeEnd::periodic) u = {u[0] / degree, u[1] / degree};
        for (std::size_t a = 0; a < 2; ++a) {
          if ((a == 0 ? lattice.row_end : lattice.column_end) == LatticeEnd::periodic)
            u[a] -= 360 * std::round((u[a] - 0.5 * (box.low[a] + box.high[a])) / 360);
          low[a] = std::min(low[a], u[a]);
          high[a] = std::max(high[a], u[a]);
        }
      }
      const bool pole =
          lattice.row_end == LatticeEnd::pole && std::abs(at[0]) + radius * 180 / std::numbers::pi > 90;
      for (std::size_t a = 0; a < 2; ++a) {
        const double side = box.high[a] - box.low[a];
        EXPECT_GT(low[a], box.low[a] - 1e-9 * side) << name << " " << radius << " " << a;
        EXPECT_LT(high[a], box.high[a] + 1e-9 * side) << name << " " << radius << " " << a;
        if (pole) continue;
        EXPECT_LT(low[a], box.low[a] + 1e-4 * side) << name << " " << radius << " " << a;
        EXPECT_GT(high[a], box.high[a] - 1e-4 * side) << name << " " << radius << " " << a;
      }
      if (pole) {
        EXPECT_DOUBLE_EQ(box.low[0], at[0] < 0 ? -90 : box.low[0]);
        EXPECT_DOUBLE_EQ(box.high[1] - box.low[1], 360);
      }
    }
  }
}

TEST(Lattice, SquaresElsewhere) {
  const Lattice plane = euclidean_lattice(10, 0.5, 3, -2);
  EXPECT_DOUBLE_EQ(plane.rows.edges.front(), 2.5);
  EXPECT_DOUBLE_EQ(plane.rows.edges.back(), 3.5);
  EXPECT_DOUBLE_EQ(plane.columns.centres.front(), -2.45);
  EXPECT_DOUBLE_EQ(plane.volume(3, 4), 0.01);
  const Lattice ball = ball_lattice(10, -1, 0.1, 0.9, 0);
  EXPECT_DOUBLE_EQ(ball.rows.edges.front(), 0.8);
  EXPECT_DOUBLE_EQ(ball.columns.edges.back(), 0.1);
}

}  // namespace
}  // namespace riemflow
