// The density of a flow integrates to one, whatever the network: by grids of the test's own, apart from
// manifold/cubature.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/flow/flows.hpp"

namespace riemflow {
namespace {

using namespace test;
constexpr double kPi = std::numbers::pi;

struct Node {
  double x, weight;
};

/// Gauss–Legendre with n nodes: the roots of P_n by Newton's method.
std::vector<Node> gauss(int n, double from, double to) {
  std::vector<Node> nodes;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(kPi * (i + 0.75) / (n + 0.5)), slope = 0;
    for (int iteration = 0; iteration < 50; ++iteration) {
      double before = 1, p = x;
      for (int k = 2; k <= n; ++k) before = std::exchange(p, ((2 * k - 1) * x * p - (k - 1) * before) / k);
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    nodes.push_back({(from + to) / 2 + x * (to - from) / 2, (to - from) / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

/// n equal steps over a period, or over a range at whose ends the integrand vanishes.
std::vector<Node> equal(int n, double from, double to) {
  std::vector<Node> nodes;
  for (int i = 0; i < n; ++i) nodes.push_back({from + (to - from) * i / n, (to - from) / n});
  return nodes;
}

/// Points of a manifold with the volume that each stands for.
struct Grid {
  std::vector<std::vector<double>> points;
  std::vector<double> volumes;

  void add(std::vector<double> point, double volume) {
    points.push_back(std::move(point));
    volumes.push_back(volume);
  }
};

Grid line() {
  Grid grid;
  for (const auto& [x, w] : equal(200, -10, 10)) grid.add({x}, w);
  return grid;
}
Grid plane() {
  Grid grid;
  for (const auto& [x, u] : equal(96, -8, 8))
    for (const auto& [y, v] : equal(96, -8, 8)) grid.add({x, y}, u * v);
  return grid;
}
Grid circle(double radius, int n = 96) {
  Grid grid;
  for (const auto& [a, w] : equal(n, 0, 2 * kPi))
    grid.add({radius * std::cos(a), radius * std::sin(a)}, radius * w);
  return grid;
}
Grid sphere(double radius, int n) {
  Grid grid;
  for (const auto& [h, u] : gauss(n, -1, 1))
    for (const auto& [a, v] : equal(2 * n, 0, 2 * kPi)) {
      const double r = radius * std::sqrt(1 - h * h);
      grid.add({r * std::cos(a), r * std::sin(a), radius * h}, radius * radius * u * v);
    }
  return grid;
}
Grid torus() {
  Grid grid;
  for (const auto& [a, u] : equal(48, -kPi, kPi))
    for (const auto& [b, v] : equal(48, -kPi, kPi)) grid.add({a, b}, u * v);
  return grid;
}
/// In polar coordinates about the origin, |x| = tanh(√c r/2)/√c, with volume sinh(√c r)/√c dr dφ.
Grid disk(double c) {
  Grid grid;
  const double root = std::sqrt(c);
  for (const auto& [r, u] : gauss(64, 0, 12))
    for (const auto& [a, v] : equal(64, 0, 2 * kPi)) {
      const double norm = std::tanh(root * r / 2) / root;
      grid.add({norm * std::cos(a), norm * std::sin(a)}, u * v * std::sinh(root * r) / root);
    }
  return grid;
}
Grid product(const Grid& a, const Grid& b) {
  Grid grid;
  for (std::size_t i = 0; i < a.points.size(); ++i)
    for (std::size_t j = 0; j < b.points.size(); ++j) {
      std::vector<double> point = a.points[i];
      point.insert(point.end(), b.points[j].begin(), b.points[j].end());
      grid.add(std::move(point), a.volumes[i] * b.volumes[j]);
    }
  return grid;
}

/// Far from the base, yet smooth enough for the grid: what that takes differs from manifold to manifold.
double strength_on(const std::string& manifold) {
  return manifold.starts_with("sphere") ? 1.6 : manifold.starts_with("ball") ? 3 : 2.3;
}

template <class T>
void expect_mass_one(const FlowConfig& config, const Grid& grid, std::uint64_t seed, double tolerance) {
  const auto flow = random_flow<T>(config, seed, 1, strength_on(config.manifold.name()));
  Points<T> points(grid.points.size(), static_cast<int>(grid.points.front().size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < grid.points[i].size(); ++j) points[i][j] = static_cast<T>(grid.points[i][j]);
  const LogProb<T> result = flow->log_prob(points);
  ASSERT_TRUE(result.summary.ok()) << config.manifold.name() << ": " << result.summary.message();

  double mass = 0, divergence = 0;
  std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double log_p = static_cast<double>(result.values[i]), volume = grid.volumes[i];
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = points[i][j];
    const auto log_base = static_cast<double>(flow->base().log_density(x.data())[0]);
    mass += volume * std::exp(log_p);
    divergence += volume * std::exp(log_p) * (log_p - log_base);
  }
  const std::string which = config.manifold.name() + ", seed " + std::to_string(seed);
  EXPECT_NEAR(mass, 1, tolerance) << which;
  EXPECT_GT(divergence, 0.05) << which << ": too near the base to tell";
}

class MassOfFlow : public testing::TestWithParam<int> {};
class SlowMassOfFlow : public MassOfFlow {};
INSTANTIATE_TEST_SUITE_P(Seeds, MassOfFlow, testing::Values(1, 2, 3));
INSTANTIATE_TEST_SUITE_P(Seeds, SlowMassOfFlow, testing::Values(1, 2, 3));

TEST_P(SlowMassOfFlow, IsOneInDouble) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  FlowConfig swish = small_config("sphere:2");
  swish.field.activation = Activation::swish;
  FlowConfig geodesic = small_config("sphere:2,K=0.5");
  geodesic.field.input = InputLayer::geodesic;
  FlowConfig disk_config = small_config("ball:2,K=-0.5");
  disk_config.field.input = InputLayer::geodesic;
  FlowConfig paper = small_config("ball:2");
  paper.field.scaling = BallScaling::paper;
  expect_mass_one<double>(small_config("euclidean:1"), line(), seed, 1e-4);
  expect_mass_one<double>(small_config("euclidean:2"), plane(), seed, 3e-4);
  expect_mass_one<double>(small_config("sphere:1"), circle(1), seed, 1e-4);
  expect_mass_one<double>(small_config("sphere:1,K=4"), circle(0.5), seed, 1e-4);
  expect_mass_one<double>(small_config("sphere:2"), sphere(1, 40), seed, 1e-4);
  expect_mass_one<double>(swish, sphere(1, 40), seed, 1e-4);
  expect_mass_one<double>(geodesic, sphere(std::sqrt(2.0), 40), seed, 1e-3);
  expect_mass_one<double>(small_config("torus:2"), torus(), seed, 1e-4);
  expect_mass_one<double>(small_config("ball:2"), disk(1), seed, 1e-3);
  expect_mass_one<double>(disk_config, disk(0.5), seed, 1e-3);
  expect_mass_one<double>(paper, disk(1), seed, 1e-3);
}

TEST_P(MassOfFlow, IsOneInFloat) {
  const auto seed = static_cast<std::uint64_t>(GetParam()) + 10;
  expect_mass_one<float>(small_config("euclidean:2", 1e-5), plane(), seed, 1e-3);
  expect_mass_one<float>(small_config("sphere:2", 1e-5), sphere(1, 40), seed, 1e-3);
  expect_mass_one<float>(small_config("torus:2", 1e-5), torus(), seed, 1e-3);
  expect_mass_one<float>(small_config("ball:2", 1e-5), disk(1), seed, 1e-3);
}

TEST_P(SlowMassOfFlow, IsOneOnAProduct) {
  const auto seed = static_cast<std::uint64_t>(GetParam()) + 20;
  const Grid grid = product(sphere(1, 16), circle(1, 40));
  expect_mass_one<double>(small_config("sphere:2 x sphere:1", 1e-5), grid, seed, 1e-3);
}

}  // namespace
}  // namespace riemflow
