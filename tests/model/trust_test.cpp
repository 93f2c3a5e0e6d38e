#include "riemflow/model/trust.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/model/flow_density.hpp"
#include "tests/flow/flows.hpp"

namespace riemflow {
namespace {

using test::random_flow;
using test::small_config;

TrustOptions quick() {
  TrustOptions options;
  options.points = 100;
  return options;
}

TEST(Trust, RandomFlowsAreTrustworthy) {
  for (const char* name : {"sphere:2", "ball:2,K=-0.5", "torus:2", "sphere:1 x ball:1", "euclidean:1"}) {
    const auto flow = random_flow<float>(small_config(name, 1e-5), 2, 2, 1.5);
    const Trust trust = examine(seen_as_density(*flow), quick());
    EXPECT_TRUE(trust.reasons.empty()) << name << ": " << (trust.reasons.empty() ? "" : trust.reasons[0]);
    EXPECT_EQ(trust.points, 100u);
    EXPECT_NEAR(trust.reference_tolerance, 1e-6, 1e-12);
    EXPECT_GT(trust.accuracy.worst, 0) << name;
    EXPECT_GE(trust.accuracy.worst, trust.accuracy.mean);
    EXPECT_GE(trust.round_trip.worst, trust.round_trip.most);
    EXPECT_GT(trust.solves.evaluations, 0);
    EXPECT_LT(trust.drift, 1e-6);
  }
}

// A tolerance a thousand times looser shows in round trip and accuracy, by about as much.
TEST(Trust, LooseSolvesShow) {
  const auto tight = random_flow<double>(small_config("sphere:2", 1e-6), 3, 2, 2.5);
  const auto loose = random_flow<double>(small_config("sphere:2", 1e-3), 3, 2, 2.5);
  const Trust good = examine(seen_as_density(*tight), quick()),
              bad = examine(seen_as_density(*loose), quick());
  EXPECT_GT(bad.accuracy.mean, 30 * good.accuracy.mean);
  EXPECT_GT(bad.round_trip.most, 30 * good.round_trip.most);
}

TEST(Trust, FailuresAreReasons) {
  FlowConfig config = small_config("sphere:2");
  config.solver.max_evaluations = 3;
  const auto flow = random_flow<float>(config, 2, 2, 2);
  const Trust trust = examine(seen_as_density(*flow), quick());
  EXPECT_GT(trust.failed, 0u);
  EXPECT_FALSE(trust.reasons.empty());
  EXPECT_FALSE(trust.mass.integral.converged);
}

TEST(Trust, FixedStepsAreComparedWithErrorControl) {
  FlowConfig config = small_config("sphere:2", 1e-5);
  config.solver.method = "rk4";
  config.solver.fixed_steps = 1;
  const auto flow = random_flow<double>(config, 3, 2, 3);
  const Trust trust = examine(seen_as_density(*flow), quick());
  EXPECT_GT(trust.accuracy.mean, kAccuracyMeanBar);
  EXPECT_FALSE(trust.reasons.empty());
}

Trust fine() {
  Trust trust;
  trust.mass.integral = {1.0005, 0.0005, 1000, 0, true};
  return trust;
}

Verdict judged(Trust trust) {
  trust.reasons = reasons_against(trust);
  trust.open = not_settled(trust);
  return trust.verdict();
}

TEST(Trust, BarsIncludeTheErrorOfTheMass) {
  EXPECT_EQ(judged(fine()), Verdict::trustworthy);
  Trust trust = fine();
  trust.mass.integral.error = 0.0016;
  EXPECT_EQ(judged(trust), Verdict::not_settled);
  ASSERT_EQ(not_settled(trust).size(), 1u);
  EXPECT_NE(not_settled(trust)[0].find("1.0005 ± 0.0016"), std::string::npos) << not_settled(trust)[0];
  trust.mass.integral.value = 1.0025;  // beyond the bar, but not by more than its error
  EXPECT_EQ(judged(trust), Verdict::not_settled);
  EXPECT_TRUE(reasons_against(trust).empty());
  trust.mass.integral.value = 1.01;
  EXPECT_EQ(judged(trust), Verdict::not_trustworthy);
  EXPECT_NE(reasons_against(trust)[0].find("not 1"), std::string::npos);
  EXPECT_TRUE(not_settled(trust).empty());
  trust = fine();
  trust.mass.from_samples = true;
  EXPECT_EQ(judged(trust), Verdict::trustworthy);
  trust.mass.integral.error = 0.0008;  // two standard errors
  EXPECT_EQ(judged(trust), Verdict::not_settled);
  trust = fine();
  trust.mass.integral.value = std::nan("");
  trust.mass.integral.error = INFINITY;
  EXPECT_EQ(judged(trust), Verdict::not_trustworthy);
  // What is not settled does not hide what is wrong.
  trust = fine();
  trust.mass.integral.error = 0.0016;
  trust.failed = 1;
  EXPECT_EQ(judged(trust), Verdict::not_trustworthy);
}

TEST(Trust, ScoresFarFromValidation) {
  // 446 nats where validation promised 6.
  const RecordedScores wrong{6, 446, 20, 100, 100};
  ASSERT_TRUE(gap_of_scores(wrong).has_value());
  EXPECT_NE(gap_of_scores(wrong)->find("the test NLL 446 is 440 nats above validation"), std::string::npos)
      << *gap_of_scores(wrong);
  // Five standard errors of the difference: √2 · 20 · 5 = 141.
  EXPECT_TRUE(gap_of_scores({6, 6 + 142, 20, 100, 100}));
  EXPECT_FALSE(gap_of_scores({6, 6 + 141, 20, 100, 100}));
  EXPECT_TRUE(gap_of_scores({6, 6 - 142, 20, 100, 100}));
  // A small validation set is the less certain one: √(1 + 100/25) = √5.
  EXPECT_FALSE(gap_of_scores({6, 6 + 222, 20, 25, 100}));
  EXPECT_TRUE(gap_of_scores({6, 6 + 225, 20, 25, 100}));
  // Ordinary models: earthquakes, and volcanoes with their heavy tails and few points.
  EXPECT_FALSE(gap_of_scores({-0.3950, -0.2643, 0.0697, 545, 545}));
  EXPECT_FALSE(gap_of_scores({-3.3, 0.4, 0.9, 80, 81}));
  EXPECT_FALSE(gap_of_scores({-1, 3, 0.5, 12, 12})) << "too few to know the error of either";
  EXPECT_FALSE(gap_of_scores({1, 1.2, 0.001, 100000, 100000})) << "certain, and small";
  EXPECT_FALSE(gap_of_scores({std::nan(""), 446, 20, 100, 100}));
  EXPECT_FALSE(gap_of_scores({6, std::nan(""), std::nan(""), 100, 0}));
}

TEST(Trust, EachBarIsAReason) {
  Trust trust = fine();
  trust.accuracy.mean = 1.1e-3;
  EXPECT_EQ(reasons_against(trust).size(), 1u);
  trust = fine();
  trust.accuracy.worst = 0.051;
  EXPECT_EQ(reasons_against(trust).size(), 1u);
  trust = fine();
  trust.round_trip.most = 0.011;
  EXPECT_EQ(reasons_against(trust).size(), 1u);
  trust = fine();
  trust.round_trip.worst = 0.11;
  EXPECT_EQ(reasons_against(trust).size(), 1u);
  trust = fine();
  trust.failed = trust.off_manifold = 1;
  EXPECT_EQ(reasons_against(trust).size(), 2u);
}

TEST(Trust, Spreads) {
  std::vector<double> values;
  for (int i = 1; i <= 200; ++i) values.push_back(201 - i);
  const Spread spread = spread_of(values);
  EXPECT_NEAR(spread.mean, 100.5, 1e-12);
  EXPECT_EQ(spread.most, 198);
  EXPECT_EQ(spread.worst, 200);
  EXPECT_EQ(spread_of({}).worst, 0);
  EXPECT_EQ(spread_of({3}).most, 3);
}

}  // namespace
}  // namespace riemflow
