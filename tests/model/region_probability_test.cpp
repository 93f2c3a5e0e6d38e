#include "riemflow/model/region_probability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/kernel/kernels_in_region.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/pool_density.hpp"
#include "tests/flow/flows.hpp"

namespace riemflow {
namespace {

std::unique_ptr<PoolDensity> kernels_and_flow() {
  KernelParameters kernels{Points<double>(2, 3), {0.25, 0.75}, {0.2, 0.1}, {}, 0.01};
  unit_vector<double>(35, 140, kernels.centres[0]);
  unit_vector<double>(-10, -70, kernels.centres[1]);
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(std::make_unique<KernelDensity>("sphere:2", kernels, 1));
  members.push_back(std::make_shared<FlowDensity>(
      test::random_flow<double>(test::small_config("sphere:2", 1e-5), 2, 1, 1.5)));
  return std::make_unique<PoolDensity>(std::move(members), std::vector<double>{0.6, 0.4});
}

TEST(RegionProbability, OfAPoolIsWhatCubatureOfItsDensityFinds) {
  const auto pool = kernels_and_flow();
  for (const EarthRegion& region : {earth_circle(35, 135, 1500), earth_box(-80, -30, -60, 10)}) {
    const Integral direct = integrate(density_of(*pool), region.patches, 3, {1e-6, 0, 400'000});
    const Integral found = region_probability(*pool, region, {});
    EXPECT_TRUE(direct.converged && found.converged);
    EXPECT_NEAR(found.value, direct.value, 1e-3 * direct.value) << region.name;
    EXPECT_LE(std::abs(found.value - direct.value), found.error + direct.error) << region.name;
  }
}

TEST(RegionProbability, OfALargeCircleIsThatOfTheRest) {
  const auto pool = kernels_and_flow();
  const double half_way = std::numbers::pi * kEarthRadiusKm;
  const EarthRegion large = earth_circle(20, 50, 15000), rest = earth_circle(-20, -130, half_way - 15000);
  RegionOptions options;
  options.relative = 1e-5;
  const Integral found = region_probability(*pool, large, options);
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value + region_probability(*pool, rest, options).value, 1, 1e-4);
  EarthRegion alone = large;
  alone.rest = nullptr;
  const Integral direct = region_probability(*pool, alone, options);
  EXPECT_NEAR(found.value, direct.value, 1e-4);
  EXPECT_LT(found.evaluations, direct.evaluations);
}

/// At rest over one kernel and a hundredth of the uniform density, so that it is those.
std::unique_ptr<Transport<double>> over_a_kernel(double latitude, double longitude, double h) {
  KernelParameters kernel{Points<double>(1, 3), {1}, {h}, {}, 0.01};
  unit_vector<double>(latitude, longitude, kernel.centres[0]);
  auto flow =
      make_transport<double>(test::small_config("sphere:2", 1e-5), 1, 1, Device::cpu,
                             std::make_shared<KernelMixture>(parse_manifold<double>("sphere:2"), kernel));
  for (double& p : flow->parameters()) p = 0;
  return flow;
}

TEST(RegionProbability, OfWhatIsLeftOutsideIsAsExactAsItself) {
  const auto flow = over_a_kernel(-20, -130, 0.2);
  const EarthRegion large = earth_circle(20, 50, 15000);
  RegionOptions options;
  options.relative = 1e-7;
  options.absolute = 0;
  const Integral found = region_probability(seen_as_density(*flow), large, options);
  const double truth =
      kernels_in_region(dynamic_cast<const KernelMixture&>(*flow->exact_base()).parameters(), large).value;
  EXPECT_LT(truth, 0.02);
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.value, truth, 1e-3 * truth);
}

TEST(RegionProbability, OfAFlowOverANarrowKernelDoesNotStepOverIt) {
  const auto flow = over_a_kernel(33.3, 77.7, 0.002);
  const EarthRegion region = earth_circle(30, 80, 3000);
  EXPECT_NEAR(region_probability(seen_as_density(*flow), region, {}).value,
              0.99 + 0.01 * region.steradians / (4 * std::numbers::pi), 1e-3);
}

TEST(RegionProbability, KeepsItsBudget) {
  const auto pool = kernels_and_flow();
  const EarthRegion region = earth_box(-180, -90, 180, 90);  // 128 patches
  RegionOptions options;
  options.relative = options.absolute = 1e-12;
  for (const std::size_t evaluations : {2000u, 5000u, 30000u}) {
    options.evaluations = evaluations;
    const Integral found = region_probability(*pool, region, options);
    EXPECT_LE(found.evaluations, evaluations);
    EXPECT_FALSE(found.converged);
    EXPECT_NEAR(found.value, 1, 0.01 + found.error);
  }
  // Two flows share it, and so do the two looks at what is outside.
  options.evaluations = 30000;
  std::vector<std::shared_ptr<Density>> members;
  for (const std::uint64_t seed : {2, 3})
    members.push_back(std::make_shared<FlowDensity>(
        test::random_flow<double>(test::small_config("sphere:2", 1e-3), seed, 1, 1.5)));
  PoolDensity flows(std::move(members), {0.5, 0.5});
  EXPECT_LE(region_probability(flows, region, options).evaluations, 30000u);
  EXPECT_LE(region_probability(flows, earth_circle(20, 50, 15000), options).evaluations, 30000u);
  options.evaluations = 1000;
  const Integral none = region_probability(*pool, region, options);
  EXPECT_EQ(none.evaluations, 0u);
  EXPECT_TRUE(std::isinf(none.error));
}

}  // namespace
}  // namespace riemflow
