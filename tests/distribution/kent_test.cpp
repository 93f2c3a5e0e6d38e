#include "riemflow/distribution/kent.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <boost/math/special_functions/bessel.hpp>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/scaled_bessel.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "tests/distribution/closed_forms.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

TEST(ScaledBessel, AgreesWithBesselFunctions) {
  for (const double x : {0.0, 1e-12, 1e-5, 0.3, 2.0, 15.0, 29.999, 30.001, 80.0, 600.0}) {
    const ScaledBessel scaled = scaled_bessel(x);
    const double i0 = boost::math::cyl_bessel_i(0, x), i1 = boost::math::cyl_bessel_i(1, x);
    EXPECT_NEAR(scaled.log_i0, std::log(i0) - x, 1e-13 * (1 + x)) << x;
    EXPECT_NEAR(scaled.ratio, i1 / i0, 1e-14) << x;
    EXPECT_NEAR(scaled.drop, 1 - i1 / i0, 1e-14) << x;
    EXPECT_NEAR(scaled.ratio_x, x > 0 ? i1 / i0 / x : 0.5, 1e-14) << x;
  }
  // 1 − I₁/I₀ = 1/2x + 1/8x² + 1/8x³ + 25/128x⁴ + …
  for (const double x : {1e4, 1e8})
    EXPECT_NEAR(scaled_bessel(x).drop * 2 * x, 1 + 1 / (4 * x) * (1 + 1 / x * (1 + 25 / (16 * x))), 1e-13)
        << x;
}

/// c = 2π Σ_j Γ(j+½)/Γ(j+1) β^{2j} (κ/2)^{−2j−½} I_{2j+½}(κ) (Kent 1982), less e^κ.
double kent_series(double kappa, double beta) {
  double sum = 0;
  for (int j = 0; j < 400; ++j) {
    const double bessel = boost::math::cyl_bessel_i(2 * j + 0.5, kappa);
    if (bessel == 0) break;
    const double power = j == 0 ? 0 : 2 * j * std::log(beta);
    sum += std::exp(std::lgamma(j + 0.5) - std::lgamma(j + 1) + power - (2 * j + 0.5) * std::log(kappa / 2) +
                    std::log(bessel) - kappa);
  }
  return std::log(2 * pi * sum);
}

TEST(KentConstants, AgreeWithTheSeriesOfBesselFunctions) {
  for (const double kappa : {0.1, 1.0, 6.0, 40.0, 300.0})
    for (const double part : {1e-9, 0.1, 0.6, 0.95, 0.999, 1.3})
      EXPECT_NEAR(kent_constants(kappa, part * kappa / 2).log_mass, kent_series(kappa, part * kappa / 2),
                  2e-12 * (1 + kappa / 20))
          << kappa << ' ' << part;
}

TEST(KentConstants, MomentsAreSlopes) {
  for (const double kappa : {0.5, 20.0, 1e4, 1e6})
    for (const double part : {0.0, 0.5, 0.99, 1 - 1e-6}) {
      const double beta = part * kappa / 2, g = 1e-4 * (1 + kappa * (1 - part) / 2),
                   h = std::min(g, kappa / 2);
      const KentConstants constants = kent_constants(kappa, beta);
      const KentConstants up = kent_constants(kappa + h, beta), down = kent_constants(kappa - h, beta);
      EXPECT_NEAR(-(up.log_mass - down.log_mass) / (2 * h) / constants.means[0], 1, 1e-5)
          << kappa << ' ' << part;
      if (part == 0) continue;
      const double k = std::min(g, beta / 2);
      const KentConstants more = kent_constants(kappa, beta + k), less = kent_constants(kappa, beta - k);
      EXPECT_NEAR((more.log_mass - less.log_mass) / (2 * k) / constants.means[1], 1, 1e-5)
          << kappa << ' ' << part;
      EXPECT_NEAR((more.means[1] - less.means[1]) / (2 * k) / constants.covariance(1, 1), 1, 1e-5)
          << kappa << ' ' << part;
      EXPECT_NEAR((more.means[0] - less.means[0]) / (2 * k) / constants.covariance(0, 1), 1, 1e-5)
          << kappa << ' ' << part;
    }
}

TEST(Kent, IntegratesToOne) {
  for (const std::uint64_t seed : {1u})
    for (const double kappa : {0.0, 1.0, 30.0, 1e4, 1e6})
      for (const double part : {0.0, 0.5, 0.99, 1 - 1e-7}) {
        const Kent p(normal_vector(3, seed), normal_vector(3, seed + 1), kappa, part * kappa / 2);
        EXPECT_TRUE((p.frame().transpose() * p.frame()).isIdentity(1e-14));
        Eigen::Matrix3d axes = p.frame().rowwise().reverse();  // minor, major, mean
        const Eigen::Vector3d widths(1 / std::sqrt(1 + kappa + 2 * p.beta()),
                                     std::pow(1 + kappa - 2 * p.beta() + 2 * std::sqrt(p.beta()), -0.5), 1);
        EXPECT_NEAR(gnomonic_mass(p, axes, widths, 0.1), 1, 1e-9) << kappa << ' ' << part;
        if (kappa <= 30) {
          EXPECT_NEAR(mass_of(p, "sphere:2", 1e-7).value, 1, 1e-6) << kappa << ' ' << part;
        }
      }
}

TEST(Kent, WithoutOvalnessIsVonMisesFisher) {
  for (const double kappa : {0.0, 0.5, 20.0, 1e6}) {
    const Eigen::VectorXd mu = normal_vector(3, 4), x = normal_vector(3, 5).normalized();
    const Kent p(mu, normal_vector(3, 6), kappa, 0);
    const VonMisesFisher<double> same(mu, kappa);
    for (const Eigen::VectorXd& at : {Eigen::VectorXd(mu.normalized()), x})
      EXPECT_NEAR(log_density_at(p, {at[0], at[1], at[2]}), log_density_at(same, {at[0], at[1], at[2]}),
                  1e-13 * (10 + kappa));
    EXPECT_NEAR(*p.entropy(), *same.entropy(), 1e-12 * (1 + std::abs(*same.entropy())));
  }
}

TEST(Kent, ValueIsTheFormulaAndItsSlope) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double kappa : {0.3, 10.0, 1e3})
      for (const double part : {0.2, 0.95}) {
        const double beta = part * kappa / 2;
        const Kent p(normal_vector(3, seed), normal_vector(3, seed + 1), kappa, beta);
        const Eigen::Matrix3d G = p.frame();
        EXPECT_NEAR(G.col(0).dot(normal_vector(3, seed).normalized()), 1, 1e-14);
        EXPECT_GT(G.col(1).dot(normal_vector(3, seed + 1)), 0);
        const Eigen::Vector3d x = normal_vector(3, seed + 2).normalized(),
                              y = normal_vector(3, seed + 3).normalized();
        const auto formula = [&](const Eigen::Vector3d& v) {
          return kappa * G.col(0).dot(v) +
                 beta * (std::pow(G.col(1).dot(v), 2) - std::pow(G.col(2).dot(v), 2));
        };
        EXPECT_NEAR(log_density_at(p, {x[0], x[1], x[2]}) - log_density_at(p, {y[0], y[1], y[2]}),
                    formula(x) - formula(y), 1e-12 * (10 + kappa));
        expect_gradient(p, {x[0], x[1], x[2]}, 1e-5, 1e-8);
        const Eigen::Vector3d slope =
            kappa * G.col(0) + 2 * beta * (G.col(1) * G.col(1).dot(x) - G.col(2) * G.col(2).dot(x));
        const Eigen::Vector3d there =
            Eigen::Map<const Eigen::VectorXd>(gradient_at(p, {x[0], x[1], x[2]}).data(), 3);
        EXPECT_LT(((slope - x.dot(slope) * x) - (there - x.dot(there) * x)).norm(), 1e-12 * (10 + kappa));
      }
}

TEST(Kent, ConcentratedIsANormalDensity) {
  // Variances 1/(κ − 2β) and 1/(κ + 2β), to O(1/κ).
  const Kent p({0, 0, 1}, {1, 0, 0}, 1e6, 3e5);
  EXPECT_NEAR(log_density_at(p, {0, 0, 1}), 0.5 * std::log(4e5 * 1.6e6) - std::log(2 * pi), 1e-5);
  EXPECT_NEAR(*p.entropy(), 1 + std::log(2 * pi) - 0.5 * std::log(4e5 * 1.6e6), 1e-5);
}

TEST(Kent, DrawsHaveTheRightMomentsAndTheEntropy) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double kappa : {0.0, 0.5, 1.5, 10.0, 1e3, 1e6})
      for (const double part : {0.0, 0.6, 0.999}) {
        const Kent p(normal_vector(3, seed), normal_vector(3, seed + 1), kappa, part * kappa / 2);
        const auto points = draw(p, seed, 3000);
        const auto in_frame = [&](const Point& x, int a) {
          return p.frame().col(a).dot(Eigen::Map<const Eigen::VectorXd>(x.data(), 3));
        };
        for (const Point& x : points) ASSERT_NEAR(dot(x, x), 1, 1e-14);
        const auto drop = [&](const Point& x) {
          return 0.5 * (p.frame().col(0) - Eigen::Map<const Eigen::VectorXd>(x.data(), 3)).squaredNorm();
        };
        EXPECT_LT(estimate(points, drop).sigmas(p.moments()[0], 1e-15), 4.5) << kappa << ' ' << part;
        EXPECT_LT(estimate(points,
                           [&](const Point& x) {
                             return std::pow(in_frame(x, 1), 2) - std::pow(in_frame(x, 2), 2);
                           })
                      .sigmas(p.moments()[1], 1e-15),
                  4.5)
            << kappa << ' ' << part;
        for (const int a : {1, 2})
          EXPECT_LT(estimate(points, [&](const Point& x) { return in_frame(x, a); }).sigmas(0), 4.5);
        EXPECT_LT(estimate(points, [&](const Point& x) { return in_frame(x, 1) * in_frame(x, 2); }).sigmas(0),
                  4.5);
        expect_entropy_of_draws(p, seed + 10, 2000);
      }
}

TEST(Kent, DrawsFollowTheDensityInCells) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double kappa : {0.8, 3.0, 15.0})
      for (const double part : {0.3, 0.98}) {
        const Kent p(normal_vector(3, seed), normal_vector(3, seed + 1), kappa, part * kappa / 2);
        EXPECT_LT(std::abs(chi_square_on_sphere(p, seed, 20000)), 4) << kappa << ' ' << part << ' ' << seed;
      }
}

TEST(Kent, FloatAgreesWithDouble) {
  const auto p = std::make_shared<const Kent>(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(0, 0, 1), 1e6, 4.9e5);
  expect_float_agrees(p, draw(*p, 1, 20));
}

TEST(FitKent, RecoversParametersAndNoOtherIsMoreLikely) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double kappa : {3.0, 50.0, 1e4, 1e6})
      for (const double part : {0.3, 0.9}) {
        const Kent truth(normal_vector(3, seed), normal_vector(3, seed + 1), kappa, part * kappa / 2);
        const Points<double> points = points_of(draw(truth, seed, 10000));
        const Weights weights = random_weights(10000, seed);
        const Kent fitted = fit_kent(points, weights);
        EXPECT_NEAR(fitted.kappa() / kappa, 1, 0.1);
        EXPECT_NEAR(fitted.beta() / kappa, part / 2, 0.06);
        EXPECT_LT((fitted.frame().col(0) - truth.frame().col(0)).norm(),
                  0.15 / std::sqrt(kappa * (1 - part)));
        EXPECT_GT(std::abs(fitted.frame().col(1).dot(truth.frame().col(1))), 0.95);
        const double best = mean_log_likelihood(fitted, points, weights);
        EXPECT_GT(best, mean_log_likelihood(truth, points, weights));
        // The slopes along each of the five parameters vanish: likelihoods either way are less, and by as
        // much.
        const double width = 0.02 / std::sqrt(kappa);
        const auto expect_top = [&](const std::function<Kent(double)>& moved) {
          const double up = best - mean_log_likelihood(moved(1), points, weights),
                       down = best - mean_log_likelihood(moved(-1), points, weights);
          EXPECT_GT(up, 0) << kappa << ' ' << part;
          EXPECT_GT(down, 0) << kappa << ' ' << part;
          EXPECT_LT(std::abs(up - down), 0.1 * (up + down)) << kappa << ' ' << part;
        };
        const Eigen::Matrix3d G = fitted.frame();
        const double k = fitted.kappa(), b = fitted.beta();
        for (const int a : {1, 2})
          expect_top([&](double s) {
            return Kent(G.col(0) + s * width * G.col(a), G.col(1) - (a == 1 ? s * width : 0) * G.col(0), k,
                        b);
          });
        expect_top([&](double s) { return Kent(G.col(0), G.col(1) + s * 0.02 * G.col(2), k, b); });
        expect_top([&](double s) { return Kent(G.col(0), G.col(1), k + s * 0.01 * (k - 2 * b), b); });
        expect_top([&](double s) { return Kent(G.col(0), G.col(1), k, b + s * 0.005 * (k - 2 * b)); });
      }
}

TEST(FitKent, RefusesWhatHasNoMaximum) {
  EXPECT_THROW(fit_kent(Points<double>()), Error);
  EXPECT_THROW(fit_kent(points_of({{1, 0, 0}, {1, 0, 0}, {1, 0, 0}})), Error);
  EXPECT_THROW(fit_kent(points_of({{1, 0, 0}, {0.6, 0.8, 0}, {0.8, 0.6, 0}})), Error);  // a great circle
  EXPECT_THROW(fit_kent(points_of({{1, 0}, {0.6, 0.8}})), Error);
  try {  // two opposite ends
    const Kent end({0, 0, 1}, {1, 0, 0}, 50, 5);
    auto points = draw(end, 1, 400);
    for (std::size_t i = 0; i < points.size(); i += 2) points[i][2] *= -1;
    fit_kent(points_of(points));
    ADD_FAILURE() << "was fitted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("2 beta"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("Bingham"), std::string::npos) << e.what();
  }
  EXPECT_THROW(Kent({0, 0, 0}, {1, 0, 0}, 1, 0), Error);
  EXPECT_THROW(Kent({0, 0, 1}, {0, 0, -2}, 1, 0), Error);
  EXPECT_THROW(Kent({0, 0, 1}, {1, 0, 0}, 1, 0.5), Error);
  EXPECT_THROW(Kent({0, 0, 1}, {1, 0, 0}, 1, -0.1), Error);
  EXPECT_THROW(Kent({0, 0, 1}, {1, 0, 0}, NAN, 0), Error);
}

}  // namespace
}  // namespace riemflow
