#include "riemflow/flow/chart_flow.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/model/mass.hpp"
#include "tests/flow/transports.hpp"

namespace riemflow {
namespace {

using namespace test;

struct ChartCase {
  ModelKind kind;
  const char* manifold;
};
constexpr ChartCase kEverywhere[] = {{ModelKind::stereographic, "sphere:1"},
                                     {ModelKind::stereographic, "sphere:2"},
                                     {ModelKind::stereographic, "sphere:2,K=0.5"},
                                     {ModelKind::wrapped, "ball:1"},
                                     {ModelKind::wrapped, "ball:2"},
                                     {ModelKind::wrapped, "ball:2,K=-0.5"}};

TEST(ChartFlow, MassIsOne) {
  for (const ChartCase& c : kEverywhere) {
    const auto model = random_transport<double>(small_model(c.kind, c.manifold), 3);
    CubatureOptions options;
    options.absolute = 1e-4;
    options.evaluations = 60000;
    const Mass mass = flow_mass(*model, {options});
    EXPECT_NEAR(mass.integral.value, 1, 2e-4) << c.manifold;
    EXPECT_TRUE(mass.integral.converged) << c.manifold;
  }
}

TEST(ChartFlow, MassBeyondThreeDimensions) {
  for (const ChartCase& c :
       {ChartCase{ModelKind::stereographic, "sphere:5"}, ChartCase{ModelKind::wrapped, "ball:4"}}) {
    const Mass mass = flow_mass(*random_transport<double>(small_model(c.kind, c.manifold), 5), {{}, 60});
    EXPECT_TRUE(mass.from_samples);
    EXPECT_NEAR(mass.integral.value, 1, 1e-4) << c.manifold;
  }
}

// A density of R² as if the ball were all of it: what lies outside is missing.
TEST(ChartFlow, TheNaiveModelLosesWhatLiesOutside) {
  FlowConfig config = small_model(ModelKind::naive, "ball:2");
  const auto model = make_transport<double>(config, 1, 2);
  for (double& p : model->parameters()) p = 0;  // the standard normal: P(|y| < 1) = 1 − e^{−1/2}
  CubatureOptions options;
  options.absolute = 1e-5;
  const double inside = 1 - std::exp(-0.5);
  EXPECT_NEAR(flow_mass(*model, {options}).integral.value, inside, 1e-4);
  EXPECT_NEAR(flow_mass(model->coordinates(), {options}).integral.value, 1, 1e-4);
  const std::size_t n = 4000;
  const Carried<double> drawn = model->sample(n, 7);
  const double lost = static_cast<double>(drawn.summary.failures.size()) / n;
  EXPECT_NEAR(lost, 1 - inside, 4 * std::sqrt(inside * (1 - inside) / n));
  for (const Failure& failure : drawn.summary.failures) {
    EXPECT_EQ(failure.status, Status::off_chart);
    EXPECT_TRUE(std::isnan(drawn.frames[0][failure.point][0]));
  }
  // At the origin λ = 2: half the plane's density in each direction.
  EXPECT_NEAR(model->log_prob(Points<double>(1, 2)).values[0], -std::log(2 * std::numbers::pi) - std::log(4),
              1e-12);
}

TEST(ChartFlow, SamplesComeBackToTheBase) {
  for (const ChartCase& c : kEverywhere) {
    for (const std::uint64_t seed : {1u, 2u}) {
      const auto model = random_transport<double>(small_model(c.kind, c.manifold, 1e-8), seed);
      const Points<double> start = model->sample_base(100, 9), end = model->sample(100, 9).frames.back();
      const LogProb<double> scored = model->log_prob(end);
      EXPECT_TRUE(scored.summary.ok());
      EXPECT_LT(largest_distance(model->manifold(), scored.base_points, start), 1e-5) << c.manifold;
      EXPECT_LT(largest_distance(model->manifold(), model->pull(end, 5).frames.back(), start), 1e-5);
      EXPECT_LT(largest_distance(model->manifold(), model->push(start, 5).frames.back(), end), 1e-6);
    }
  }
}

TEST(ChartFlow, PiecesOfASampleAreTheSample) {
  const auto model = random_transport<float>(small_model(ModelKind::stereographic, "sphere:2", 1e-4), 1);
  const Points<float> whole = model->sample(48, 3).frames[0], tail = model->sample(32, 3, 16).frames[0];
  EXPECT_EQ(slice(whole, 16, 32).values, tail.values);
}

TEST(ChartFlow, GradientOfTheLikelihood) {
  for (const ChartCase& c : {kEverywhere[1], kEverywhere[5], ChartCase{ModelKind::naive, "ball:2"}}) {
    auto model = random_transport<double>(small_model(c.kind, c.manifold, 1e-9), 4, 1);
    // Points well inside the ball, for the naive model.
    Points<double> points =
        model->manifold().ambient() == 3 ? model->sample_base(20, 5) : Points<double>(20, 2);
    if (model->manifold().ambient() == 2)
      for (std::size_t i = 0; i < 40; ++i) points.values[i] = 0.6 * std::sin(static_cast<double>(i + 1));
    const GradientErrors errors = gradient_errors(*model, points, 7);
    EXPECT_LT(errors.value, 1e-7) << c.manifold;
    EXPECT_LT(errors.gradient, 1e-5) << c.manifold;
  }
}

// KL(model ‖ target) over fixed base draws, against differences of log p − log target at the draws
// themselves.
TEST(ChartFlow, GradientOfTheReverseDivergence) {
  const auto check = [](ModelKind kind, const char* manifold,
                        std::shared_ptr<const Distribution<double>> target) {
    auto model = random_transport<double>(small_model(kind, manifold, 1e-9), 6, 1);
    const auto divergence = [&] {
      const Points<double> x = model->sample(24, 11).frames[0];
      const LogProb<double> own = model->log_prob(x);
      double sum = 0;
      std::vector<Pack<double>> tile(static_cast<std::size_t>(x.dimension));
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t k = 0; k < tile.size(); ++k) tile[k] = Pack<double>(x[i][k]);
        sum += own.values[i] - target->log_density(tile.data())[0];
      }
      return sum / 24;
    };
    std::vector<double> gradient(model->parameters().size());
    const Loss loss = model->gradient_of(ReverseKlBatch{24, target}, gradient, {{11, 0}, 0});
    EXPECT_NEAR(loss.total, divergence(), 1e-6) << manifold;
    double largest = 0;
    for (const double g : gradient) largest = std::max(largest, std::abs(g));
    for (std::size_t i = 0; i < gradient.size(); i += 23) {
      double& p = model->parameters()[i];
      const double kept = p, h = 1e-5;
      p = kept + h;
      const double up = divergence();
      p = kept - h;
      const double down = divergence();
      p = kept;
      EXPECT_NEAR((up - down) / (2 * h), gradient[i], 2e-5 * largest) << manifold << ' ' << i;
    }
  };
  check(ModelKind::stereographic, "sphere:2",
        std::make_shared<VonMisesFisher<double>>(Eigen::Vector3d(-1, 0, 0), 10));
  check(ModelKind::wrapped, "ball:2",
        std::make_shared<WrappedNormal<double>>(2, -1, Eigen::Vector2d(0.6, 0), Eigen::Matrix2d::Identity()));
}

TEST(ChartFlow, TheProjectionPoint) {
  const auto model = random_transport<double>(small_model(ModelKind::stereographic, "sphere:2"), 1);
  Points<double> points(3, 3);
  points.values = {1, 0, 0, -1, 0, 0, 0, 0, 1};
  const LogProb<double> scored = model->log_prob(points);
  EXPECT_TRUE(scored.summary.ok());
  EXPECT_TRUE(std::isfinite(scored.values[0]) && std::isfinite(scored.values[2]));
  EXPECT_EQ(scored.values[1], -std::numeric_limits<double>::infinity());
  // Towards it the density falls to that.
  Points<double> near(2, 3);
  near.values = {-std::cos(1e-2), std::sin(1e-2), 0, -std::cos(1e-3), std::sin(1e-3), 0};
  const std::vector<double> values = model->log_prob(near).values;
  EXPECT_LT(values[0], -1e3);
  EXPECT_LT(values[1], -1e5);
  // It cannot be learned from, and does not keep the others from it.
  std::vector<double> gradient(model->parameters().size());
  const Loss loss = model->gradient_of(LikelihoodBatch{points}, gradient);
  ASSERT_EQ(loss.summary.failures.size(), 1u);
  EXPECT_EQ(loss.summary.failures[0].point, 1u);
  EXPECT_EQ(loss.summary.failures[0].status, Status::off_chart);
  EXPECT_NEAR(loss.total, -(scored.values[0] + scored.values[2]) / 2, 1e-5);
  const Carried<double> path = model->pull(points, 3);
  ASSERT_EQ(path.summary.failures.size(), 1u);
  EXPECT_TRUE(std::isnan(path.frames[2][1][0]));
  EXPECT_TRUE(std::isfinite(path.frames[2][2][0]));
}

TEST(ChartFlow, FloatIsNearDouble) {
  for (const ChartCase& c : {kEverywhere[1], kEverywhere[4]}) {
    const auto exact = random_transport<double>(small_model(c.kind, c.manifold, 1e-6), 3, 1.5);
    const auto model = random_transport<float>(small_model(c.kind, c.manifold, 1e-6), 3, 1.5);
    const Points<float> points = model->sample(64, 4).frames[0];
    Points<double> same(64, points.dimension);
    std::copy(points.values.begin(), points.values.end(), same.values.begin());
    const std::vector<double> truth = log_density_at(*exact, same);
    const LogProb<float> own = model->log_prob(points);
    for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(own.values[i], truth[i], 2e-3) << c.manifold;
  }
}

TEST(ChartFlow, Refuses) {
  const auto message = [](ModelKind kind, const char* manifold) -> std::string {
    try {
      make_transport<double>(small_model(kind, manifold), 1, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(ModelKind::wrapped, "sphere:2").find("no wrapped chart"), std::string::npos);
  EXPECT_NE(message(ModelKind::naive, "sphere:2"), "");
  EXPECT_NE(message(ModelKind::stereographic, "ball:2"), "");
  EXPECT_NE(message(ModelKind::stereographic, "torus:2"), "");
  EXPECT_NE(message(ModelKind::vmf_mixture, "sphere:2").find("no flow"), std::string::npos);
  const auto naive = make_transport<double>(small_model(ModelKind::naive, "ball:2"), 1, 1);
  EXPECT_THROW(naive->check_target(WrappedNormal<double>::standard(2, -1)), Error);
  Points<double> off(1, 3);
  off.values = {1, 1, 1};
  EXPECT_THROW(make_transport<double>(small_model(ModelKind::stereographic, "sphere:2"), 1, 1)->log_prob(off),
               Error);
}

}  // namespace
}  // namespace riemflow
