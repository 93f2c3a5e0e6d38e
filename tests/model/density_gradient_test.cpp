// The gradient of log p in the point, of every kind of density.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>
#include <thread>

#include "riemflow/core/error.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/pool_density.hpp"
#include "tests/flow/transports.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/model/gradient_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow::gradient_test {
namespace {

using test::random_transport;
using test::small_config;
using test::small_model;

constexpr double kPi = std::numbers::pi;

std::shared_ptr<FlowDensity> flow_density(const FlowConfig& config, std::uint64_t seed = 3, int threads = 2,
                                          double strength = 2) {
  return std::make_shared<FlowDensity>(
      std::shared_ptr<Transport<double>>(random_transport<double>(config, seed, strength, threads)));
}

/// Equal steps, which differences then see too: what is left is rounding.
FlowConfig fixed_steps(FlowConfig config, int steps = 12) {
  config.solver.method = "rk4";
  config.solver.fixed_steps = steps;
  return config;
}

std::shared_ptr<const KernelMixture> kernels(const std::string& manifold, std::size_t n, double h,
                                             double spread, double stretch, double tolerance = 1e-15) {
  const std::shared_ptr<const Manifold<double>> space = parse_manifold<double>(manifold);
  return std::make_shared<KernelMixture>(space, density_test::kernels_on(space, n, h, spread, stretch, 21),
                                         tolerance);
}

/// Components of all widths in random places.
MixtureParameters components(int d, const std::vector<double>& kappas) {
  MixtureParameters p{Points<double>(kappas.size(), d + 1), std::vector<double>(kappas.size()), kappas};
  Random random(7, Purpose::test, 0, static_cast<std::uint64_t>(d));
  for (std::size_t k = 0; k < kappas.size(); ++k) {
    for (double& x : p.means[k]) x = random.normal();
    p.weights[k] = 0.2 + random.uniform();
  }
  return VonMisesFisherMixture<double>(p).parameters();
}

TEST(DensityGradient, OfFlowsToRoundingWhereTheStepsAreFixed) {
  for (const char* manifold :
       {"sphere:1", "sphere:2", "sphere:5", "sphere:3,K=0.5", "torus:2", "ball:1", "ball:2", "ball:3,K=-0.5",
        "euclidean:3", "sphere:2 x torus:1", "ball:2 x sphere:1 x euclidean:1"})
    for (const InputLayer input : {InputLayer::linear, InputLayer::geodesic, InputLayer::fourier}) {
      FlowConfig config = fixed_steps(small_config(manifold));
      config.field.input = input;
      config.field.frequency = 1;
      // Steps that are short beside waves, and beside the 0.01 in which a geodesic neuron turns.
      const auto density = flow_density(config, 3, 2, input == InputLayer::linear ? 2 : 1);
      const double step = input == InputLayer::geodesic ? 3e-5 : 3e-4;
      EXPECT_LT(gradient_error(*density, density->sample(20, 5).frames.back(), step), 1e-9)
          << manifold << " " << name_of(input);
    }
}

TEST(DensityGradient, OfFlowsWithStepControl) {
  for (const char* manifold :
       {"sphere:2", "sphere:5", "torus:2", "ball:2", "euclidean:3", "sphere:2 x torus:1"}) {
    const auto density = flow_density(small_config(manifold, 1e-11));
    EXPECT_LT(gradient_error(*density, density->sample(20, 5).frames.back(), 3e-4), 1e-9) << manifold;
  }
}

TEST(DensityGradient, OfFlowsWithEverySetting) {
  for (const char* manifold : {"sphere:2", "ball:2", "torus:1 x sphere:2"})
    for (const BallScaling scaling : {BallScaling::none, BallScaling::paper}) {
      FlowConfig config = fixed_steps(small_config(manifold));
      config.field.scaling = scaling;
      config.field.activation = Activation::swish;
      config.field.bound = 1.5;
      config.regularisation = {0.1, 0.1};                    // of training; nothing to the density
      const auto density = flow_density(config, 3, 2, 0.7);  // unscaled, a stronger one leaves the ball
      EXPECT_LT(gradient_error(*density, density->sample(20, 5).frames.back(), 3e-4), 1e-9) << manifold;
    }
}

TEST(DensityGradient, OfFlowsInTwentyDimensions) {
  for (const char* manifold : {"sphere:20", "torus:20", "ball:20", "euclidean:20"}) {
    const auto density = flow_density(fixed_steps(small_config(manifold), 6));
    EXPECT_LT(gradient_error(*density, density->sample(4, 5).frames.back(), 3e-4), 1e-8) << manifold;
  }
}

TEST(DensityGradient, OfFlowsAtHardPlaces) {
  const auto check = [](const char* manifold, const Points<double>& points, double tolerance) {
    EXPECT_LT(gradient_error(*flow_density(fixed_steps(small_config(manifold))), points, 1e-3), tolerance)
        << manifold;
  };
  const double c = std::cos(1e-9), s = std::sin(1e-9);
  check("sphere:2", points_of(3, {0, 0, 1, 0, 0, -1, 1, 0, 0, -1, 0, 0, s, 0, c, 0, s, -c}), 1e-8);
  check("sphere:1", points_of(2, {0, 1, 0, -1, 1, 0, -1, 0}), 1e-8);
  check("torus:2", points_of(2, {-kPi, 0.3, kPi, 0.3, kPi - 1e-9, -kPi, 0, 0}), 1e-8);
  check("euclidean:2", points_of(2, {0, 0, 30, -40}), 1e-8);
  // A coordinate rounded to ε moves a point near the rim by λε = 1e-10 and 1e-8.
  const double r = 1 - 1e-6, q = 1 - 1e-8;
  check("ball:2", points_of(2, {0, 0, r, 0, 0.6 * r, -0.8 * r}), 1e-6);
  check("ball:2", points_of(2, {-0.8 * q, 0.6 * q, 0, q}), 1e-4);
}

TEST(DensityGradient, OfStandardisedDensitiesIsInTheDatasUnits) {
  const Standardisation units{{35.2, -700, 0}, {41, 0.02, 1}};
  const std::shared_ptr<Transport<double>> flow =
      random_transport<double>(fixed_steps(small_config("euclidean:3")), 3);
  const FlowDensity plain(flow), scaled(flow, units);
  const Points<double> y = plain.sample(20, 5).frames.back(), x = units.in_units(y);
  const LogProbGradient a = plain.log_prob_gradient(y), b = scaled.log_prob_gradient(x);
  EXPECT_EQ(b.values, scaled.log_prob(x).values);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(b.gradients[i][k] * units.scale[k], a.gradients[i][k],
                  1e-10 * (1 + std::abs(a.gradients[i][k])));
  // Against differences where the units are not far apart, and with another factor before.
  const Standardisation depth{{0, 0, 0, 5.2}, {1, 1, 1, 4.1}};
  const char* space = "sphere:2 x euclidean:1";
  const FlowDensity deep(
      std::shared_ptr<Transport<double>>(random_transport<double>(fixed_steps(small_config(space)), 3)),
      depth);
  EXPECT_LT(gradient_error(deep, deep.sample(20, 5).frames.back(), 1e-3), 1e-8);
  const KernelDensity kernel(kernels(space, 20, 0.3, 2, 2), 2, depth);
  EXPECT_LT(gradient_error(kernel, kernel.sample(20, 5).frames.back(), 1e-3), 1e-8);
}

TEST(DensityGradient, OfChainsAndCharts) {
  using Kind = std::pair<ModelKind, const char*>;
  for (const auto& [kind, manifold] :
       {Kind{ModelKind::autoregressive, "torus:3"}, Kind{ModelKind::autoregressive, "sphere:2 x torus:2"},
        Kind{ModelKind::autoregressive, "ball:2 x sphere:1 x euclidean:1"},
        Kind{ModelKind::stereographic, "sphere:1"}, Kind{ModelKind::stereographic, "sphere:2"},
        Kind{ModelKind::stereographic, "sphere:3,K=0.5"}, Kind{ModelKind::stereographic, "sphere:20"},
        Kind{ModelKind::wrapped, "ball:1"}, Kind{ModelKind::wrapped, "ball:2"},
        Kind{ModelKind::wrapped, "ball:3,K=-2"}, Kind{ModelKind::naive, "ball:2"},
        Kind{ModelKind::naive, "ball:3,K=-2"}}) {
    const auto density = flow_density(fixed_steps(small_model(kind, manifold)));
    // A naive model leaves the ball.
    const Points<double> points =
        kind == ModelKind::naive ? draws_of(*default_base<double>(parse_manifold<double>(manifold)), 20, 5)
                                 : density->sample(20, 5).frames.back();
    EXPECT_LT(gradient_error(*density, points, 3e-4), 1e-8) << name_of(kind) << " " << manifold;
  }
}

TEST(DensityGradient, OfChartsAtTheOriginAndNearTheRim) {
  for (const ModelKind kind : {ModelKind::wrapped, ModelKind::naive}) {
    const auto density = flow_density(fixed_steps(small_model(kind, "ball:2")));
    EXPECT_LT(gradient_error(*density, points_of(2, {0, 0, 1e-9, 0, 0.9999, 0, -0.6, 0.79}), 1e-3), 1e-7)
        << name_of(kind);
  }
  const auto density = flow_density(fixed_steps(small_model(ModelKind::stereographic, "sphere:2")));
  const double r = std::sqrt(1 - 0.99 * 0.99);
  EXPECT_LT(
      gradient_error(*density, points_of(3, {1, 0, 0, 0, 1, 0, -0.99, r, 0, -0.99, -0.6 * r, 0.8 * r}), 1e-4),
      1e-7);
  // The projection point has log p = −∞: no failure, and no gradient.
  const LogProbGradient lost = density->log_prob_gradient(points_of(3, {0, 1, 0, -1, 0, 0}));
  EXPECT_EQ(lost.values[1], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(is_nan(lost.gradients[1]));
  EXPECT_FALSE(is_nan(lost.gradients[0]));
  EXPECT_TRUE(lost.summary.ok());
}

TEST(DensityGradient, OfFlowsOverOtherBases) {
  for (const char* manifold : {"sphere:2", "torus:2", "ball:2", "euclidean:2"})
    for (const double stretch : {1.0, 2.0}) {
      const std::shared_ptr<Transport<double>> flow = make_transport<double>(
          fixed_steps(small_config(manifold)), 2, 2, Device::cpu, kernels(manifold, 20, 0.4, 1.5, stretch));
      const FlowDensity density(flow);
      EXPECT_LT(gradient_error(density, density.sample(20, 5).frames.back(), 1e-3), 1e-8) << manifold;
    }
  FlowConfig config = fixed_steps(small_config("sphere:2"));
  config.base = {BaseKind::vmf_mixture, 3};
  const auto learned = flow_density(config);
  EXPECT_LT(gradient_error(*learned, learned->sample(20, 5).frames.back(), 1e-3), 1e-8);
}

// A training point is a centre: its own kernel is in the density, and so in its gradient.
TEST(DensityGradient, OfAKernelBaseKeepsTheCentreItself) {
  const auto base = kernels("sphere:2", 20, 0.2, 1.5, 1);
  const std::shared_ptr<Transport<double>> flow =
      make_transport<double>(small_config("sphere:2", 1e-9), 2, 1, Device::cpu, base);
  std::fill(flow->parameters().begin(), flow->parameters().end(), 0.0);
  const FlowDensity still(flow);
  const KernelDensity alone(base, 1);
  const Points<double>& centres = base->parameters().centres;
  const LogProbGradient a = still.log_prob_gradient(centres), b = alone.log_prob_gradient(centres);
  for (std::size_t i = 0; i < a.gradients.values.size(); ++i)
    EXPECT_NEAR(a.gradients.values[i], b.gradients.values[i], 1e-10);
}

TEST(DensityGradient, OfFlowsInFloat) {
  for (const char* manifold :
       {"sphere:2", "sphere:5", "torus:2", "ball:2", "euclidean:3", "sphere:2 x torus:1"}) {
    const std::shared_ptr<Transport<float>> flow = random_transport<float>(small_config(manifold, 1e-5), 3);
    const FlowDensity single(flow),
        exact(std::shared_ptr<Transport<double>>(in_double(*flow, small_config(manifold, 1e-10))));
    const Points<double> points = single.sample(50, 5).frames.back();
    const LogProbGradient a = single.log_prob_gradient(points), b = exact.log_prob_gradient(points);
    EXPECT_EQ(a.values, single.log_prob(points).values) << manifold;
    for (std::size_t i = 0; i < points.size(); ++i) {
      double length = 1;
      for (const double g : b.gradients[i]) length = std::hypot(length, g);
      for (std::size_t c = 0; c < b.gradients[i].size(); ++c)
        EXPECT_NEAR(a.gradients[i][c], b.gradients[i][c], 2e-4 * length) << manifold << " " << i;
    }
  }
}

TEST(DensityGradient, OfKernels) {
  for (const std::string& manifold : density_test::kKernelManifolds)
    for (const double stretch : {1.0, 2.0}) {
      const KernelDensity density(kernels(manifold, 30, 0.3, 1.5, stretch), 2);
      EXPECT_LT(gradient_error(density, density.sample(30, 5).frames.back(), 3e-4), 1e-8)
          << manifold << " " << stretch;
    }
  for (const char* manifold : {"sphere:20", "torus:20", "euclidean:20", "ball:20"}) {
    const KernelDensity density(kernels(manifold, 10, 0.3, 1.5, 1), 2);
    EXPECT_LT(gradient_error(density, density.sample(5, 5).frames.back(), 3e-4), 1e-8) << manifold;
  }
}

TEST(DensityGradient, OfKernelsAtHardPlaces) {
  for (const double stretch : {1.0, 2.0}) {
    const auto check = [&](const char* manifold, const Points<double>& points, double tolerance) {
      const KernelDensity density(kernels(manifold, 30, 0.3, 1.5, stretch), 1);
      EXPECT_LT(gradient_error(density, points, 3e-4), tolerance) << manifold << " " << stretch;
    };
    check("sphere:2", points_of(3, {0, 0, 1, 0, 0, -1, 1, 0, 0, -1, 0, 0}), 1e-8);
    check("torus:2", points_of(2, {-kPi, 0.3, kPi, 0.3, kPi - 1e-9, -kPi}), 1e-8);
    check("ball:2", points_of(2, {0, 0, 0.9999, 0, -0.6 * 0.9999, 0.8 * 0.9999}), 1e-7);
    // Narrow: steps a thousandth of the width, at the kernels' own draws.
    for (const char* manifold : {"sphere:2", "torus:2", "ball:2", "euclidean:2"}) {
      const KernelDensity narrow(kernels(manifold, 30, 1e-4, 1.5, stretch), 1);
      EXPECT_LT(gradient_error(narrow, narrow.sample(30, 5).frames.back(), 1e-7, 1e3), 1e-6) << manifold;
    }
    // At a centre all is defined, though the distance has a cone there.
    const auto at = kernels("sphere:2", 30, 0.3, 1.5, stretch);
    EXPECT_LT(gradient_error(KernelDensity(at, 1), at->parameters().centres, 3e-4), 1e-8);
  }
}

// What log_prob leaves out, up to 1e-6 of p, the gradient leaves out too.
TEST(DensityGradient, OfManyKernelsWithoutThoseThatDoNotCount) {
  for (const double stretch : {1.0, 2.0}) {
    const KernelDensity quick(kernels("sphere:2", 2000, 0.02, 2, stretch, 1e-6), 2),
        whole(kernels("sphere:2", 2000, 0.02, 2, stretch), 2);
    const Points<double> points = whole.sample(200, 3).frames.back();
    const LogProbGradient a = quick.log_prob_gradient(points), b = whole.log_prob_gradient(points);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(a.gradients[i][c], b.gradients[i][c], 1e-7);
  }
}

TEST(DensityGradient, OfMixtures) {
  for (const int d : {1, 2, 5, 20}) {
    const MixtureDensity density(fmt::format("sphere:{}", d), components(d, {0, 1e-8, 0.5, 10, 300}), 2);
    EXPECT_LT(gradient_error(density, density.sample(50, 5).frames.back(), 3e-4), 1e-8) << d;
  }
  for (const char* sphere : {"sphere:2,K=0.25", "sphere:2,K=9"}) {
    const MixtureDensity density(sphere, components(2, {0.5, 10, 100}), 2);
    EXPECT_LT(gradient_error(density, density.sample(50, 5).frames.back(), 3e-4), 1e-8) << sphere;
  }
  // Tiny and huge concentrations, and the poles of the mean, of the sphere and of both.
  const MixtureDensity flat("sphere:2", components(2, {1e-8}), 1);
  EXPECT_LT(gradient_error(flat, flat.sample(10, 5).frames.back(), 1e-1, 1e-8), 1e-3);
  const MixtureDensity sharp("sphere:2", components(2, {1e8, 1e8}), 1);
  EXPECT_LT(gradient_error(sharp, sharp.sample(20, 5).frames.back(), 1e-7, 1e4), 1e-6);
  MixtureParameters pole{points_of(3, {0, 0, 1}), {1}, {20}};
  const MixtureDensity one("sphere:2", pole, 1);
  const Points<double> poles = points_of(3, {0, 0, 1, 0, 0, -1, 1, 0, 0, 0, 0.6, 0.8});
  EXPECT_LT(gradient_error(one, poles, 3e-4), 1e-8);
  const LogProbGradient known = one.log_prob_gradient(poles);
  EXPECT_EQ(known.gradients[0][2], 0);
  EXPECT_NEAR(known.gradients[2][2], 20, 1e-13);  // κ(μ − ⟨μ, x⟩x)
  EXPECT_NEAR(known.gradients[3][1], -20 * 0.8 * 0.6, 1e-13);
  EXPECT_NEAR(known.gradients[3][2], 20 * (1 - 0.64), 1e-13);
}

/// A flow, kernels and a mixture.
std::unique_ptr<PoolDensity> mixed_pool(int threads = 2,
                                        const FlowConfig& config = fixed_steps(small_config("sphere:2"))) {
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(flow_density(config, 3, threads));
  members.push_back(std::make_shared<KernelDensity>(kernels("sphere:2", 30, 0.3, 1.5, 2), threads));
  members.push_back(std::make_shared<MixtureDensity>("sphere:2", components(2, {1, 50}), threads));
  return std::make_unique<PoolDensity>(std::move(members), std::vector<double>{0.5, 0.2, 0.3});
}

TEST(DensityGradient, OfPools) {
  const auto pool = mixed_pool();
  EXPECT_LT(gradient_error(*pool, pool->sample(60, 5).frames.back(), 1e-3), 1e-8);
  // Members of which one is everything and the others are nothing in double, in any order.
  for (const std::vector<std::size_t>& order : {std::vector<std::size_t>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    std::vector<std::shared_ptr<Density>> members;
    for (const std::size_t axis : order) {
      MixtureParameters bump{Points<double>(1, 3), {1}, {1e6}};
      bump.means[0][axis] = 1;
      members.push_back(std::make_shared<MixtureDensity>("sphere:2", bump, 1));
    }
    const PoolDensity apart(members, {0.2, 0.3, 0.5});
    EXPECT_LT(gradient_error(apart, apart.sample(20, 5).frames.back(), 1e-6, 1e3), 1e-6);
  }
}

TEST(DensityGradient, OfAPoolWhereAMemberHasNoDensity) {
  const auto mixture = std::make_shared<MixtureDensity>("sphere:2", components(2, {1, 50}), 1);
  const auto chart = flow_density(small_model(ModelKind::stereographic, "sphere:2"));
  const Points<double> point = points_of(3, {-1, 0, 0});
  const LogProbGradient alone = mixture->log_prob_gradient(point);
  for (const auto& members : {std::vector<std::shared_ptr<Density>>{chart, mixture}, {mixture, chart}}) {
    const PoolDensity pool(members, {0.5, 0.5});
    const LogProbGradient both = pool.log_prob_gradient(point);
    EXPECT_TRUE(both.summary.ok());
    EXPECT_EQ(both.values, pool.log_prob(point).values);
    EXPECT_EQ(both.gradients.values, alone.gradients.values);
  }
  const PoolDensity none({chart, chart}, {0.5, 0.5});
  const LogProbGradient nowhere = none.log_prob_gradient(point);
  EXPECT_EQ(nowhere.values[0], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(is_nan(nowhere.gradients[0]) && nowhere.summary.ok());
}

TEST(DensityGradient, OfAPointThatFailsIsNaN) {
  FlowConfig config = small_config("sphere:2", 1e-9);
  config.solver.max_evaluations = 130;  // enough for some
  const auto flow = flow_density(config);
  const auto pool = mixed_pool(2, config);
  for (const Density* density :
       {static_cast<const Density*>(flow.get()), static_cast<const Density*>(pool.get())}) {
    const Points<double> points = mixed_pool()->sample(64, 5).frames.back();
    const LogProb<double> values = density->log_prob(points);
    const LogProbGradient result = density->log_prob_gradient(points);
    ASSERT_GT(values.summary.failures.size(), 0u);
    ASSERT_LT(values.summary.failures.size(), 64u);
    ASSERT_EQ(result.summary.failures.size(), values.summary.failures.size());
    for (std::size_t k = 0; k < values.summary.failures.size(); ++k) {
      EXPECT_EQ(result.summary.failures[k].point, values.summary.failures[k].point);
      EXPECT_EQ(result.summary.failures[k].status, values.summary.failures[k].status);
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(std::isnan(result.values[i]), std::isnan(values.values[i]));
      EXPECT_EQ(is_nan(result.gradients[i]), std::isnan(values.values[i]));
      EXPECT_EQ(is_finite<double>(result.gradients[i]), !std::isnan(values.values[i]));
      EXPECT_TRUE(result.values[i] == values.values[i] || std::isnan(values.values[i]));
    }
  }
}

TEST(DensityGradient, OfAChainThatFailsIsNaNInAllCoordinates) {
  FlowConfig config = small_model(ModelKind::autoregressive, "torus:3", 1e-9);
  config.solver.max_evaluations = 75;  // enough for some
  const auto flow = random_transport<double>(config, 3);
  const Points<double> points = flow->sample_base(64, 5);
  const LogProbGradient result = flow->log_prob_gradient(points);
  ASSERT_GT(result.summary.failures.size(), 0u);
  ASSERT_LT(result.summary.failures.size(), 64u);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(is_nan(result.gradients[i]), std::isnan(result.values[i]));
    EXPECT_EQ(is_finite<double>(result.gradients[i]), std::isfinite(result.values[i]));
  }
}

// In units of 1e-307 log p of a point at 100 of them is a number, and its gradient is not.
TEST(DensityGradient, ThatIsNoNumberIsListed) {
  KernelParameters at{points_of(1, {0}), {1}, {1}, {}, 0.01};
  const KernelDensity density(std::make_shared<KernelMixture>(parse_manifold<double>("euclidean:1"), at), 1,
                              {{0}, {1e-307}});
  const Points<double> points = points_of(1, {0, 100 * 1e-307});
  const LogProbGradient result = density.log_prob_gradient(points);
  EXPECT_EQ(result.values, density.log_prob(points).values);
  EXPECT_TRUE(std::isfinite(result.values[1]));
  EXPECT_EQ(result.gradients[0][0], 0);
  EXPECT_TRUE(std::isnan(result.gradients[1][0]));
  ASSERT_EQ(result.summary.failures.size(), 1u);
  EXPECT_EQ(result.summary.failures[0].point, 1u);
  EXPECT_EQ(result.summary.failures[0].status, Status::non_finite);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(DensityGradient, IsRefusedForPointsOffTheManifoldAndForEstimates) {
  const auto pool = mixed_pool();
  const Points<double> off = points_of(3, {0, 0, 1, 0.5, 0, 0});
  for (const Density* density :
       {static_cast<const Density*>(pool.get()), &pool->member(0), &pool->member(1), &pool->member(2)}) {
    EXPECT_NE(message_of([&] { density->log_prob_gradient(off); }).find("point 1 is not on sphere:2"),
              std::string::npos);
    EXPECT_THROW(density->log_prob_gradient(points_of(3, {0, 0, std::nan("")})), Error);
    EXPECT_THROW(density->log_prob_gradient(points_of(2, {0, 1})), Error);
    const LogProbGradient none = density->log_prob_gradient(Points<double>(0, 3));
    EXPECT_TRUE(none.values.empty() && none.gradients.values.empty() && none.summary.ok());
  }
  FlowConfig config = small_config("sphere:2");
  config.divergence.estimator = DivergenceEstimator::hutchinson;
  const auto estimate = flow_density(config);
  const auto pooled = mixed_pool(1, config);
  const Points<double> pole = points_of(3, {0, 0, 1});
  for (const auto& call :
       {std::function<void()>([&] { estimate->log_prob_gradient(pole); }),
        std::function<void()>([&] { pooled->log_prob_gradient(pole); }), std::function<void()>([&] {
          estimate->with_transport(
              [&]<class T>(Transport<T>& flow) { return flow.log_prob_gradient(converted<T>(pole)); });
        })})
    EXPECT_NE(message_of(call).find("Hutchinson"), std::string::npos);
}

TEST(DensityGradient, SameBitsForAnyNumberOfThreadsAndTapes) {
  const auto one = mixed_pool(1), two = mixed_pool(2);
  const Points<double> points = one->sample(777, 5).frames.back();
  const LogProbGradient a = one->log_prob_gradient(points), b = two->log_prob_gradient(points);
  EXPECT_EQ(a.values, b.values);
  EXPECT_EQ(a.gradients.values, b.gradients.values);
  for (const ModelKind kind : {ModelKind::riemannian, ModelKind::autoregressive}) {
    FlowConfig config = small_model(kind, "sphere:2 x torus:1", 1e-9);
    const auto whole = flow_density(config, 3, 1);
    config.solver.tape_bytes = 100'000;  // a few steps, the others are computed again
    const auto part = flow_density(config, 3, 2);
    config.solver.tape_bytes = 0;
    const auto none = flow_density(config, 3, 2);
    const Points<double> draws = whole->sample(100, 5).frames.back();
    const LogProbGradient c = whole->log_prob_gradient(draws);
    for (const auto& other : {part, none}) {
      const LogProbGradient e = other->log_prob_gradient(draws);
      EXPECT_EQ(c.values, e.values);
      EXPECT_EQ(c.gradients.values, e.gradients.values);
    }
  }
}

TEST(DensityGradient, FromSeveralThreadsAtOnce) {
  const auto pool = mixed_pool(2, small_config("sphere:2", 1e-6));
  const Points<double> points = pool->sample(kSanitized ? 50 : 400, 5).frames.back();
  const LogProbGradient alone = pool->log_prob_gradient(points);
  std::vector<LogProbGradient> results(3);
  std::vector<double> values;
  std::vector<std::thread> callers;
  for (LogProbGradient& result : results)
    callers.emplace_back([&] { result = pool->log_prob_gradient(points); });
  callers.emplace_back([&] { values = pool->log_prob(points).values; });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(values, alone.values);
  for (const LogProbGradient& result : results) {
    EXPECT_EQ(result.values, alone.values);
    EXPECT_EQ(result.gradients.values, alone.gradients.values);
  }
}

// Training leaves gradients of parameters behind in the same workspaces.
TEST(DensityGradient, KnowsNothingOfATrainingStepBefore) {
  FlowConfig config = small_config("sphere:2", 1e-8);
  config.regularisation.kinetic = 0.3;
  const auto density = flow_density(config);
  const Points<double> points = density->sample(40, 5).frames.back();
  const LogProbGradient before = density->log_prob_gradient(points);
  density->with_transport([&]<class T>(Transport<T>& flow) {
    std::vector<T> gradient(flow.parameters().size()), again(gradient.size());
    const Points<T> own = converted<T>(points);
    flow.gradient_of(LikelihoodBatch{own}, gradient);
    flow.log_prob_gradient(own);
    flow.gradient_of(LikelihoodBatch{own}, again);
    EXPECT_EQ(gradient, again);
  });
  const LogProbGradient after = density->log_prob_gradient(points);
  EXPECT_EQ(before.values, after.values);
  EXPECT_EQ(before.gradients.values, after.gradients.values);
}

}  // namespace
}  // namespace riemflow::gradient_test
