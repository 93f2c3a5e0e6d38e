#include "riemflow/density/kernel_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/density/von_mises_fisher.hpp"

namespace riemflow {
namespace {

Points<double> draw(const VonMisesFisher<double>& distribution, std::size_t n, std::uint64_t seed) {
  Points<double> points(n, distribution.ambient());
  std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension));
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::test, 0, i);
    distribution.sample(random, x.data(), 0);
    for (std::size_t j = 0; j < x.size(); ++j) points[i][j] = x[j][0];
  }
  return points;
}

TEST(KernelDensity, OneBumpIsAMixtureOfVonMisesFisherAndUniform) {
  Points<double> one(1, 3);
  one[0][1] = 1;
  const VonMisesFisher<double> bump(Eigen::Vector3d(0, 1, 0), 20);
  const KernelDensity density(one, 20, 0.25);
  const Points<double> points = draw(bump, 20, 1);
  const std::vector<double> values = density.log_prob(points);
  Pack<double> x[3];
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < 3; ++j) x[j] = Pack<double>(points[i][j]);
    const double expected = 0.75 * std::exp(bump.log_density(x)[0]) + 0.25 / (4 * std::numbers::pi);
    EXPECT_NEAR(values[i], std::log(expected), 1e-12);
  }
}

TEST(KernelDensity, MassIsOne) {
  const KernelDensity density(draw(VonMisesFisher<double>(Eigen::Vector3d(1, 2, 3), 3), 30, 2), 50, 0.01);
  const std::size_t rows = 400, columns = 800;
  Points<double> grid(rows * columns, 3);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const double z = -1 + 2 * (static_cast<double>(i / columns) + 0.5) / rows;
    const double angle = 2 * std::numbers::pi * static_cast<double>(i % columns) / columns;
    grid[i][0] = std::sqrt(1 - z * z) * std::cos(angle);
    grid[i][1] = std::sqrt(1 - z * z) * std::sin(angle);
    grid[i][2] = z;
  }
  double mass = 0;
  for (double value : density.log_prob(grid))
    mass += std::exp(value) * 4 * std::numbers::pi / (rows * columns);
  EXPECT_NEAR(mass, 1, 1e-4);
}

TEST(KernelDensity, BestBandwidthBeatsItsNeighbours) {
  const VonMisesFisher<double> truth(Eigen::Vector3d(0, 0, 1), 30);
  const Points<double> data = draw(truth, 800, 3), validation = draw(truth, 300, 4);
  const KernelDensity best = KernelDensity::with_best_bandwidth(data, validation);
  const auto score = [&](double kappa) {
    double sum = 0;
    for (double v : KernelDensity(data, kappa).log_prob(validation)) sum += v;
    return sum;
  };
  EXPECT_GT(score(best.kappa()), score(best.kappa() * 1.3));
  EXPECT_GT(score(best.kappa()), score(best.kappa() / 1.3));
  EXPECT_GT(best.kappa(), 30);  // narrower than the truth
  EXPECT_LT(best.kappa(), 3000);
}

TEST(KernelDensity, RefusesWhatCannotBeMeant) {
  Points<double> one(1, 3);
  one[0][0] = 1;
  EXPECT_THROW(KernelDensity(Points<double>(0, 3), 1), Error);
  EXPECT_THROW(KernelDensity(one, 0), Error);
  EXPECT_THROW(KernelDensity(one, 1, 0), Error);
  EXPECT_THROW(KernelDensity(one, 1, 1), Error);
  EXPECT_THROW(KernelDensity::with_best_bandwidth(one, Points<double>(0, 3)), Error);
}

}  // namespace
}  // namespace riemflow
