#include "riemflow/model/kernel_density.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/flow/flow.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/trust.hpp"
#include "tests/flow/transports.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using density_test::kernels_on;

std::shared_ptr<const KernelMixture> kernels(const std::string& manifold, std::size_t n, double h,
                                             double stretch) {
  const std::shared_ptr<const Manifold<double>> space = parse_manifold<double>(manifold);
  return std::make_shared<KernelMixture>(space, kernels_on(space, n, h, 1.5, stretch, 21));
}

TEST(KernelDensity, MassIsOneHoweverSharp) {
  for (const char* name : {"sphere:1", "sphere:2", "sphere:3", "sphere:2,K=0.25", "torus:2", "ball:2",
                           "euclidean:3", "sphere:2 x torus:1"})
    for (const double h : {0.2, 1e-3})
      for (const double stretch : {1.0, 2.0}) {
        const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
        KernelDensity model(name, kernels_on(manifold, kSanitized ? 4 : 30, h, 3, stretch, 22), 1);
        const Mass mass = model.mass({{1e-3, 0, 60'000}});
        EXPECT_NEAR(mass.integral.value, 1, 2e-3) << name << " " << h << " " << stretch;
        EXPECT_LT(mass.integral.error, 5e-3) << name << " " << h << " " << stretch;
        EXPECT_GT(mass.integral.evaluations, 1000u);
      }
}

TEST(KernelDensity, SameBitsForAnyNumberOfThreadsAndPieces) {
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>("sphere:2");
  const KernelParameters parameters = kernels_on(manifold, 50, 0.1, 3, 2, 23);
  KernelDensity one("sphere:2", parameters, 1), three("sphere:2", parameters, 3);
  const Points<double> draws = one.sample(700, 5).frames.back();
  EXPECT_EQ(three.sample(700, 5).frames.back().values, draws.values);
  const Points<double> tail = three.sample(60, 5, 640).frames.back();
  EXPECT_TRUE(std::equal(tail.values.begin(), tail.values.end(), draws.values.end() - 180));
  EXPECT_EQ(one.log_prob(draws).values, three.log_prob(draws).values);
  Points<double> off = draws;
  off[3][0] = 2;
  EXPECT_THROW(one.log_prob(off), Error);
}

/// A flow whose field is zero.
template <class T>
std::unique_ptr<Transport<T>> still_flow(const std::string& manifold,
                                         std::shared_ptr<const KernelMixture> base) {
  auto flow = make_transport<T>(test::small_config(manifold), 1, 2, Device::cpu, std::move(base));
  std::fill(flow->parameters().begin(), flow->parameters().end(), T(0));
  return flow;
}

TEST(KernelBase, AtRestTheFlowIsTheKernelDensity) {
  for (const char* name : {"sphere:2", "torus:2", "ball:2", "euclidean:2", "sphere:2 x torus:1"}) {
    const auto base = kernels(name, 40, 0.2, 2);
    const auto flow = still_flow<double>(name, base);
    EXPECT_EQ(flow->base_name(), "kde");
    const Points<double> points = flow->sample(100, 3).frames.back();
    const std::vector<double> expected = base->log_prob(points);
    const std::vector<double> values = flow->log_prob(points).values;
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-9) << name;
    const auto rounded = still_flow<float>(name, base);
    const std::vector<float> floats = rounded->log_prob(converted<float>(points)).values;
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(floats[i], expected[i], 2e-4) << name;
  }
}

TEST(KernelBase, TrainingLeavesOutThePointItself) {
  for (const char* name : {"sphere:2", "torus:2", "ball:2"}) {
    const auto base = kernels(name, 40, 0.2, 1);
    const Points<double>& centres = base->parameters().centres;
    double without = 0, with = 0;
    for (std::size_t i = 0; i < centres.size(); ++i) {
      without -= base->log_density_at(centres[i], i) / static_cast<double>(centres.size());
      with -= base->log_density_at(centres[i]) / static_cast<double>(centres.size());
    }
    const auto check = [&]<class T>(std::type_identity<T>, double tolerance) {
      const auto flow = still_flow<T>(name, base);
      std::vector<T> gradient(flow->parameters().size());
      EXPECT_NEAR(flow->gradient_of(LikelihoodBatch{converted<T>(centres)}, gradient).total, without,
                  tolerance)
          << name;
      EXPECT_NEAR(-flow->log_prob(converted<T>(centres)).mean(), with, tolerance) << name;
    };
    EXPECT_GT(without, with + 0.05);
    check(std::type_identity<double>(), 1e-9);
    check(std::type_identity<float>(), 1e-4);
  }
}

TEST(KernelBase, GradientAgainstDifferences) {
  for (const char* name : {"sphere:2", "torus:2", "ball:2"})
    for (const double stretch : {1.0, 2.0}) {
      const auto base = kernels(name, 20, 0.4, stretch);
      auto flow = make_transport<double>(test::small_config(name, 1e-9), 2, 1, Device::cpu, base);
      // No centres: nothing is left out.
      const Points<double> points = flow->sample(20, 4).frames.back();
      const auto errors = test::gradient_errors(*flow, points, 17);
      EXPECT_LT(errors.gradient, 1e-5) << name;
      EXPECT_LT(errors.value, 1e-7) << name;
    }
}

TEST(KernelBase, IsToBeTrusted) {
  const auto base = kernels("sphere:2", 50, 0.02, 2);
  auto flow = make_transport<float>(test::small_config("sphere:2", 1e-5), 2, 1, Device::cpu, base);
  TrustOptions options;
  options.points = 100;
  options.mass_samples = 100;
  const Trust trust = examine(seen_as_density(*flow), options);
  EXPECT_TRUE(trust.mass.from_samples);
  EXPECT_NEAR(trust.mass.integral.value, 1, 2e-3);
}

TEST(KernelBase, IsOfRiemannianFlowsOnTheCpu) {
  const auto base = kernels("sphere:2", 5, 0.2, 1);
  FlowConfig config = test::small_config("sphere:2");
  EXPECT_THROW(make_transport<float>(config, 0, 1, Device::cuda, base), Error);
  EXPECT_NO_THROW(make_transport<float>(config, 0, 1, Device::automatic, base));
  config.model = ModelKind::stereographic;
  EXPECT_THROW(make_transport<float>(config, 0, 1, Device::cpu, base), Error);
}

}  // namespace
}  // namespace riemflow
