#include "riemflow/flow/autoregressive.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/mass.hpp"
#include "tests/flow/transports.hpp"

namespace riemflow {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;

FlowConfig chain(const std::string& manifold, double tolerance = 1e-6) {
  return small_model(ModelKind::autoregressive, manifold, tolerance);
}

TEST(Autoregressive, TheChainOfAManifold) {
  const auto links = [](const char* manifold) {
    std::string text;
    for (const ChainLink& link : chain_of(manifold))
      text += link.manifold.name() + " | " + link.own.name() + " | " + std::to_string(link.given) + "\n";
    return text;
  };
  EXPECT_EQ(links("torus:3"), "torus:1 | torus:1 | 0\ntorus:2 | torus:1 | 1\ntorus:3 | torus:1 | 2\n");
  EXPECT_EQ(links("sphere:2 x torus:2"),
            "sphere:2 | sphere:2 | 0\nsphere:2 x torus:1 | torus:1 | 3\nsphere:2 x torus:2 | torus:1 | 4\n");
  EXPECT_EQ(links("ball:2,K=-0.5 x sphere:2"),
            "ball:2,K=-0.5 | ball:2,K=-0.5 | 0\nball:2,K=-0.5 x sphere:2 | sphere:2 | 2\n");
  EXPECT_THROW(chain_of("sphere:2"), Error);
  EXPECT_THROW(chain_of("torus:1"), Error);
  EXPECT_THROW(chain_of("torus:100000"), Error);
}

TEST(Autoregressive, MassIsOneAsTheJointFlows) {
  for (const char* manifold : {"torus:2", "sphere:1 x torus:1", "ball:1 x sphere:1"}) {
    for (const ModelKind kind : {ModelKind::autoregressive, ModelKind::riemannian}) {
      const auto model = random_transport<double>(small_model(kind, manifold), 3);
      CubatureOptions options;
      options.absolute = 1e-4;
      options.evaluations = 60000;
      const Mass mass = flow_mass(*model, {options});
      EXPECT_NEAR(mass.integral.value, 1, 2e-4) << manifold << ' ' << name_of(kind);
    }
  }
}

// Three dimensions of cubature.
TEST(AutoregressiveSlow, MassOnSphereTimesCircle) {
  for (const ModelKind kind : {ModelKind::autoregressive, ModelKind::riemannian}) {
    FlowConfig config = small_model(kind, "sphere:2 x torus:1", 1e-4);
    config.field.width = 8;
    const auto model = random_transport<float>(config, 4, 1.5);
    CubatureOptions options;
    options.absolute = 2e-3;
    options.evaluations = 400000;
    const Mass mass = flow_mass(*model, {options});
    EXPECT_NEAR(mass.integral.value, 1, 2e-3) << name_of(kind);
  }
}

TEST(Autoregressive, MassBeyondThreeDimensions) {
  for (const char* manifold :
       {"torus:5", "ball:2 x sphere:2", "sphere:2 x torus:2", "euclidean:2 x torus:2"}) {
    const auto model = random_transport<double>(chain(manifold), 5);
    const Mass mass = flow_mass(*model, {{}, 60});
    EXPECT_TRUE(mass.from_samples);
    EXPECT_NEAR(mass.integral.value, 1, 1e-4) << manifold;
  }
}

// ∫ p(x₁, x₂) dx₂ = p(x₁), which the first link alone knows: the chain rule, and that each factor's is a
// density.
TEST(Autoregressive, TheLastFactorIntegratesAway) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const auto model = random_transport<double>(chain("torus:2", 1e-9), seed, 3);
    FlowConfig first_config = small_config("torus:1", 1e-9);
    Flow<double> first(first_config, 0, 1);
    std::copy_n(model->parameters().begin(), first.parameters().size(), first.parameters().begin());
    constexpr std::size_t kNodes = 256;  // of a periodic smooth function: exact
    for (const double x1 : {-3.0, 0.4, 2.2}) {
      Points<double> points(kNodes, 2), alone(1, 1);
      alone.values = {x1};
      for (std::size_t i = 0; i < kNodes; ++i) {
        points[i][0] = x1;
        points[i][1] = -pi + 2 * pi * static_cast<double>(i) / kNodes;
      }
      const LogProb<double> joint = model->log_prob(points);
      double sum = 0;
      for (const double value : joint.values) sum += std::exp(value) * 2 * pi / kNodes;
      EXPECT_NEAR(std::log(sum), first.log_prob(alone).values[0], 1e-6) << x1;
      // The first factor's path knows nothing of the second.
      for (std::size_t i = 1; i < kNodes; ++i)
        EXPECT_NEAR(joint.base_points[i][0], joint.base_points[0][0], 1e-7);
    }
  }
}

TEST(Autoregressive, WhatIsGivenIsSeen) {
  // The conditional density of x₂ changes with x₁: else the chain would be a product.
  const auto model = random_transport<double>(chain("torus:2"), 3, 3);
  Points<double> points(4, 2);
  points.values = {0, 1, 0, -1, 2, 1, 2, -1};
  const std::vector<double> p = model->log_prob(points).values;
  EXPECT_GT(std::abs((p[0] - p[1]) - (p[2] - p[3])), 0.05);
}

TEST(Autoregressive, SamplesComeBackToTheBase) {
  for (const char* manifold : {"torus:3", "sphere:2 x torus:1", "ball:2 x sphere:2"}) {
    const auto model = random_transport<double>(chain(manifold, 1e-8), 6);
    const Points<double> start = model->sample_base(50, 9), end = model->sample(50, 9).frames[0];
    EXPECT_LT(largest_distance(model->manifold(), model->log_prob(end).base_points, start), 1e-5) << manifold;
    EXPECT_LT(largest_distance(model->manifold(), model->pull(end, 4).frames.back(), start), 1e-5)
        << manifold;
    EXPECT_GT(largest_distance(model->manifold(), start, end), 0.1) << manifold;
  }
  const auto model = random_transport<double>(chain("torus:2"), 1);
  EXPECT_THROW(model->carry(model->sample_base(3, 1), {0.2, 0.7}), Error);
}

TEST(Autoregressive, GradientOfTheLikelihood) {
  for (const char* manifold : {"torus:3", "sphere:2 x torus:1", "ball:2 x sphere:2"}) {
    for (const DivergenceEstimator estimator :
         {DivergenceEstimator::exact, DivergenceEstimator::hutchinson}) {
      FlowConfig config = chain(manifold, 1e-9);
      config.divergence.estimator = estimator;
      config.field.width = 8;
      const auto model = random_transport<double>(config, 4, 1.5);
      const GradientErrors errors = gradient_errors(*model, model->sample_base(16, 5), 11, {3, 0});
      EXPECT_LT(errors.value, 1e-6) << manifold;
      EXPECT_LT(errors.gradient, 2e-5) << manifold;
    }
  }
}

// Averaged over many noises Hutchinson's estimate is the exact divergence: what is given adds nothing.
TEST(Autoregressive, HutchinsonsEstimateHasTheExactMean) {
  FlowConfig config = chain("sphere:2 x torus:1", 1e-7);
  const auto exact = random_transport<double>(config, 4);
  config.divergence = {DivergenceEstimator::hutchinson, Noise::gaussian, 64};
  const auto estimate = random_transport<double>(config, 4);
  Points<double> point(1, 4), copies(256, 4);
  for (std::size_t i = 0; i < 256; ++i)
    copies[i][0] = 0.6, copies[i][1] = 0, copies[i][2] = -0.8, copies[i][3] = 1;
  point.values = {0.6, 0, -0.8, 1};
  const LogProb<double> many = estimate->log_prob(copies, {5, 0});
  EXPECT_NEAR(many.mean(), exact->log_prob(point).values[0], 4 * many.standard_error());
  EXPECT_LT(many.standard_error(), 0.05);
}

TEST(Autoregressive, SameBitsForAnyThreads) {
  const auto one = random_transport<float>(chain("torus:3", 1e-4), 2, 2, 1),
             two = random_transport<float>(chain("torus:3", 1e-4), 2, 2, 2);
  const Points<float> points = one->sample_base(40, 1);
  EXPECT_EQ(one->log_prob(points).values, two->log_prob(points).values);
  std::vector<float> a(one->parameters().size()), b = a;
  one->gradient_of(LikelihoodBatch{points}, a);
  two->gradient_of(LikelihoodBatch{points}, b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(slice(one->sample(48, 3).frames[0], 16, 32).values, two->sample(32, 3, 16).frames[0].values);
}

TEST(Autoregressive, HasNoReverseDivergence) {
  const auto model = make_transport<double>(chain("torus:2"), 1, 1);
  const std::shared_ptr<const Manifold<double>> torus = parse_manifold<double>("torus:2");
  EXPECT_THROW(model->check_target(Uniform<double>(torus)), Error);
}

}  // namespace
}  // namespace riemflow
