#include "riemflow/manifold/lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

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
  EXPECT_FALSE(ball.exact_volume);
  // λ = 2/(1 − x²/4) at the cell (0.02, 0.02) of side 0.04
  EXPECT_NEAR(ball.volume(50, 50), std::pow(0.04 * 2 / (1 - 0.25 * 2 * 0.02 * 0.02), 2), 1e-15);
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
  // The cell around (0.81, −0.09).
  EXPECT_NEAR(ball.volume(0, 0), std::pow(0.02 * 2 / (1 - 0.81 * 0.81 - 0.09 * 0.09), 2), 1e-12);
}

}  // namespace
}  // namespace riemflow
