#include "riemflow/model/mixture_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/whole.hpp"
#include "riemflow/model/mass.hpp"

namespace riemflow {
namespace {

/// Components of all widths in random places.
MixtureParameters mixture(int d, const std::vector<double>& kappas, std::uint64_t seed = 1) {
  MixtureParameters p{Points<double>(kappas.size(), d + 1), std::vector<double>(kappas.size()), kappas};
  Random random(seed, Purpose::test, 0, static_cast<std::uint64_t>(d));
  double total = 0;
  for (std::size_t k = 0; k < kappas.size(); ++k) {
    for (double& x : p.means[k]) x = random.normal();
    total += p.weights[k] = 0.2 + random.uniform();
  }
  for (double& w : p.weights) w /= total;
  return VonMisesFisherMixture<double>(p).parameters();
}

std::string sphere(int d) { return "sphere:" + std::to_string(d); }

TEST(MixtureDensity, IsTheMixture) {
  MixtureDensity density("sphere:2", mixture(2, {0, 3, 1e6}), 2);
  const Points<double> points = density.sample(500, 3).frames.back();
  const LogProb<double> scored = density.log_prob(points);
  const std::vector<double> exact = density.mixture().log_prob(points);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(scored.values[i], exact[i], 1e-8);
  EXPECT_TRUE(scored.summary.ok());
  EXPECT_EQ(scored.summary.points, 500u);
}

TEST(MixtureDensity, FloatPointsAreReadAsDirections) {
  // A float's rounding along the ray would change log p by κε; across it the point is another one.
  const MixtureDensity density("sphere:2", mixture(2, {3, 1e5}), 1);
  const Points<double> points = converted<double>(converted<float>(density.sample(200, 3).frames.back()));
  Points<double> same(points.size(), 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double square = 0;
    for (const double x : points[i]) square += x * x;
    for (std::size_t c = 0; c < 3; ++c) same[i][c] = points[i][c] / std::sqrt(square);
  }
  const LogProb<double> a = density.log_prob(points), b = density.log_prob(same);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(a.values[i], b.values[i], 1e-9);
}

TEST(MixtureDensity, OnASphereOfAnotherRadius) {
  MixtureDensity unit("sphere:2", mixture(2, {2, 50}), 1), large("sphere:2,K=0.25", mixture(2, {2, 50}), 1);
  const Points<double> points = unit.sample(50, 3).frames.back();
  const Points<double> scaled = large.sample(50, 3).frames.back();
  for (std::size_t i = 0; i < points.values.size(); ++i)
    EXPECT_NEAR(scaled.values[i], 2 * points.values[i], 1e-15);
  const LogProb<double> a = unit.log_prob(points), b = large.log_prob(scaled);
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(b.values[i], a.values[i] - std::log(4), 1e-12);
  EXPECT_NEAR(mixture_mass(large, {1e-6, 0}).integral.value, 1, 1e-6);
}

TEST(MixtureDensity, SameBitsForAnyNumberOfThreadsAndInPieces) {
  MixtureDensity one("sphere:3", mixture(3, {1, 20, 300}), 1), three("sphere:3", mixture(3, {1, 20, 300}), 3);
  const Points<double> whole = one.sample(1001, 5).frames.back();
  EXPECT_EQ(whole.values, three.sample(1001, 5).frames.back().values);
  EXPECT_EQ(one.log_prob(whole).values, three.log_prob(whole).values);
  Points<double> pieces;
  for (const auto& [first, n] : {std::pair<std::size_t, std::size_t>{0, 7}, {7, 600}, {607, 394}}) {
    const Points<double> piece = three.sample(n, 5, first).frames.back();
    pieces.values.insert(pieces.values.end(), piece.values.begin(), piece.values.end());
  }
  EXPECT_EQ(whole.values, pieces.values);
  EXPECT_NE(whole.values, one.sample(1001, 6).frames.back().values);
}

TEST(MixtureDensity, MassIsOneHoweverNarrowTheComponents) {
  for (const int d : {1, 2, 3, 7}) {
    MixtureDensity density(sphere(d), mixture(d, {0, 0.5, 10, 400, 1e4, 1e6}), 2);
    const Mass mass = mixture_mass(density, {1e-6, 0});
    EXPECT_NEAR(mass.integral.value, 1, 1e-6) << d;
    EXPECT_LT(mass.integral.error, 1e-6) << d;
    EXPECT_TRUE(mass.integral.converged) << d;
    EXPECT_EQ(mass.integral.failures, 0u) << d;
  }
}

TEST(MixtureDensity, MassAgreesWithOneThatKnowsNothingOfTheMixture) {
  // The shares say only where to look: twice the weight in one place is seen as such by both. Here a broad
  // mixture, which the general cubature resolves, on the sphere whose angles it uses.
  MixtureDensity density("sphere:2", mixture(2, {0.5, 10, 100}), 2);
  const Integral general = integrate(
      [&](const Points<double>& points, std::span<double> values) {
        const LogProb<double> scored = density.log_prob(points);
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(scored.values[i]);
      },
      whole_manifold(density.manifold(), kReachDouble), 3, {1e-8, 0});
  EXPECT_NEAR(mixture_mass(density, {1e-8, 0}).integral.value, general.value, 1e-8);
}

TEST(MixtureDensity, DrawsAreOfTheDensity) {
  // E_p(1/p) over the draws is the sphere's area: the broad component keeps 1/p bounded.
  MixtureDensity density("sphere:2", mixture(2, {0, 5, 60, 2000}), 2);
  const Points<double> points = density.sample(40000, 7).frames.back();
  double sum = 0, square = 0;
  for (const double value : density.log_prob(points).values) {
    sum += std::exp(-value);
    square += std::exp(-2 * value);
  }
  const double n = 40000, mean = sum / n, error = std::sqrt((square / n - mean * mean) / n);
  EXPECT_NEAR(mean, 4 * std::numbers::pi, 4 * error);
  EXPECT_LT(error, 0.2);
}

TEST(MixtureDensity, RefusesWhatIsNoSphere) {
  for (const char* manifold : {"torus:2", "ball:2", "euclidean:3", "sphere:2 x torus:1"}) {
    EXPECT_THROW(require_sphere(*Space(manifold)), Error) << manifold;
    EXPECT_THROW(MixtureDensity(manifold, mixture(2, {1}), 1), Error) << manifold;
  }
  EXPECT_THROW(MixtureDensity("sphere:3", mixture(2, {1}), 1), Error);
  MixtureDensity density("sphere:2", mixture(2, {1}), 1);
  Points<double> off(1, 3);
  off.values = {0.5, 0, 0};
  EXPECT_THROW(density.log_prob(off), Error);
  EXPECT_THROW(density.log_prob(Points<double>(1, 2)), Error);
}

}  // namespace
}  // namespace riemflow
