#include "riemflow/train/target_score.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/density/von_mises_fisher.hpp"
#include "riemflow/train/fit.hpp"
#include "tests/engine/transports.hpp"
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
    const TargetScore score = score_against(*uniform, *fisher(kappa), n, 3);
    EXPECT_EQ(score.draws, n);
    EXPECT_EQ(score.failed, 0u);
    EXPECT_NEAR(score.reverse_kl, -std::log(4 * pi * c), 4 * score.standard_error);
    EXPECT_NEAR(score.standard_error, kappa / std::sqrt(3.0 * n), 0.02 * kappa / std::sqrt(3.0 * n));
    const double share = 1 / (std::pow(4 * pi * c, 2) * std::sinh(2 * kappa) / (2 * kappa));
    EXPECT_NEAR(score.effective_share, share, 0.02 * share);
  }
  EXPECT_NEAR(score_against(*uniform, *fisher(0), 100, 1).effective_share, 1, 1e-12);
}

TEST(TargetScore, RefusesATargetFromElsewhere) {
  const auto torus = make_transport<double>(small_config("torus:2"), 1, 1);
  EXPECT_THROW(score_against(*torus, *fisher(1), 10, 1), Error);
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
    const double before = score_against(*flow, *fisher(5), 500, 1).reverse_kl;
    Fit<float> fit(*flow, config, fisher(5), 200);
    for (int i = 0; i < 30; ++i) fit.step();
    const FitState<float> state = fit.state();
    while (!fit.done()) fit.step();
    fit.finish();
    EXPECT_LT(score_against(*flow, *fisher(5), 500, 1).reverse_kl, 0.5 * before) << name_of(kind);

    Fit<float> rest(*again, config, fisher(5), 200);
    rest.restore(state);
    while (!rest.done()) rest.step();
    rest.finish();
    EXPECT_TRUE(
        std::equal(flow->parameters().begin(), flow->parameters().end(), again->parameters().begin()));
    EXPECT_EQ(fit.progress().best, rest.progress().best);
  }
}

}  // namespace
}  // namespace riemflow
