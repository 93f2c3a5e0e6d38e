#include "riemflow/model/flow_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "riemflow/core/error.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/trust.hpp"
#include "tests/flow/transports.hpp"
#include "tests/kernel/kernel_cases.hpp"

namespace riemflow {
namespace {

constexpr const char* kSpace = "sphere:2 x euclidean:1";
const Standardisation kDepth{{0, 0, 0, 35.2}, {1, 1, 1, 41}};

std::shared_ptr<Transport<double>> inner_flow() {
  return test::random_transport<double>(test::small_config(kSpace, 1e-9), 3);
}
std::shared_ptr<const KernelMixture> inner_kernels() {
  const std::shared_ptr<const Manifold<double>> space = parse_manifold<double>(kSpace);
  return std::make_shared<KernelMixture>(space, density_test::kernels_on(space, 20, 0.3, 2, 1, 5));
}

/// log p(x) = log q(y) − log 41 at x = 35.2 + 41 y, the draws likewise.
void expect_units(const Density& outer, const Density& inner) {
  const Points<double> y = inner.sample(30, 7).frames.back(), x = outer.sample(30, 7).frames.back();
  const std::vector<double> log_q = inner.log_prob(y).values, log_p = outer.log_prob(x).values;
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(x[i][c], y[i][c]);
    EXPECT_NEAR(x[i][3], 35.2 + 41 * y[i][3], 1e-12);
    EXPECT_NEAR(log_p[i], log_q[i] - std::log(41), 1e-7);
  }
  const Mass mass = outer.mass({{1e-3, 0, 30'000}, 100, 0, FlowMass::by_change_of_variables});
  EXPECT_NEAR(mass.integral.value, 1, 3e-3);
}

TEST(Standardised, DensitiesAndDrawsAreInTheUsersUnits) {
  expect_units(FlowDensity(inner_flow(), kDepth), FlowDensity(inner_flow()));
  expect_units(KernelDensity(inner_kernels(), 1, kDepth), KernelDensity(inner_kernels(), 1));
}

TEST(Standardised, AFlowIsOneInEveryRespect) {
  const FlowDensity flow(inner_flow(), kDepth);
  const Points<double> base = flow.sample_base(20, 3);
  const Carried<double> there = flow.carry(base, {0, 0.5, 1});
  EXPECT_EQ(there.frames.front().values, base.values);
  const Points<double> drawn = flow.sample(20, 3).frames.back();
  EXPECT_EQ(flow.draw_paths(20, 3, 0, {0, 1}).frames.back().values, drawn.values);
  for (std::size_t i = 0; i < drawn.values.size(); ++i)
    EXPECT_NEAR(there.frames.back().values[i], drawn.values[i], 1e-6);
  const Carried<double> back = flow.carry(there.frames.back(), {1, 0});
  for (std::size_t i = 0; i < base.values.size(); ++i)
    EXPECT_NEAR(back.frames.back().values[i], base.values[i], 1e-5);
  const LogProb<double> scored = flow.log_prob(there.frames.back());
  const std::vector<double> log_base = flow.log_base(base);
  for (std::size_t i = 0; i < base.size(); ++i) {
    EXPECT_NEAR(scored.base_points[i][3], base[i][3], 1e-5);
    EXPECT_NEAR(log_base[i],
                -0.5 * std::pow((base[i][3] - 35.2) / 41, 2) - std::log(41) - 0.5 * std::log(2 * M_PI) -
                    std::log(4 * M_PI),
                1e-9);
  }
  TrustOptions options;
  options.points = 50;
  options.mass_samples = 50;
  options.evaluations = 20'000;
  const Trust trust = examine(flow, options);
  EXPECT_EQ(trust.failed, 0u);
  EXPECT_EQ(trust.points, 50u);
}

/// Not by way of what is standardised, which a float does not bring back.
TEST(Standardised, PathsBeginWhereTheyWereAskedTo) {
  const FlowDensity flow(test::random_transport<float>(test::small_config(kSpace, 1e-3), 3), kDepth);
  Points<double> base = flow.sample_base(100, 3);
  for (std::size_t i = 0; i < base.size(); ++i) base[i][3] = 0.01 * static_cast<double>(i);
  EXPECT_EQ(flow.carry(base, {0, 1}).frames.front().values, base.values);
}

/// Metres from a far origin: a float has no room for them, what is standardised has.
TEST(Standardised, PointsAreStandardisedBeforeTheyAreRounded) {
  const std::shared_ptr<Transport<float>> inner =
      test::random_transport<float>(test::small_config("euclidean:1"), 3);
  Points<double> x(2, 1);
  x[0][0] = 5e9 + 0.25;
  x[1][0] = 5e9 - 1.5;
  Points<float> y(2, 1);
  y[0][0] = 0.25f;
  y[1][0] = -1.5f;
  const std::vector<float> expected = inner->log_prob(y).values;
  const std::vector<double> values = FlowDensity(inner, {{5e9}, {1}}).log_prob(x).values;
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(values[i], static_cast<double>(expected[i]));
}

TEST(Standardised, ModelsKeepTheirStandardisation) {
  const FlowDensity flow(inner_flow(), kDepth);
  const Model plain = make_model(*inner_flow());
  Model model = plain;
  keep_standardisation(model, kDepth);
  const Points<double> x = flow.sample(10, 1).frames.back();
  const auto made = make_density(model_from_tensors(model_to_tensors(model), "m"), {0, 1});
  EXPECT_EQ(made->log_prob(x).values, flow.log_prob(x).values);
  // A pool's members have their own.
  const auto pool = make_density(make_pool({model, plain}, {0.25, 0.75}), {0, 1});
  const std::vector<double> p = pool->log_prob(x).values, a = flow.log_prob(x).values,
                            b = FlowDensity(inner_flow()).log_prob(x).values;
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(p[i], std::log(0.25 * std::exp(a[i]) + 0.75 * std::exp(b[i])), 1e-9);
  Model with_own = make_pool({model, plain}, {0.25, 0.75});
  keep_standardisation(with_own, kDepth);
  EXPECT_THROW(standardisation_of(with_own), Error);
  for (const char* bad :
       {"nonsense", "{}", R"({"shift":[0,0,0,1],"scale":[1,1,1]})",
        R"({"shift":[0,0,0,1],"scale":[1,1,1,0]})", R"({"shift":[0,0,0,1],"scale":[1,2,1,1]})",
        R"({"shift":[0,0,0,"a"],"scale":[1,1,1,1]})", R"({"shift":[0,0,0,1e999],"scale":[1,1,1,1]})",
        R"({"shift":[0,0,0,1],"scale":[1,1,1,-1]})"}) {
    model.metadata["standardisation"] = bad;
    EXPECT_THROW(make_density(model, {0, 1}), Error) << bad;
    EXPECT_THROW(model_to_tensors(model), Error) << bad;
  }
}

/// Near the rim of a ball a float may have no room for a point, which then has no density for a user.
TEST(FlowDensity, APointMayBeLostInRounding) {
  const FlowDensity flow(test::random_transport<float>(test::small_config("ball:2", 1e-4), 3));
  const double inside[] = {0.3, 0.4}, rim[] = {1 - 1e-12, 0}, outside[] = {1, 1};
  EXPECT_FALSE(flow.defect(inside));
  EXPECT_NE(flow.defect(rim).value().find("float"), std::string::npos);
  EXPECT_TRUE(flow.defect(outside));
  EXPECT_FALSE(
      FlowDensity(test::random_transport<double>(test::small_config("ball:2", 1e-4), 3)).defect(rim));
  Points<double> points(1, 2);
  points[0][0] = rim[0];
  // What a float knows there is another point, whose density is not this one's.
  const LogProb<double> lost = flow.log_prob(points);
  EXPECT_TRUE(std::isnan(lost.values[0]));
  ASSERT_EQ(lost.summary.failures.size(), 1u);
  EXPECT_EQ(lost.summary.failures[0].status, Status::unresolved);
  const LogProbGradient slope = flow.log_prob_gradient(points);
  EXPECT_TRUE(std::isnan(slope.values[0]) && std::isnan(slope.gradients[0][0]));
  EXPECT_EQ(slope.summary.failures.size(), 1u);
  points[0][1] = 1;
  EXPECT_THROW(flow.log_prob(points), Error);
}

/// A flow has one set of workspaces: callers take turns, and nobody's numbers change.
TEST(FlowDensity, SeveralThreadsMayAsk) {
  const FlowDensity flow(test::random_transport<float>(test::small_config("sphere:2", 1e-4), 3));
  const Points<double> points = flow.sample(200, 1).frames.back();
  const std::vector<double> expected = flow.log_prob(points).values;
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (auto& own : found) threads.emplace_back([&] { own = flow.log_prob(points).values; });
  for (std::thread& thread : threads) thread.join();
  for (const auto& own : found) EXPECT_EQ(own, expected);
}

TEST(Standardised, MeanAndDeviationOfEuclideanCoordinatesAlone) {
  const auto space = parse_manifold<double>(kSpace);
  Points<double> points(3, 4);
  points.values = {1, 0, 0, 1e9 + 1, 0, 1, 0, 1e9 + 2, 0, 0, 1, 1e9 + 6};
  std::vector<std::size_t> constant;
  const Standardisation found = standardisation_of(*space, points, &constant);
  EXPECT_TRUE(constant.empty());
  EXPECT_EQ(found.scale[0], 1);
  EXPECT_EQ(found.shift[1], 0);
  EXPECT_EQ(found.shift[3], 1e9 + 3);
  EXPECT_NEAR(found.scale[3], std::sqrt(14.0 / 3), 1e-7);
  // 1, 2 and, twice, 6.
  const Standardisation weighted = standardisation_of(*space, points, &constant, {0.5, 0.5, 1});
  EXPECT_NEAR(weighted.shift[3], 1e9 + 3.75, 1e-6);
  EXPECT_NEAR(weighted.scale[3], std::sqrt(77.0 / 4 - 3.75 * 3.75), 1e-7);
  EXPECT_EQ(standardisation_of(*space, points, &constant, {1, 1, 1}).scale, found.scale);
  for (const std::size_t i : {3u, 7u, 11u}) points.values[i] = 0.1;
  standardisation_of(*space, points, &constant);
  EXPECT_EQ(constant, std::vector<std::size_t>{3});
  // A spread of ten roundings of the mean is none.
  for (const std::size_t i : {3u, 7u, 11u}) points.values[i] = 1e9 + 1e-6 * static_cast<double>(i);
  constant.clear();
  EXPECT_EQ(standardisation_of(*space, points, &constant).scale[3], 1);
  EXPECT_EQ(constant, std::vector<std::size_t>{3});
  EXPECT_TRUE(standardisation_of(*parse_manifold<double>("ball:2"), Points<double>(3, 2)).identity());
}

}  // namespace
}  // namespace riemflow
