#include "riemflow/model/pool_density.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/trust.hpp"
#include "tests/flow/flows.hpp"

namespace riemflow {
namespace {

using test::random_flow;
using test::small_config;

/// One bump of concentration κ at the pole of x_axis.
MixtureParameters bump(std::size_t axis, double kappa) {
  MixtureParameters p{Points<double>(1, 3), {1}, {kappa}};
  p.means[0][axis] = 1;
  return p;
}

/// 0.7 of a narrow mixture at x₀ = 1 and 0.3 of one at x₂ = 1: no point of one is near the other.
std::unique_ptr<PoolDensity> two_bumps(int threads = 1) {
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(std::make_unique<MixtureDensity>("sphere:2", bump(0, 1e4), threads));
  members.push_back(std::make_unique<MixtureDensity>("sphere:2", bump(2, 1e4), threads));
  return std::make_unique<PoolDensity>(std::move(members), std::vector<double>{0.7, 0.3});
}

template <class T>
std::unique_ptr<PoolDensity> flow_and_flow(const std::string& manifold, double tolerance = 1e-6) {
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(std::make_shared<FlowDensity>(random_flow<T>(small_config(manifold, tolerance), 1)));
  members.push_back(std::make_shared<FlowDensity>(random_flow<T>(small_config(manifold, tolerance), 2)));
  return std::make_unique<PoolDensity>(std::move(members), std::vector<double>{0.25, 0.75});
}

TEST(PoolDensity, IsTheWeightedSum) {
  for (const std::string& manifold : test::all_manifolds()) {
    const auto pool = flow_and_flow<double>(manifold);
    const Points<double> points = pool->sample(40, 5).frames.back();
    const LogProb<double> scored = pool->log_prob(points);
    const auto a = pool->member(0).log_prob(points).values, b = pool->member(1).log_prob(points).values;
    for (std::size_t i = 0; i < points.size(); ++i)
      EXPECT_NEAR(std::exp(scored.values[i]), 0.25 * std::exp(a[i]) + 0.75 * std::exp(b[i]),
                  1e-12 * std::exp(scored.values[i]))
          << manifold;
    EXPECT_EQ(scored.summary.points, points.size());
    EXPECT_GT(scored.summary.evaluations, 0);
  }
}

TEST(PoolDensity, TermsBeyondTheRangeOfDoubleAreSafe) {
  // At x₂ = 1 the member at x₀ = 1 has log p ≈ −κ; with κ = 1e6 its density is 0 in double.
  std::vector<std::shared_ptr<Density>> members;
  for (const std::size_t axis : {0u, 1u, 2u})
    members.push_back(std::make_unique<MixtureDensity>("sphere:2", bump(axis, 1e6), 1));
  PoolDensity pool(std::move(members), {0.5, 0.25, 0.25});
  Points<double> points(3, 3);
  for (std::size_t i = 0; i < 3; ++i) points[i][i] = 1;
  const auto scored = pool.log_prob(points).values;
  const double peak = pool.member(0).log_prob(points).values[0];
  EXPECT_NEAR(scored[0], peak + std::log(0.5), 1e-12);
  EXPECT_NEAR(scored[1], peak + std::log(0.25), 1e-12);
  EXPECT_NEAR(scored[2], peak + std::log(0.25), 1e-12);
}

TEST(PoolDensity, IntegratesToOne) {
  for (const char* manifold : {"sphere:2", "torus:2", "ball:2", "euclidean:2"}) {
    const auto pool = flow_and_flow<double>(manifold, 1e-5);
    const auto whole = parse_manifold<double>(manifold);
    // By cubature of what log_prob returns, and as the sum of the members' masses.
    const Integral direct = integrate(density_of(*pool), whole_manifold(*whole, kReachDouble),
                                      whole->ambient(), {1e-4, 0, 400'000});
    EXPECT_NEAR(direct.value, 1, 1e-3) << manifold;
    const Mass mass = pool->mass({{1e-4, 0, 400'000}});
    EXPECT_NEAR(mass.integral.value, 1, 1e-3) << manifold;
    EXPECT_TRUE(mass.integral.converged) << manifold;
  }
  const Mass narrow = two_bumps()->mass({{1e-4, 0, 400'000}});
  EXPECT_NEAR(narrow.integral.value, 1, 1e-4);
}

// The error of a member counts times its weight: one that weighs little takes few evaluations.
TEST(PoolDensity, MassOfAMemberIsAsExactAsItsWeightAsks) {
  const auto pool = [](double weight) {
    std::vector<std::shared_ptr<Density>> members;
    members.push_back(std::make_unique<MixtureDensity>("sphere:2", bump(0, 10), 1));
    members.push_back(
        std::make_shared<FlowDensity>(random_flow<double>(small_config("sphere:2", 1e-5), 2, 1, 3)));
    return std::make_unique<PoolDensity>(std::move(members), std::vector<double>{1 - weight, weight});
  };
  const CubatureOptions options{1e-5, 0, 400'000};
  const Mass light = pool(0.001)->mass({options}), heavy = pool(0.9)->mass({options});
  for (const Mass& mass : {light, heavy}) {
    EXPECT_TRUE(mass.integral.converged);
    EXPECT_LE(mass.integral.error, 1e-5);
    EXPECT_NEAR(mass.integral.value, 1, 1e-4);
  }
  EXPECT_LT(2 * light.integral.evaluations, heavy.integral.evaluations);
}

// Where cubature has no budget, the change of variables settles it; the budget is kept.
TEST(PoolDensity, MassOfAFlowThatCubatureDoesNotSettle) {
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(
      std::make_shared<FlowDensity>(random_flow<float>(small_config("sphere:2", 1e-5), 2, 1, 3)));
  PoolDensity pool(std::move(members), {1});
  const CubatureOptions options{1e-4, 0, 1000};
  const Mass stuck = pool.mass({options, 50, 0, FlowMass::by_cubature}),
             settled = pool.mass({options, 50, 0, FlowMass::by_either});
  EXPECT_FALSE(stuck.integral.converged);
  EXPECT_LE(stuck.integral.evaluations, 1000u);
  EXPECT_TRUE(settled.integral.converged) << settled.integral.value << " ± " << settled.integral.error;
  EXPECT_LE(settled.integral.evaluations, 1050u);
  EXPECT_NEAR(settled.integral.value, 1, 1e-3);
}

TEST(PoolDensity, MassOfAMemberThatLacksSomeIsSeen) {
  // A naive model has mass outside the ball.
  FlowConfig config = small_config("ball:2");
  config.model = ModelKind::naive;
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(std::make_shared<FlowDensity>(make_transport<double>(config, 1, 1)));
  members.push_back(std::make_shared<FlowDensity>(random_flow<double>(small_config("ball:2"), 2)));
  PoolDensity pool(std::move(members), {0.5, 0.5});
  const double own = pool.member(0).mass({{1e-4, 0, 400'000}}).integral.value;
  ASSERT_LT(own, 0.9);
  EXPECT_NEAR(pool.mass({{1e-4, 0, 400'000}}).integral.value, 0.5 + 0.5 * own, 1e-3);
}

TEST(PoolDensity, SamplesInProportion) {
  const std::size_t n = 20000;
  const Points<double> draws = two_bumps()->sample(n, 7).frames.back();
  std::size_t at_first = 0, at_third = 0;
  for (std::size_t i = 0; i < n; ++i) {
    at_first += draws[i][0] > 0.9 ? 1 : 0;
    at_third += draws[i][2] > 0.9 ? 1 : 0;
  }
  EXPECT_EQ(at_first + at_third, n);
  EXPECT_NEAR(static_cast<double>(at_first) / n, 0.7, 5 * std::sqrt(0.7 * 0.3 / n));
  // The choice of the member is independent of where its draw falls: within each, the halves are equal.
  std::size_t north = 0;
  for (std::size_t i = 0; i < n; ++i) north += draws[i][0] > 0.9 && draws[i][1] > 0 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(north) / static_cast<double>(at_first), 0.5, 5 * 0.5 / std::sqrt(0.7 * n));
}

TEST(PoolDensity, PiecesOfASampleFitTogether) {
  const auto pool = flow_and_flow<float>("sphere:2", 1e-4);
  const Points<double> whole = pool->sample(100, 3).frames.back();
  const Points<double> first = pool->sample(48, 3).frames.back(),
                       rest = pool->sample(52, 3, 48).frames.back();
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(whole[i][c], i < 48 ? first[i][c] : rest[i - 48][c]);
}

TEST(PoolDensity, APointThatFailsInOneMemberHasFailed) {
  FlowConfig hasty = small_config("sphere:2", 1e-9);
  hasty.solver.max_evaluations = 60;
  std::vector<std::shared_ptr<Density>> members;
  members.push_back(std::make_unique<MixtureDensity>("sphere:2", bump(0, 1), 1));
  members.push_back(std::make_shared<FlowDensity>(random_flow<double>(hasty, 2, 1, 2.5)));
  PoolDensity pool(std::move(members), {0.999, 0.001});
  const Points<double> points = pool.member(0).sample(64, 1).frames.back();
  const LogProb<double> flow = pool.member(1).log_prob(points), scored = pool.log_prob(points);
  ASSERT_GT(flow.summary.failures.size(), 0u);
  ASSERT_EQ(scored.summary.failures.size(), flow.summary.failures.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    EXPECT_EQ(std::isnan(scored.values[i]), std::isnan(flow.values[i])) << i;
}

TEST(PoolDensity, TrustFollowsItsFlows) {
  const auto pool = flow_and_flow<float>("sphere:2", 1e-4);
  TrustOptions options;
  options.points = 200;
  const Trust trust = examine(*pool, options), one = examine(pool->member(0), options),
              other = examine(pool->member(1), options);
  EXPECT_EQ(trust.points, 400u);
  EXPECT_EQ(trust.accuracy.worst, std::max(one.accuracy.worst, other.accuracy.worst));
  EXPECT_TRUE(trust.reasons.empty()) << trust.reasons.front();
}

TEST(PoolDensity, TrustLooksAtAFlowByItsWeight) {
  std::vector<std::shared_ptr<Density>> members;
  for (const std::uint64_t seed : {1, 2})
    members.push_back(
        std::make_shared<FlowDensity>(random_flow<float>(small_config("sphere:2", 1e-3), seed)));
  PoolDensity pool(std::move(members), {0.25, 0.75});
  TrustOptions options;
  options.points = 400;  // a quarter is fewer than there are at least
  options.evaluations = 2000;
  options.mass_samples = 100;
  EXPECT_EQ(examine(pool, options).points, 200u + 300u);
}

TEST(PoolDensity, RefusesWhatIsNone) {
  const auto members = [](const std::string& second) {
    std::vector<std::shared_ptr<Density>> all;
    all.push_back(std::make_shared<FlowDensity>(random_flow<double>(small_config("sphere:2"), 1)));
    all.push_back(std::make_shared<FlowDensity>(random_flow<double>(small_config(second), 2)));
    return all;
  };
  using Weights = std::vector<double>;
  EXPECT_NO_THROW(PoolDensity(members("sphere:2"), Weights{0.5, 0.5}));
  EXPECT_THROW(PoolDensity(members("torus:2"), Weights{0.5, 0.5}), Error);
  for (const Weights& weights :
       {Weights{0.5}, Weights{0, 1}, Weights{0.5, 0.6}, Weights{1.5, -0.5}, Weights{}})
    EXPECT_THROW(PoolDensity(members("sphere:2"), weights), Error);
  EXPECT_THROW(PoolDensity({}, Weights{}), Error);
}

}  // namespace
}  // namespace riemflow
