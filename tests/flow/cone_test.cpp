// Geodesic input on spheres: neurons turn at ±ŵ, and log-densities there keep to the tolerance.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

// Weights of trained size; without the bound on steps the worst point is off by 1.7e-3 at
// 1e-5, with it by 1.9e-4.
TEST(ConePoints, AreSeenByEvaluation) {
  FlowConfig config;
  config.manifold = "sphere:2";
  config.field.input = InputLayer::geodesic;
  config.field.width = 32;
  config.field.depth = 2;
  const Uniform<double> uniform(parse_manifold<double>("sphere:2"));
  const Points<double> points = draws_of(uniform, kSanitized ? 64 : 320, 7);
  for (const std::uint64_t seed : {1u, 2u}) {
    const auto scored = [&](double tolerance) {
      config.solver.rtol = config.solver.atol = tolerance;
      Flow<double> flow(config, seed, 2);
      for (double& p : flow.parameters()) p *= 3;
      return flow.log_prob(points).values;
    };
    const std::vector<double> truth = scored(1e-10), value = scored(1e-5);
    double worst = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) worst = std::max(worst, std::abs(value[i] - truth[i]));
    EXPECT_LT(worst, 3e-4) << "seed " << seed;
  }
}

}  // namespace
}  // namespace riemflow
