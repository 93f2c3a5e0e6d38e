#include "riemflow/distribution/watson.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/bingham.hpp"
#include "tests/distribution/closed_forms.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

double log_area_of_sphere(int d) {
  return std::log(2.0) + 0.5 * (d + 1) * std::log(pi) - std::lgamma(0.5 * (d + 1));
}

/// log ₁F₁(½; D/2; κ): its series for κ ≥ 0, Kummer's transformation for κ < 0.
double log_kummer_of_watson(int d, double kappa) {
  const double b = 0.5 * (d + 1), a = kappa < 0 ? b - 0.5 : 0.5, x = std::abs(kappa);
  long double term = 1, sum = 1;
  for (int k = 0; k < 10000 && (k < 2 * x + 20 || term > 1e-20L * sum); ++k)
    sum += term *= (a + k) / (b + k) * x / (k + 1.0L);
  return static_cast<double>(std::log(sum)) + std::min(kappa, 0.0);
}

TEST(WatsonConstants, AreKummersFunction) {
  for (const int d : {1, 2, 3, 9, 64, 1000})
    for (const double size : {0.0, 1e-8, 0.2, 3.0, 40.0, 900.0})
      for (const double kappa : {-size, size}) {
        const double exact = std::max(kappa, 0.0) - log_kummer_of_watson(d, kappa) - log_area_of_sphere(d);
        EXPECT_NEAR(watson_constants(d, kappa).log_peak, exact, 2e-13 * std::max(5.0, std::abs(exact)))
            << d << ' ' << kappa;
      }
}

TEST(WatsonConstants, AreThoseOfABinghamDistribution) {
  for (const int d : {1, 2, 3, 16, 64})
    for (const double kappa : {-1e8, -1e4, -30.0, -1.0, 1.0, 30.0, 1e4, 1e8}) {
      Eigen::VectorXd gaps = Eigen::VectorXd::Constant(d + 1, std::max(kappa, 0.0));
      gaps[0] = std::max(-kappa, 0.0);
      const BinghamConstants exact = bingham_constants(gaps);
      const WatsonConstants constants = watson_constants(d, kappa);
      EXPECT_NEAR(constants.log_peak, -exact.log_mass, 1e-12 * std::max(1.0, std::abs(exact.log_mass)))
          << d << ' ' << kappa;
      const double spread = kappa > 0 ? exact.squares.tail(d).sum() : exact.squares[0];
      EXPECT_NEAR(constants.spread / spread, 1, 1e-12) << d << ' ' << kappa;
      const double square = kappa > 0 ? exact.products.bottomRightCorner(d, d).sum() : exact.products(0, 0);
      EXPECT_NEAR(constants.variance / (square - spread * spread), 1, 1e-9) << d << ' ' << kappa;
    }
}

TEST(WatsonConcentration, InvertsTheMeanSquare) {
  for (const int d : {1, 2, 3, 16, 300})
    for (const double size : {1e-3, 0.3, 5.0, 200.0, 1e6, 1e9})
      for (const double kappa : {-size, size}) {
        const WatsonConstants constants = watson_constants(d, kappa);
        const double small = constants.spread, square = kappa > 0 ? 1 - small : small,
                     rest = kappa > 0 ? small : 1 - small;
        // Of near 0 the excess over 1/D has the digits that its cancellation leaves.
        EXPECT_NEAR(watson_concentration(d, square, rest) / kappa, 1, 1e-11 + 1e-13 * d * d / size)
            << d << ' ' << kappa;
      }
  EXPECT_EQ(watson_concentration(3, 0.25, 0.75), 0);
}

TEST(Watson, IntegratesToOne) {
  for (const std::uint64_t seed : {1u, 2u})
    for (const double kappa : {-1e6, -300.0, -2.0, 0.0, 1e-6, 2.0, 300.0, 1e6}) {
      for (const int D : {2, 3}) {
        const Eigen::VectorXd axis = normal_vector(D, seed);
        const Watson p(axis, kappa);
        Eigen::MatrixXd frame = random_frame(D, seed + 3);
        frame.col(D - 1) = axis;
        frame = Eigen::HouseholderQR<Eigen::MatrixXd>(frame.rowwise().reverse()).householderQ() *
                Eigen::MatrixXd::Identity(D, D);  // the axis first
        Eigen::VectorXd widths = Eigen::VectorXd::Constant(D, 1 / std::sqrt(1 + std::abs(kappa)));
        if (kappa > 0) frame = frame.rowwise().reverse().eval();
        if (kappa < 0) widths[D - 2] = D == 3 ? 1 : widths[0];
        EXPECT_NEAR(gnomonic_mass(p, frame, widths), 1, 1e-10) << D << ' ' << kappa;
      }
    }
  EXPECT_NEAR(mass_of(Watson(Eigen::Vector4d(1, 2, 3, 4), 5), "sphere:3", 1e-6).value, 1, 1e-5);
  EXPECT_NEAR(mass_of(Watson(Eigen::Vector4d(1, 2, 3, 4), -5), "sphere:3", 1e-6).value, 1, 1e-5);
}

TEST(Watson, IsTheBinghamDistributionOfItsAxis) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 4, 17})
      for (const double kappa : {-300.0, -1.0, 0.5, 60.0}) {
        const Eigen::VectorXd mu = normal_vector(D, seed).normalized(),
                              x = normal_vector(D, seed + 1).normalized();
        const Watson p(7 * mu, kappa);
        const Bingham same(symmetric_of(mu, Eigen::VectorXd::Constant(1, kappa)));
        const Point at(x.begin(), x.end());
        EXPECT_NEAR(log_density_at(p, at), log_density_at(same, at), 1e-12 * (10 + std::abs(kappa)));
        EXPECT_NEAR(*p.entropy(), *same.entropy(), 1e-11 * (1 + D));
        const Eigen::VectorXd slope = 2 * kappa * mu.dot(x) * mu,
                              there = Eigen::Map<const Eigen::VectorXd>(gradient_at(p, at).data(), D);
        EXPECT_LT(((slope - x.dot(slope) * x) - (there - x.dot(there) * x)).norm(),
                  1e-11 * (1 + std::abs(kappa)));
        expect_gradient(p, at, 1e-5, 1e-8);
      }
}

TEST(Watson, DrawsHaveTheRightMoments) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 5, 17, 100})
      for (const double kappa : {-1e7, -20.0, -0.5, 0.0, 0.5, 20.0, 1e7}) {
        const Eigen::VectorXd mu =
            (seed == 3 ? Eigen::VectorXd(-Eigen::VectorXd::Unit(D, 0)) : normal_vector(D, seed)).normalized();
        const Watson p(mu, kappa);
        const auto points = draw(p, seed, D > 50 ? 500 : 2000);
        for (const Point& x : points) ASSERT_NEAR(dot(x, x), 1, 1e-13) << D << ' ' << kappa;
        const auto along = [&](const Point& x) {
          return mu.dot(Eigen::Map<const Eigen::VectorXd>(x.data(), D));
        };
        // What is small, without cancellation.
        const auto small = [&](const Point& x) {
          const Eigen::Map<const Eigen::VectorXd> v(x.data(), D);
          return kappa > 0 ? (v - along(x) * mu).squaredNorm() : along(x) * along(x);
        };
        const WatsonConstants constants = watson_constants(D - 1, kappa);
        EXPECT_LT(estimate(points, small).sigmas(constants.spread, 1e-15), 4.5) << D << ' ' << kappa;
        EXPECT_LT(estimate(points, [&](const Point& x) { return std::pow(small(x) - constants.spread, 2); })
                      .sigmas(constants.variance, 1e-25),
                  4.5)
            << D << ' ' << kappa;
        EXPECT_LT(estimate(points, along).sigmas(0), 4.5);
        expect_entropy_of_draws(p, seed + 10, 500);
      }
}

TEST(Watson, DrawsFollowTheDensityInCells) {
  for (const std::uint64_t seed : {1u, 2u})
    for (const double kappa : {-8.0, 1.0, 10.0})
      EXPECT_LT(std::abs(chi_square_on_sphere(Watson(normal_vector(3, seed), kappa), seed, 20000)), 4)
          << kappa;
}

TEST(Watson, FloatAgreesWithDouble) {
  for (const double kappa : {-1e6, 1e6}) {
    const auto p = std::make_shared<const Watson>(normal_vector(4, 2), kappa);
    expect_float_agrees(p, draw(*p, 1, 20));
  }
}

TEST(FitWatson, RecoversBothSignsAndNoOtherIsMoreLikely) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 8})
      for (const double kappa : {-1e6, -30.0, -4.0, 4.0, 30.0, 1e6}) {
        const Watson truth(normal_vector(D, seed), kappa);
        const Points<double> points = points_of(draw(truth, seed, 4000));
        const Weights weights = random_weights(4000, seed);
        const Watson fitted = fit_watson(points, weights);
        // On the circle both signs are the same densities about axes at right angles.
        if (D > 2) {
          EXPECT_NEAR(fitted.kappa() / kappa, 1, 0.2) << D << ' ' << kappa;
          EXPECT_GT(std::abs(fitted.axis().dot(truth.axis())), 0.98) << D << ' ' << kappa;
        } else {
          EXPECT_NEAR(std::abs(fitted.kappa() / kappa), 1, 0.2) << kappa;
        }
        const double best = mean_log_likelihood(fitted, points, weights);
        EXPECT_NEAR(best, -*fitted.entropy(), 1e-9 * (1 + std::abs(best)));
        EXPECT_GT(best, mean_log_likelihood(truth, points, weights));
        const double width = 1 / std::sqrt(std::abs(kappa));
        for (const double part : {-0.01, 0.01}) {
          EXPECT_GT(best,
                    mean_log_likelihood(Watson(fitted.axis(), fitted.kappa() * (1 + part)), points, weights));
          EXPECT_GT(best,
                    mean_log_likelihood(
                        Watson(fitted.axis() + part * width * normal_vector(D, seed + 50), fitted.kappa()),
                        points, weights));
        }
      }
}

TEST(FitWatson, RefusesWhatHasNoMaximum) {
  EXPECT_THROW(fit_watson(Points<double>()), Error);
  EXPECT_THROW(fit_watson(points_of({{1, 0, 0}, {1, 0, 0}, {-1, 0, 0}})), Error);
  EXPECT_THROW(fit_watson(points_of({{1, 0, 0}, {0, 1, 0}, {0.6, 0.8, 0}})), Error);  // a great circle
  EXPECT_NO_THROW(fit_watson(points_of({{1, 0, 0}, {0, 1, 0}, {0.6, 0, 0.8}})));
  EXPECT_THROW(Watson(Eigen::Vector3d::Zero(), 1), Error);
  EXPECT_THROW(Watson(Eigen::Vector3d(0, 0, 1), INFINITY), Error);
  EXPECT_THROW(Watson(Eigen::VectorXd::Ones(1), 1), Error);
}

}  // namespace
}  // namespace riemflow
