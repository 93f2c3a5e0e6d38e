#include "riemflow/fit/target_score.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/parse_target.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/fit/fit.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "tests/flow/transports.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;

std::shared_ptr<const Distribution<double>> fisher(double kappa) {
  return std::make_shared<VonMisesFisher<double>>(Eigen::Vector3d(0.6, 0, 0.8), kappa);
}

// The uniform density against vMF(κ) on S²: with c = κ/(4π sinh κ), KL = log(1/4π) − log c, and the weights
// w = 4π c e^{κt} have E w² = (4πc)² sinh 2κ/(2κ).
TEST(TargetScore, OfTheUniformDensityIsAFormula) {
  const auto uniform = make_transport<double>(small_config("sphere:2"), 1, 2);
  for (double& p : uniform->parameters()) p = 0;
  for (const double kappa : {0.5, 2.0}) {
    const double c = kappa / (4 * pi * std::sinh(kappa));
    const std::size_t n = kSanitized ? 10000 : 40000;
    const TargetScore score = score_against(seen_as_density(*uniform), *fisher(kappa), n, 3);
    EXPECT_EQ(score.draws, n);
    EXPECT_EQ(score.failed, 0u);
    EXPECT_NEAR(score.reverse_kl, -std::log(4 * pi * c), 4 * score.standard_error);
    EXPECT_NEAR(score.standard_error, kappa / std::sqrt(3.0 * n), 0.02 * kappa / std::sqrt(3.0 * n));
    const double share = 1 / (std::pow(4 * pi * c, 2) * std::sinh(2 * kappa) / (2 * kappa));
    EXPECT_NEAR(score.effective_share, share, 0.02 * share);
  }
  EXPECT_NEAR(score_against(seen_as_density(*uniform), *fisher(0), 100, 1).effective_share, 1, 1e-12);
}

// The other way round KL = log(4πc) + κ⟨t⟩, ⟨t⟩ = coth κ − 1/κ; and vMF(20) has ten times the uniform density
// where c e^{20 t} > 10/(4π), a share 1 − (e^{20 t₀} − e^{−20})/(2 sinh 20) of which is t > t₀.
TEST(TargetCover, OfTheUniformDensityIsAFormula) {
  const auto uniform = make_transport<double>(small_config("sphere:2"), 1, 2);
  for (double& p : uniform->parameters()) p = 0;
  const std::size_t n = kSanitized ? 5000 : 20000;
  for (const double kappa : {0.5, 20.0}) {
    const double c = kappa / (4 * pi * std::sinh(kappa));
    const TargetCover cover = cover_of(seen_as_density(*uniform), *fisher(kappa), n, 3);
    EXPECT_EQ(cover.draws, n);
    EXPECT_EQ(cover.failed, 0u);
    const double kl = std::log(4 * pi * c) + kappa * (1 / std::tanh(kappa) - 1 / kappa);
    EXPECT_NEAR(cover.forward_kl, kl, 4 * cover.standard_error);
    EXPECT_GT(cover.standard_error, 0);
    EXPECT_LT(cover.standard_error, 2 / std::sqrt(static_cast<double>(n)));
    const double reached = 10 / (4 * pi * c);  // e^{κ t₀}
    const double missed = kappa < 1 ? 0 : 1 - (reached - std::exp(-kappa)) / (2 * std::sinh(kappa));
    EXPECT_NEAR(cover.missed_share, missed, 2 / std::sqrt(static_cast<double>(n)));
  }
}

TEST(TargetCover, CountsWhatFailed) {
  FlowConfig config = small_config("sphere:2", 1e-6);
  config.solver.max_evaluations = 100;
  const auto flow = random_transport<double>(config, 2, 3);
  const TargetCover cover = cover_of(seen_as_density(*flow), *fisher(1), 300, 1);
  EXPECT_GT(cover.failed, 0u);
  EXPECT_GT(cover.draws, 0u);
  EXPECT_EQ(cover.draws + cover.failed, 300u);
  EXPECT_TRUE(std::isfinite(cover.forward_kl) && std::isfinite(cover.standard_error));
}

// Far out in the ball a double has a place that a float has not.
TEST(TargetCover, DrawsHaveAPlaceInTheModelsPrecision) {
  const auto target = parse_target<double>("wrapped-normal:sigma=40", parse_manifold<double>("ball:2"));
  const auto in_float = parse_manifold<float>("ball:2");
  const Points<float> drawn = target_draws(*in_float, *target, 200, 1, 0);
  EXPECT_GT(drawn.size(), 150u);
  EXPECT_LT(drawn.size(), 200u);
  for (std::size_t i = 0; i < drawn.size(); ++i) EXPECT_FALSE(in_float->defect(drawn[i]));
  EXPECT_NE(target_draws(*in_float, *target, 200, 1, 1).values, drawn.values);
  EXPECT_EQ(target_draws(*in_float, *target, 200, 1, 0).values, drawn.values);
}

/// Equal parts at the poles of the x axis.
std::shared_ptr<const Distribution<double>> two_modes(double kappa) {
  const std::string text = std::to_string(kappa);
  return parse_target<double>("0.5*vmf:mu=1;0;0,kappa=" + text + " + 0.5*vmf:mu=-1;0;0,kappa=" + text,
                              parse_manifold<double>("sphere:2"));
}

// One of two modes, fitted perfectly: reverse KL is ln 2 and every draw is worth a whole one; half the mass
// is missed all the same.
TEST(TargetCover, SeesTheModeThatReverseKlCannot) {
  MixtureParameters one;
  one.means = Points<double>(1, 3);
  one.means[0][0] = 1;
  one.weights = {1};
  one.kappas = {50};
  MixtureDensity model("sphere:2", one, 1);
  const auto target = two_modes(50);
  const TargetScore score = score_against(model, *target, 2000, 1);
  EXPECT_NEAR(score.reverse_kl, std::log(2.0), 1e-6);
  EXPECT_NEAR(score.effective_share, 1, 1e-6);
  const TargetCover cover = cover_of(model, *target, 2000, 1);
  EXPECT_NEAR(cover.missed_share, 0.5, 0.04);
  EXPECT_GT(cover.forward_kl, 20);
}

TEST(TargetScore, RefusesATargetFromElsewhere) {
  const auto torus = make_transport<double>(small_config("torus:2"), 1, 1);
  EXPECT_THROW(score_against(seen_as_density(*torus), *fisher(1), 10, 1), Error);
  EXPECT_THROW(cover_of(seen_as_density(*torus), *fisher(1), 10, 1), Error);
}

FitConfig to_target(ModelKind kind) {
  FitConfig config;
  config.flow = small_model(kind, "sphere:2", 1e-5);
  config.train.batch = 64;
  config.train.schedule.rate = 1e-2;
  config.iterations = 60;
  config.validate_every = 20;
  return config;
}

TEST(FitToATarget, ComesNearerAndGoesOnToTheSameBits) {
  for (const ModelKind kind : {ModelKind::riemannian, ModelKind::stereographic}) {
    const FitConfig config = to_target(kind);
    const auto flow = make_transport<float>(config.flow, 1, 2),
               again = make_transport<float>(config.flow, 1, 1);
    const double before = score_against(seen_as_density(*flow), *fisher(5), 500, 1).reverse_kl;
    Fit<float> fit(*flow, config, fisher(5), 200);
    for (int i = 0; i < 30; ++i) fit.step();
    const FitState<float> state = fit.state();
    while (!fit.done()) fit.step();
    fit.finish();
    EXPECT_LT(score_against(seen_as_density(*flow), *fisher(5), 500, 1).reverse_kl, 0.5 * before)
        << name_of(kind);

    Fit<float> rest(*again, config, fisher(5), 200);
    rest.restore(state);
    while (!rest.done()) rest.step();
    rest.finish();
    EXPECT_TRUE(
        std::equal(flow->parameters().begin(), flow->parameters().end(), again->parameters().begin()));
    EXPECT_EQ(fit.progress().best, rest.progress().best);
  }
}

// From rest, which is the uniform density, the first step's loss tells which way round it goes: E log t + log
// 4π over draws of the target, log 2κ − 1 − log 2 for two far modes, or −E log t − log 4π over uniform ones.
TEST(FitToATarget, BeginsOnDrawsOfTheTargetAndKeepsBothModes) {
  const double kappa = 20;
  const auto target = two_modes(kappa);
  FitConfig config = to_target(ModelKind::riemannian);
  config.train.batch = 400;
  for (const long start : {0L, 1L}) {
    config.forward_start = start;
    const auto flow = make_transport<float>(config.flow, 1, 1);
    for (float& p : flow->parameters()) p = 0;
    Fit<float> fit(*flow, config, target, 10);
    const double forward = std::log(2 * kappa) - 1 - std::log(2.0), loss = fit.step().loss;
    EXPECT_NEAR(start == 1 ? loss : forward, forward, 0.2);
    EXPECT_EQ(loss > 2 * forward, start == 0) << loss;
  }
  // Other draws in each step, and reverse KL after the last of them: at rest by so low a rate.
  config.forward_start = 2;
  config.train.schedule.rate = 1e-9;
  {
    const auto flow = make_transport<float>(config.flow, 1, 1);
    for (float& p : flow->parameters()) p = 0;
    Fit<float> fit(*flow, config, target, 10);
    const double one = fit.step().loss, two = fit.step().loss, three = fit.step().loss;
    // A hundredth of what a step found is in a mean; reverse KL is 5 nats higher.
    EXPECT_GT(std::abs(two - one), 1e-5);
    EXPECT_LT(std::abs(two - one), 0.005);
    EXPECT_GT(three - two, 0.02);
  }
  config.train.schedule.rate = 1e-2;
  config.train.batch = 64;
  config.flow.field.width = 16;
  config.flow.solver.rtol = config.flow.solver.atol = 1e-3;
  config.iterations = config.validate_every = config.forward_start = 100;
  const auto flow = make_transport<float>(config.flow, 1, 2);
  Fit<float> fit(*flow, config, target, 200);
  while (!fit.done()) fit.step();
  fit.finish();
  EXPECT_LT(cover_of(seen_as_density(*flow), *target, 500, 1).missed_share, 0.02);
}

}  // namespace
}  // namespace riemflow
