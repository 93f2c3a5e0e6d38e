#include "riemflow/model/mass.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/earth_polygon.hpp"
#include "riemflow/model/flow_density.hpp"
#include "tests/flow/flows.hpp"

namespace riemflow {
namespace {

using test::random_flow;
using test::small_config;

TEST(TotalMass, IsOne) {
  for (const char* name : {"sphere:1", "sphere:2", "sphere:2,K=0.5", "torus:2", "ball:2", "ball:2,K=-0.5",
                           "euclidean:2", "ball:1 x torus:1"}) {
    const auto flow = random_flow<double>(small_config(name), 3, 2);
    CubatureOptions options;
    options.absolute = 1e-4;
    options.evaluations = 60000;
    const Mass mass = flow_mass(*flow, {options});
    EXPECT_FALSE(mass.from_samples);
    EXPECT_NEAR(mass.integral.value, 1, 2e-4) << name << " " << mass.integral.evaluations;
    EXPECT_TRUE(mass.integral.converged) << name << " " << mass.integral.error;
    EXPECT_EQ(mass.integral.failures, 0u) << name;
    const Mass sampled = flow_mass(*flow, {options, 30, 3, FlowMass::by_change_of_variables});
    EXPECT_TRUE(sampled.from_samples);
    EXPECT_NEAR(sampled.integral.value, 1, 2e-4) << name;
  }
}

TEST(TotalMass, SeesAWrongDensity) {
  // A base of mass ½ makes a flow of mass ½.
  class Half final : public Distribution<double> {
   public:
    std::string name() const override { return "half"; }
    int ambient() const override { return 3; }
    Pack<double> log_density(const Pack<double>*) const override {
      return std::log(0.5 / (4 * std::numbers::pi));
    }
    Pack<double> log_density_gradient(const Pack<double>*, Pack<double>*) const override { return 0; }
    void sample(Random&, Pack<double>* x, int lane) const override {
      x[0][lane] = 1;
      x[1][lane] = x[2][lane] = 0;
    }
  };
  Flow<double> flow(small_config("sphere:2"), 1, 2, std::make_shared<Half>());
  EXPECT_NEAR(flow_mass(flow, {}).integral.value, 0.5, 1e-4);
}

TEST(TotalMass, FromSamplesBeyondThree) {
  for (const char* name :
       {"torus:4", "sphere:4,K=2", "sphere:2 x sphere:2", "ball:2 x euclidean:2", "ball:4,K=-0.5"}) {
    for (const std::uint64_t seed : {4u, 5u}) {
      const auto flow = random_flow<float>(small_config(name, 1e-5), seed, 2, 2);
      const Mass mass = flow_mass(*flow, {{}, 60, 7});
      EXPECT_TRUE(mass.from_samples);
      EXPECT_EQ(mass.integral.failures, 0u) << name;
      EXPECT_NEAR(mass.integral.value, 1, 3e-4) << name;
      EXPECT_LT(mass.integral.error, 3e-4) << name;
      EXPECT_EQ(mass.integral.value, flow_mass(*flow, {{}, 60, 7}).integral.value);
    }
  }
}

TEST(TotalMass, FromSamplesSeesAWrongDensity) {
  // A base that is not normalised: a flow of the same mass, e^0.01.
  class Off final : public Distribution<double> {
   public:
    std::string name() const override { return "off"; }
    int ambient() const override { return 4; }
    Pack<double> log_density(const Pack<double>*) const override {
      return 0.01 - 4 * std::log(2 * std::numbers::pi);
    }
    Pack<double> log_density_gradient(const Pack<double>*, Pack<double>*) const override { return 0; }
    void sample(Random&, Pack<double>* x, int lane) const override {
      for (int i = 0; i < 4; ++i) x[i][lane] = 0;
    }
  };
  Flow<double> flow(small_config("torus:4"), 1, 2, std::make_shared<Off>());
  EXPECT_NEAR(flow_mass(flow, {{}, 30}).integral.value, std::exp(0.01), 1e-4);
}

TEST(TotalMass, FromSamplesSeesASloppySolver) {
  FlowConfig config = small_config("torus:4");
  config.solver.fixed_steps = 1;
  config.solver.method = "bosh3";
  const auto flow = random_flow<double>(config, 4, 2, 2.5);
  const Integral mass = flow_mass(*flow, {{}, 60}).integral;
  EXPECT_GT(std::abs(mass.value - 1) + mass.error, 2 * 0.002);
}

TEST(TotalMass, HutchinsonIsRefused) {
  FlowConfig config = small_config("sphere:2");
  config.divergence.estimator = DivergenceEstimator::hutchinson;
  Flow<double> flow(config, 1, 1);
  EXPECT_THROW(flow_mass(flow, {}), Error);
  EXPECT_NO_THROW(Flow<double>(with_exact_divergence(config), 1, 1));
}

/// Probabilities of the regions of a partition sum to 1 within their errors, which are small.
void expect_partition(const Density& density, const std::vector<EarthRegion>& regions) {
  double sum = 0, error = 0, area = 0;
  for (const EarthRegion& region : regions) {
    CubatureOptions options;
    options.absolute = 1e-5;
    options.relative = 0;
    const Integral p = integrate(density_of(density), region.patches, 3, options);
    EXPECT_TRUE(p.converged) << region.name;
    sum += p.value;
    error += p.error;
    area += region.steradians;
  }
  EXPECT_NEAR(area, 4 * std::numbers::pi, 1e-11) << regions[0].name;
  EXPECT_LE(std::abs(sum - 1), error + 2e-5) << regions[0].name;
  EXPECT_LT(error, 1e-4);
}

TEST(EarthRegions, PartitionsSumToOne) {
  const FlowDensity flow(random_flow<double>(small_config("sphere:2"), 5, 2, 2.5));
  expect_partition(
      flow, {earth_box(-180, -90, 180, 20), earth_box(100, 20, -100, 90), earth_box(-100, 20, 100, 90)});
  expect_partition(
      flow, {earth_circle(35, 139, 700), earth_circle(-35, 319, std::numbers::pi * kEarthRadiusKm - 700)});
  expect_partition(
      flow, {earth_circle(80, -20, 6000), earth_circle(-80, 160, std::numbers::pi * kEarthRadiusKm - 6000)});
  const Ring island = {{170, 10}, {-160, 0}, {-170, 50}, {160, 40}};
  const Ring world = {{-180, -90}, {180, -90}, {180, 90}, {-180, 90}};
  expect_partition(flow, {earth_polygons({{island}}, "island"), earth_polygons({{world, island}}, "rest")});
  Ring arctic;
  for (int i = 0; i < 18; ++i) arctic.push_back({20.0 * i, 60 + 15 * std::sin(1.0 * i)});
  expect_partition(flow, {earth_polygons({{arctic}}, "arctic"),
                          earth_polygons({{Ring(arctic.rbegin(), arctic.rend())}}, "rest")});
}

TEST(EarthRegions, PolygonIsBox) {
  const FlowDensity flow(random_flow<double>(small_config("sphere:2"), 6, 2, 2.5));
  const Integrand p = density_of(flow);
  const auto box = integrate(p, earth_box(170, -20, -150, 35).patches, 3);
  const auto polygon =
      integrate(p, earth_polygons({{{{170, -20}, {-150, -20}, {-150, 35}, {170, 35}}}}, "box").patches, 3);
  const auto beyond = integrate(
      p, earth_polygons({{{{170, -20}, {190, -20}, {210, -20}, {210, 35}, {170, 35}}}}, "box").patches, 3);
  EXPECT_NEAR(box.value, polygon.value, 1e-6);
  EXPECT_NEAR(box.value, beyond.value, 1e-6);
  EXPECT_GT(std::abs(box.value - earth_box(170, -20, -150, 35).steradians / (4 * std::numbers::pi)), 1e-3);
}

}  // namespace
}  // namespace riemflow
