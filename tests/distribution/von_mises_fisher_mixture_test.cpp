#include "riemflow/distribution/von_mises_fisher_mixture.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;

Point direction(int d, std::uint64_t seed) {
  Random random(seed, Purpose::test, 2, 0);
  Point x;
  double square = 0;
  for (int i = 0; i <= d; ++i) {
    x.push_back(random.normal());
    square += x.back() * x.back();
  }
  for (double& x_i : x) x_i /= std::sqrt(square);
  return x;
}

MixtureParameters mixture(int d, const std::vector<double>& weights, const std::vector<double>& kappas,
                          std::uint64_t seed) {
  MixtureParameters p{Points<double>(weights.size(), d + 1), weights, kappas};
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Point mean = direction(d, seed + k);
    std::copy(mean.begin(), mean.end(), p.means[k].begin());
  }
  return p;
}

Points<double> as_points(const std::vector<Point>& list) {
  Points<double> points(list.size(), static_cast<int>(list[0].size()));
  for (std::size_t i = 0; i < list.size(); ++i) std::copy(list[i].begin(), list[i].end(), points[i].begin());
  return points;
}

TEST(VonMisesFisherMixture, MassIsOneOnTheCircleAndTheSphere) {
  for (const int d : {1, 2}) {
    for (const std::vector<double>& kappas :
         {std::vector<double>{0, 3, 40}, {0.5, 200, 1e3}, {1e-8, 1e4, 1}}) {
      // Weights of another sum are normalised.
      const VonMisesFisherMixture<double> p(mixture(d, {1, 2, 5}, kappas, 11));
      const auto manifold = parse_manifold<double>("sphere:" + std::to_string(d));
      CubatureOptions options;
      options.absolute = options.relative = 1e-9;
      options.evaluations = 4'000'000;
      const Integrand density = [&](const Points<double>& points, std::span<double> values) {
        const std::vector<double> log_p = p.log_prob(points);
        for (std::size_t i = 0; i < log_p.size(); ++i) values[i] = std::exp(log_p[i]);
      };
      const Integral mass = integrate(density, whole_manifold(*manifold, kReachDouble), d + 1, options);
      EXPECT_NEAR(mass.value, 1, 1e-8) << d << ' ' << mass.evaluations;
    }
  }
}

TEST(VonMisesFisherMixture, OneComponentIsVonMisesFisher) {
  for (const int d : {1, 2, 3, 10, 64}) {
    for (const double kappa : {0.0, 1e-6, 1.0, 50.0, 1e3, 1e6}) {
      const MixtureParameters one = mixture(d, {3}, {kappa}, 5);
      const auto mean = one.means[0];
      const Eigen::VectorXd mu = Eigen::Map<const Eigen::VectorXd>(mean.data(), d + 1);
      const VonMisesFisher<double> exact(mu, kappa);
      const VonMisesFisherMixture<double> p(one);
      std::vector<Point> points = draw<double>(exact, 3, 20);
      points.push_back(direction(d, 77));
      points.push_back(points[0]);
      for (double& x : points.back()) x = -x;
      const std::vector<double> batch = p.log_prob(as_points(points));
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double truth = log_density_at(exact, points[i]);
        const double bound = 1e-13 * (1 + std::abs(truth));
        EXPECT_NEAR(log_density_at(p, points[i]), truth, bound) << d << ' ' << kappa;
        EXPECT_NEAR(batch[i], truth, bound) << d << ' ' << kappa;
      }
    }
  }
}

TEST(VonMisesFisherMixture, IsTheWeightedSumOfItsComponents) {
  for (const int d : {1, 2, 7}) {
    const std::vector<double> weights = {0.2, 0.5, 0.3}, kappas = {2, 9, 30};
    const MixtureParameters parameters = mixture(d, weights, kappas, 21);
    const VonMisesFisherMixture<double> p(parameters);
    std::vector<Point> points;
    for (std::uint64_t i = 0; i < 40; ++i) points.push_back(direction(d, 100 + i));
    const std::vector<double> batch = p.log_prob(as_points(points));
    for (std::size_t i = 0; i < points.size(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto mean = parameters.means[k];
        const Eigen::VectorXd mu = Eigen::Map<const Eigen::VectorXd>(mean.data(), d + 1);
        sum += weights[k] * std::exp(log_density_at(VonMisesFisher<double>(mu, kappas[k]), points[i]));
      }
      EXPECT_NEAR(log_density_at(p, points[i]), std::log(sum), 1e-12);
      EXPECT_NEAR(batch[i], std::log(sum), 1e-12);
    }
  }
}

TEST(VonMisesFisherMixture, FarBetweenPeaksNothingUnderflows) {
  // Two peaks of κ = 1e6: halfway between them both are e^{−κ|x−μ|²/2} of their height, far below double's
  // range.
  MixtureParameters two{Points<double>(2, 3), {0.5, 0.5}, {1e6, 1e6}};
  two.means.values = {1, 0, 0, 0, 1, 0};
  const VonMisesFisherMixture<double> p(two);
  const double h = std::numbers::sqrt2 / 2;
  const double peak = std::log(1e6 / (2 * std::numbers::pi));
  const double expected = peak - 1e6 * (1 - h);  // ½ twice
  EXPECT_NEAR(log_density_at(p, {h, h, 0}), expected, 1e-9);
  EXPECT_NEAR(p.log_prob(as_points({{h, h, 0}}))[0], expected, 1e-9);
  EXPECT_NEAR(p.log_prob(as_points({{1, 0, 0}}))[0], peak - std::log(2), 1e-12);
  // A component of weight 0 is not there.
  two.weights = {1, 0};
  const VonMisesFisherMixture<double> one(two);
  EXPECT_NEAR(one.log_prob(as_points({{0, 1, 0}}))[0], peak - 1e6, 1e-9);
  EXPECT_NEAR(log_density_at(one, {0, 1, 0}), peak - 1e6, 1e-9);
}

TEST(VonMisesFisherMixture, FloatKeepsItsDigits) {
  const MixtureParameters parameters = mixture(2, {0.3, 0.7}, {1e6, 4}, 31);
  const VonMisesFisherMixture<float> rounded(parameters);
  const VonMisesFisherMixture<double> exact(parameters);
  for (Point x : draw<double>(exact, 8, 200)) {
    for (double& x_i : x) x_i = static_cast<float>(x_i);
    // The bound of distribution/von_mises_fisher.hpp at up to five deviations.
    EXPECT_NEAR(log_density_at(rounded, x), log_density_at(exact, x), 3e-3);
  }
}

TEST(VonMisesFisherMixture, GradientAgainstDifferences) {
  for (const int d : {1, 2, 9}) {
    const VonMisesFisherMixture<double> p(mixture(d, {1, 2, 1}, {0, 5, 60}, 41));
    for (std::uint64_t i = 0; i < 10; ++i) {
      const Point x = i < 5 ? direction(d, 200 + i) : draw<double>(p, i, 1)[0];
      const Point g = gradient_at(p, x);
      for (std::size_t c = 0; c < x.size(); ++c) {
        // Along the tangent e_c − x_c x, by a geodesic.
        Point e(x.size());
        double length = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
          e[j] = (j == c ? 1 : 0) - x[c] * x[j];
          length += e[j] * e[j];
        }
        length = std::sqrt(length);
        if (length < 1e-3) continue;
        double slope = 0;
        for (std::size_t j = 0; j < x.size(); ++j) slope += g[j] * (e[j] /= length);
        const double h = 1e-5;
        Point ahead(x), behind(x);
        for (std::size_t j = 0; j < x.size(); ++j) {
          ahead[j] = std::cos(h) * x[j] + std::sin(h) * e[j];
          behind[j] = std::cos(h) * x[j] - std::sin(h) * e[j];
        }
        EXPECT_NEAR(slope, (log_density_at(p, ahead) - log_density_at(p, behind)) / (2 * h), 1e-6);
      }
    }
  }
}

TEST(VonMisesFisherMixture, DrawsHaveTheRightMoments) {
  // E x = Σ w_k A(κ_k) μ_k, and E⟨x, μ_0⟩² = Σ w_k (q_k + (1 − (d+1) q_k)⟨μ_k, μ_0⟩²), q = A(κ)/κ the
  // variance across.
  for (const int d : {1, 2, 10}) {
    const std::vector<double> weights = {0.5, 0.4, 0, 0.1}, kappas = {3, 50, 5, 1e6};
    const MixtureParameters parameters = mixture(d, weights, kappas, 51);
    const VonMisesFisherMixture<double> p(parameters);
    const std::vector<Point> points = draw<double>(p, 6, 20000);
    Point mean(static_cast<std::size_t>(d) + 1);
    double square = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const auto mu = parameters.means[k];
      const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(mu.data(), d + 1);
      const double A = VonMisesFisher<double>(v, kappas[k]).mean_resultant_length(), q = A / kappas[k];
      double along = 0;
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] += weights[k] * A * mu[i];
        along += mu[i] * parameters.means[0][i];
      }
      square += weights[k] * (q + (1 - (d + 1) * q) * along * along);
    }
    for (std::size_t i = 0; i < mean.size(); ++i)
      EXPECT_LT(estimate(points, [&](const Point& x) { return x[i]; }).sigmas(mean[i]), 4) << d << ' ' << i;
    const auto along_first = [&](const Point& x) {
      double sum = 0;
      for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * parameters.means[0][i];
      return sum * sum;
    };
    EXPECT_LT(estimate(points, along_first).sigmas(square), 4) << d;
  }
}

TEST(VonMisesFisherMixture, SameBitsForAnyNumberOfThreads) {
  const VonMisesFisherMixture<double> p(mixture(2, {1, 2, 3, 4, 5}, {0, 1, 10, 100, 1e6}, 61));
  const Points<double> points = as_points(draw<double>(p, 7, 1001));
  Executor one(1), three(3);
  EXPECT_EQ(p.log_prob(points, &one), p.log_prob(points, &three));
  EXPECT_EQ(p.log_prob(points), p.log_prob(points, &three));
  std::vector<double> a(points.size()), b(points.size());
  const MixtureEvaluator evaluator(p.parameters());
  const MixtureSums s = evaluator.sums(points, a, &one), t = evaluator.sums(points, b, &three);
  EXPECT_EQ(a, p.log_prob(points));
  EXPECT_TRUE((s.mass == t.mass).all() && (s.drop == t.drop).all() && (s.resultant == t.resultant).all());
  EXPECT_EQ(s.log_likelihood, t.log_likelihood);
  EXPECT_NEAR(s.mass.sum(), 1001, 1e-9);
}

TEST(VonMisesFisherMixture, RejectsWhatIsNoMixture) {
  const auto with = [](const auto& change) {
    MixtureParameters p = mixture(2, {1, 1}, {1, 2}, 71);
    change(p);
    VonMisesFisherMixture<double>{p};
  };
  EXPECT_NO_THROW(with([](MixtureParameters&) {}));
  EXPECT_THROW(VonMisesFisherMixture<double>(MixtureParameters{}), Error);
  EXPECT_THROW(with([](MixtureParameters& p) { p.weights = {0, 0}; }), Error);
  EXPECT_THROW(with([](MixtureParameters& p) { p.weights[1] = -1; }), Error);
  EXPECT_THROW(with([](MixtureParameters& p) { p.weights.push_back(1); }), Error);
  EXPECT_THROW(with([](MixtureParameters& p) { p.kappas[0] = -1; }), Error);
  EXPECT_THROW(with([](MixtureParameters& p) { p.means[1][0] = std::numeric_limits<double>::quiet_NaN(); }),
               Error);
  const VonMisesFisherMixture<double> p(mixture(2, {1}, {1}, 72));
  EXPECT_THROW(p.log_prob(Points<double>(3, 4)), Error);
}

}  // namespace
}  // namespace riemflow
