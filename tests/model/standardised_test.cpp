#include "riemflow/model/standardised.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/model/kernel_model.hpp"
#include "riemflow/model/mass.hpp"
#include "riemflow/model/model_standardisation.hpp"
#include "riemflow/model/trust.hpp"
#include "tests/flow/transports.hpp"
#include "tests/kernel/kernel_cases.hpp"

namespace riemflow {
namespace {

constexpr const char* kSpace = "sphere:2 x euclidean:1";
const Standardisation kDepth{{0, 0, 0, 35.2}, {1, 1, 1, 41}};

std::unique_ptr<StandardisedFlow<double>> deep_flow() {
  return std::make_unique<StandardisedFlow<double>>(
      test::random_transport<double>(test::small_config(kSpace, 1e-9), 3), kDepth);
}
std::unique_ptr<StandardisedDensity<double>> deep_kernels() {
  const std::shared_ptr<const Manifold<double>> space = parse_manifold<double>(kSpace);
  return std::make_unique<StandardisedDensity<double>>(
      std::make_unique<KernelModel<double>>(kSpace, density_test::kernels_on(space, 20, 0.3, 2, 1, 5), 1),
      kDepth);
}

/// log p(x) = log q(y) − log 41 at x = 35.2 + 41 y, the draws likewise.
void expect_units(Density<double>& outer, Density<double>& inner) {
  const Points<double> y = inner.sample(30, 7).frames.back(), x = outer.sample(30, 7).frames.back();
  const std::vector<double> log_q = inner.log_prob(y).values, log_p = outer.log_prob(x).values,
                            again = log_density_at(outer, x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(x[i][c], y[i][c]);
    EXPECT_NEAR(x[i][3], 35.2 + 41 * y[i][3], 1e-12);
    EXPECT_NEAR(log_p[i], log_q[i] - std::log(41), 1e-7);
    EXPECT_NEAR(again[i], log_p[i], 1e-7);
  }
  const Mass mass = total_mass(outer, {1e-3, 0, 30'000}, 100, 0, FlowMass::by_change_of_variables);
  EXPECT_NEAR(mass.integral.value, 1, 3e-3);
}

TEST(Standardised, DensitiesAndDrawsAreInTheUsersUnits) {
  const auto flow = deep_flow();
  expect_units(*flow, flow->inner());
  const auto kernels = deep_kernels();
  expect_units(*kernels, kernels->inner());
}

TEST(Standardised, AFlowIsOneInEveryRespect) {
  const auto flow = deep_flow();
  const Points<double> base = flow->sample_base(20, 3);
  const Carried<double> there = flow->push(base, 3);
  EXPECT_EQ(there.frames.front().values, base.values);
  const Points<double> drawn = flow->sample(20, 3).frames.back();
  for (std::size_t i = 0; i < drawn.values.size(); ++i)
    EXPECT_NEAR(there.frames.back().values[i], drawn.values[i], 1e-6);
  const Carried<double> back = flow->pull(there.frames.back());
  for (std::size_t i = 0; i < base.values.size(); ++i)
    EXPECT_NEAR(back.frames.back().values[i], base.values[i], 1e-5);
  const LogProb<double> scored = flow->log_prob(there.frames.back());
  const std::vector<double> log_base = flow->log_base(base);
  for (std::size_t i = 0; i < base.size(); ++i) {
    EXPECT_NEAR(scored.base_points[i][3], base[i][3], 1e-5);
    EXPECT_NEAR(log_base[i],
                -0.5 * std::pow((base[i][3] - 35.2) / 41, 2) - std::log(41) - 0.5 * std::log(2 * M_PI) -
                    std::log(4 * M_PI),
                1e-9);
  }
  const test::GradientErrors errors = test::gradient_errors(*flow, there.frames.back(), 97);
  EXPECT_LT(errors.gradient, 1e-4);
  EXPECT_LT(errors.value, 1e-7);
  std::vector<double> own(flow->parameters().size()), inner = own;
  const Points<double> data = there.frames.back(), y = kDepth.standardised<double>(data);
  EXPECT_NEAR(flow->nll_gradient(data, own, {}).likelihood, -flow->log_prob(data).mean(), 1e-7);
  Points<double> group = base;
  auto& coordinates = dynamic_cast<Transport<double>&>(flow->inner());
  std::fill(own.begin(), own.end(), 0);
  const double loss = flow->matching_gradient(data, group, own, {3, 4}).total;
  EXPECT_EQ(loss, coordinates.matching_gradient(y, kDepth.standardised<double>(group), inner, {3, 4}).total);
  EXPECT_EQ(own, inner);
  const auto target = default_base<double>(parse_manifold<double>(kSpace));
  EXPECT_THROW(flow->reverse_kl_gradient(10, *target, own, {}), Error);
  EXPECT_THROW(flow->target_of(target), Error);
  TrustOptions options;
  options.points = 50;
  options.mass_samples = 50;
  options.evaluations = 20'000;
  const Trust trust = examine(*static_cast<Density<double>*>(flow.get()), options);
  EXPECT_EQ(trust.failed, 0u);
  EXPECT_EQ(trust.points, 50u);
}

/// Not by way of what is standardised, which a float does not bring back.
TEST(Standardised, PathsBeginWhereTheyWereAskedTo) {
  StandardisedFlow<float> flow(test::random_transport<float>(test::small_config(kSpace, 1e-3), 3), kDepth);
  Points<float> base = flow.sample_base(100, 3);
  for (std::size_t i = 0; i < base.size(); ++i) base[i][3] = 0.01F * static_cast<float>(i);
  EXPECT_EQ(flow.push(base, 2).frames.front().values, base.values);
}

/// Metres from a far origin: a float has no room for them, what is standardised has.
TEST(Standardised, PointsAreStandardisedBeforeTheyAreRounded) {
  const Standardisation far{{5e9}, {1}};
  StandardisedFlow<float> flow(test::random_transport<float>(test::small_config("euclidean:1"), 3), far);
  Points<double> x(2, 1);
  x[0][0] = 5e9 + 0.25;
  x[1][0] = 5e9 - 1.5;
  const std::vector<double> values = log_density_at(flow, x);
  Points<float> y(2, 1);
  y[0][0] = 0.25f;
  y[1][0] = -1.5f;
  const std::vector<float> inner = flow.inner().log_prob(y).values;
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(values[i], static_cast<double>(inner[i]));
}

TEST(Standardised, ModelsKeepTheirStandardisation) {
  const auto flow = deep_flow();
  Model model = make_model(*flow);
  const Points<double> x = flow->sample(10, 1).frames.back();
  const auto made = make_density<double>(model_from_tensors(model_to_tensors(model), "m"), 1);
  EXPECT_EQ(made->log_prob(x).values, flow->log_prob(x).values);
  // A pool's members have their own.
  Model plain = model;
  keep_standardisation(plain, {});
  const auto pool = make_density<double>(make_pool({model, plain}, {0.25, 0.75}), 1);
  const std::vector<double> p = pool->log_prob(x).values, a = flow->log_prob(x).values,
                            b = flow->inner().log_prob(x).values;
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(p[i], std::log(0.25 * std::exp(a[i]) + 0.75 * std::exp(b[i])), 1e-9);
  const std::vector<double> in_double = log_density_at(*pool, x);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(in_double[i], p[i], 1e-9);
  Model with_own = make_pool({model, plain}, {0.25, 0.75});
  keep_standardisation(with_own, kDepth);
  EXPECT_THROW(standardisation_of(with_own), Error);
  for (const char* bad :
       {"nonsense", "{}", R"({"shift":[0,0,0,1],"scale":[1,1,1]})",
        R"({"shift":[0,0,0,1],"scale":[1,1,1,0]})", R"({"shift":[0,0,0,1],"scale":[1,2,1,1]})",
        R"({"shift":[0,0,0,"a"],"scale":[1,1,1,1]})", R"({"shift":[0,0,0,1e999],"scale":[1,1,1,1]})",
        R"({"shift":[0,0,0,1],"scale":[1,1,1,-1]})"}) {
    model.metadata["standardisation"] = bad;
    EXPECT_THROW(make_density<double>(model, 1), Error) << bad;
    EXPECT_THROW(check_model(model), Error) << bad;
  }
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
