// What cannot be computed is named and counted, never made up; what cannot be meant throws.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "riemflow/core/error.hpp"
#include "tests/flow/flows.hpp"
#include "tests/flow/linear_target.hpp"

namespace riemflow {
namespace {

using namespace test;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool all_nan(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

void expect_all_failed(const SolveSummary& summary, std::size_t n, Status status, const std::string& which) {
  ASSERT_EQ(summary.failures.size(), n) << which;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(summary.failures[i].point, i) << which;
    EXPECT_EQ(summary.failures[i].status, status) << which << ": " << explain(summary.failures[i].status);
  }
  EXPECT_NE(summary.message().find(fmt::format("{} of {} points failed", n, n)), std::string::npos) << which;
  EXPECT_NE(summary.message().find(explain(status)), std::string::npos) << which;
  EXPECT_FALSE(summary.ok());
}

// Wherever it sits among the parameters. A tile costs one evaluation together and one for each of its points
// alone.
TEST(Failure, ANaNParameterFailsEveryPointAtOnce) {
  for (const std::string& manifold : all_manifolds()) {
    for (const InputLayer input : {InputLayer::linear, InputLayer::geodesic}) {
      if (input == InputLayer::geodesic && !has_geodesic_input(manifold)) continue;
      FlowConfig config = small_config(manifold);
      config.field.input = input;
      const auto flow = random_flow<double>(config, 31);
      const Points<double> points = flow->sample_base(20, 1);
      for (const ParameterBlock& block : flow->field().layout().blocks()) {
        double& broken = flow->parameters()[block.offset + block.size() / 2];
        const double kept = std::exchange(broken, kNaN);
        const std::string which = manifold + ", " + block.name;
        const LogProb<double> density = flow->log_prob(points);
        expect_all_failed(density.summary, 20, Status::non_finite, which + ", log_prob");
        EXPECT_TRUE(all_nan(density.values) && all_nan(density.base_points.values)) << which;
        EXPECT_LE(density.summary.evaluations, 2 + 20) << which;
        const Carried<double> carried = flow->push(points, 3);
        expect_all_failed(carried.summary, 20, Status::non_finite, which + ", push");
        EXPECT_EQ(carried.frames[0].values, points.values) << which;
        EXPECT_TRUE(all_nan(carried.frames[1].values) && all_nan(carried.frames[2].values)) << which;
        std::vector<double> gradient(flow->parameters().size(), 0.0);
        const Loss loss = flow->gradient_of(LikelihoodBatch{points}, gradient);
        expect_all_failed(loss.summary, 20, Status::non_finite, which + ", gradient");
        EXPECT_TRUE(std::isnan(loss.total)) << which << ": the mean of nothing";
        broken = kept;
      }
      EXPECT_TRUE(flow->log_prob(points).summary.ok()) << manifold << ": a failure leaves no trace";
    }
  }
}

TEST(Failure, FixedStepsMeetANaNParameterToo) {
  for (const std::string& manifold : all_manifolds()) {
    FlowConfig config = small_config(manifold);
    config.solver.fixed_steps = 4;
    const auto flow = random_flow<double>(config, 32);
    const Points<double> points = flow->sample_base(18, 1);
    flow->parameters().back() = kNaN;
    expect_all_failed(flow->log_prob(points).summary, 18, Status::non_finite, manifold);
  }
}

/// A flow whose field is the constant `drift`, not slowed towards the rim.
std::unique_ptr<Flow<double>> drifting(const std::string& manifold, const std::vector<double>& drift,
                                       int fixed_steps = 0) {
  FlowConfig config = small_config(manifold);
  config.field.scaling = BallScaling::none;
  config.solver.fixed_steps = fixed_steps;
  auto flow = std::make_unique<Flow<double>>(config, 0, 1);
  std::fill(flow->parameters().begin(), flow->parameters().end(), 0.0);
  std::copy(drift.begin(), drift.end(), flow->parameters().end() - static_cast<std::ptrdiff_t>(drift.size()));
  return flow;
}

/// 40 points about the origin of the disk, one of them where the drift takes it over the rim.
Points<double> one_bad_point(std::size_t bad) {
  Points<double> points(40, 2);
  for (std::size_t p = 0; p < points.size(); ++p) {
    points[p][0] = 0.3 * std::cos(static_cast<double>(p));
    points[p][1] = 0.3 * std::sin(static_cast<double>(p));
  }
  points[bad][0] = -0.8;
  points[bad][1] = 0.1;
  return points;
}

TEST(Failure, OnlyThePointThatLeavesTheBallFails) {
  const auto flow = drifting("ball:2", {0.4, 0.0});
  for (const std::size_t bad : {0u, 13u, 39u}) {
    const Points<double> points = one_bad_point(bad);
    const LogProb<double> result = flow->log_prob(points);
    ASSERT_EQ(result.summary.failures.size(), 1u);
    EXPECT_EQ(result.summary.failures[0].point, bad);
    EXPECT_NE(result.summary.message().find("1 of 40 points failed (first: point " + std::to_string(bad)),
              std::string::npos)
        << result.summary.message();
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (p == bad) {
        EXPECT_TRUE(std::isnan(result.values[p]) && all_nan(result.base_points[p]));
        continue;
      }
      EXPECT_NEAR(result.base_points[p][0], points[p][0] - 0.4, 1e-6) << p;
      EXPECT_TRUE(std::isfinite(result.values[p])) << p;
    }
    EXPECT_TRUE(std::isfinite(result.mean()));
    EXPECT_GT(result.standard_error(), 0);
  }
}

// The solver meets the rim itself or, before it, the log-volume that is infinite there: both advise a
// scaling.
TEST(Failure, APathOverTheRimIsToldOfTheScaling) {
  for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
    const auto flow = drifting("ball:2", {0.4, 0.0});
    flow->set_tolerance(tolerance, tolerance);
    const Points<double> points = one_bad_point(0);
    const SolveSummary moved = flow->pull(points).summary, scored = flow->log_prob(points).summary;
    ASSERT_EQ(moved.failures.size(), 1u);
    ASSERT_EQ(scored.failures.size(), 1u);
    EXPECT_EQ(moved.failures[0].status, Status::outside_domain) << tolerance << ": " << moved.message();
    for (const SolveSummary& summary : {moved, scored})
      EXPECT_NE(summary.message().find("scaling 'unit'"), std::string::npos) << summary.message();
  }
}

// ẋ = −5 tanh(60(x − 3)): backwards in time, x = 3 repels at the rate 300; elsewhere the field is all but
// constant.
TEST(Failure, OnlyThePointThatIsHardFails) {
  FlowConfig config = small_config("euclidean:1", 1e-6);
  config.field.width = config.field.depth = 1;
  config.solver.max_evaluations = 60;
  Flow<double> flow(config, 0, 1);
  const std::vector<double> parameters = {60, 0, -180, -5, 0, 0};
  ASSERT_EQ(flow.parameters().size(), parameters.size());
  std::copy(parameters.begin(), parameters.end(), flow.parameters().begin());
  Points<double> points(20, 1);
  for (std::size_t p = 0; p < 20; ++p) points[p][0] = p == 17 ? 3.001 : -0.1 * static_cast<double>(p);
  const LogProb<double> result = flow.log_prob(points);
  ASSERT_EQ(result.summary.failures.size(), 1u) << result.summary.message();
  EXPECT_EQ(result.summary.failures[0].point, 17u);
  EXPECT_EQ(result.summary.failures[0].status, Status::too_many_evaluations);
  EXPECT_LE(result.summary.most_evaluations, 60);
  EXPECT_NEAR(result.base_points[3][0], -0.3 - 5, 1e-5);
}

// Over fixed steps, to rounding.
TEST(Failure, AGradientIsTheMeanOverThePointsThatDidNotFail) {
  const auto flow = drifting("ball:2", {0.4, 0.0}, 8);
  const Points<double> points = one_bad_point(20);
  std::vector<double> gradient(flow->parameters().size()), part = gradient, mean(gradient.size(), 0.0);
  const Loss loss = flow->gradient_of(LikelihoodBatch{points}, gradient);
  ASSERT_EQ(loss.summary.failures.size(), 1u);
  EXPECT_EQ(loss.summary.failures[0].point, 20u);
  double total = 0;
  for (const auto& [first, n] : {std::pair<std::size_t, std::size_t>{0, 20}, {21, 19}}) {
    const double share = static_cast<double>(n) / 39;
    total += share * flow->gradient_of(LikelihoodBatch{slice(points, first, n)}, part).total;
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += share * part[i];
  }
  EXPECT_NEAR(loss.total, total, 1e-12);
  for (std::size_t i = 0; i < gradient.size(); ++i) EXPECT_NEAR(gradient[i], mean[i], 1e-12) << i;
}

TEST(SolveSummary, TheMessageCountsEachReason) {
  SolveSummary summary;
  EXPECT_EQ(summary.message(), "");
  summary.points = 400;
  summary.failures = {{7, Status::non_finite}, {12, Status::step_underflow}, {13, Status::non_finite}};
  const std::string text = summary.message();
  EXPECT_NE(text.find("3 of 400 points failed (first: point 7)"), std::string::npos) << text;
  EXPECT_NE(text.find("2: " + std::string(explain(Status::non_finite))), std::string::npos) << text;
  EXPECT_NE(text.find("1: " + std::string(explain(Status::step_underflow))), std::string::npos) << text;
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Misuse, PointsThatAreNotOnTheManifoldAreNamed) {
  const auto flow = random_flow<double>(small_config("sphere:2"), 33);
  Points<double> points = flow->sample_base(30, 1);
  std::vector<double> gradient(flow->parameters().size());
  const auto expect_named = [&](const std::string& expected) {
    for (const std::string& what :
         {error_of([&] { flow->log_prob(points); }), error_of([&] { flow->push(points); }),
          error_of([&] { flow->pull(points); }),
          error_of([&] { flow->gradient_of(LikelihoodBatch{points}, gradient); })})
      EXPECT_NE(what.find(expected), std::string::npos) << what;
  };
  points[23][1] = kNaN;
  expect_named("point 23 ");
  points[17][0] *= 1.5;
  points[17][2] += 0.7;
  expect_named("point 17 ");
  expect_named("sphere:2");
  points = Points<double>(4, 2);
  expect_named("2 coordinates");
  expect_named("needs 3 coordinates");
}

TEST(Misuse, NoPoints) {
  const auto flow = random_flow<double>(small_config("sphere:2"), 34);
  std::vector<double> gradient(flow->parameters().size());
  for (const Points<double>& none : {Points<double>(), Points<double>(0, 3)}) {
    const LogProb<double> result = flow->log_prob(none);
    EXPECT_TRUE(result.values.empty());
    EXPECT_TRUE(result.summary.ok());
    EXPECT_EQ(result.summary.evaluations, 0);
    EXPECT_EQ(flow->push(none, 3).frames.size(), 3u);
    EXPECT_NE(error_of([&] { flow->gradient_of(LikelihoodBatch{none}, gradient); }).find("no points"),
              std::string::npos);
  }
  EXPECT_EQ(flow->sample(0, 1).frames.back().size(), 0u);
  const auto target = std::make_shared<LinearTarget<double>>(std::vector{0.0, 0.0, 0.0});
  EXPECT_NE(error_of([&] {
              flow->gradient_of(ReverseKlBatch{0, target}, gradient);
            }).find("no points"),
            std::string::npos);
}

TEST(Misuse, SizesThatDoNotFit) {
  const auto flow = random_flow<double>(small_config("sphere:2"), 35);
  std::vector<double> gradient(flow->parameters().size()), short_gradient(3);
  const Points<double> points = flow->sample_base(4, 1);
  EXPECT_NE(error_of([&] {
              flow->gradient_of(LikelihoodBatch{points}, short_gradient);
            }).find("room for 3 numbers"),
            std::string::npos);
  const auto plane = std::make_shared<LinearTarget<double>>(std::vector{0.0, 0.0});
  EXPECT_NE(error_of([&] {
              flow->gradient_of(ReverseKlBatch{4, plane}, gradient);
            }).find("linear"),
            std::string::npos);
  EXPECT_THROW(
      Flow<double>(small_config("sphere:2"), 0, 1, std::make_shared<LinearTarget<double>>(std::vector{0.0})),
      Error);
  EXPECT_THROW(Flow<double>(small_config("cube:3"), 0, 1), Error);
  EXPECT_THROW(Flow<double>(small_config("sphere:2"), 0, -1), Error);
  FlowConfig config = small_config("sphere:2");
  config.divergence.probes = 0;
  EXPECT_THROW(Flow<double>(config, 0, 1), Error);
  config = small_config("sphere:2");
  config.regularisation.kinetic = -1;
  EXPECT_THROW(Flow<double>(config, 0, 1), Error);
}

}  // namespace
}  // namespace riemflow
