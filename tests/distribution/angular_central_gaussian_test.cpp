#include "riemflow/distribution/angular_central_gaussian.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/distribution/closed_forms.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

Eigen::MatrixXd covariance_of(int D, std::uint64_t seed, double spread) {
  return symmetric_of(random_frame(D, seed), (spread * normal_vector(D, seed + 5)).array().exp().matrix());
}

TEST(AngularCentralGaussian, IntegratesToOne) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double spread : {0.0, 0.5, 2.0, 8.0})
      for (const int D : {2, 3}) {
        const Eigen::MatrixXd frame = random_frame(D, seed);
        Eigen::VectorXd lambda = (spread * normal_vector(D, seed + 5)).array().exp();
        std::sort(lambda.begin(), lambda.end());
        const AngularCentralGaussian p(symmetric_of(frame, lambda));
        const Eigen::VectorXd widths = (lambda / lambda[D - 1]).cwiseSqrt();
        EXPECT_NEAR(gnomonic_mass(p, frame, widths), 1, 1e-9) << D << ' ' << spread;
      }
  EXPECT_NEAR(mass_of(AngularCentralGaussian(covariance_of(4, 1, 0.7)), "sphere:3", 1e-6).value, 1, 1e-5);
}

TEST(AngularCentralGaussian, ValueIsTheFormulaAndItsSlope) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 6, 40}) {
      const Eigen::MatrixXd lambda = covariance_of(D, seed, 1);
      const AngularCentralGaussian p(lambda), scaled(1e-8 * lambda);
      const Eigen::VectorXd x = normal_vector(D, seed + 1).normalized();
      const Point at(x.begin(), x.end());
      const double log_area = std::log(2.0) + 0.5 * D * std::log(pi) - std::lgamma(0.5 * D);
      const Eigen::VectorXd solved = lambda.fullPivLu().solve(x);
      EXPECT_NEAR(log_density_at(p, at),
                  -log_area - 0.5 * std::log(lambda.determinant()) - 0.5 * D * std::log(x.dot(solved)),
                  1e-11 * D);
      EXPECT_NEAR(log_density_at(p, at), log_density_at(scaled, at), 1e-11 * D);
      const Eigen::VectorXd slope = -D * solved / x.dot(solved),
                            there = Eigen::Map<const Eigen::VectorXd>(gradient_at(p, at).data(), D);
      EXPECT_LT((slope - there).norm(), 1e-10 * slope.norm());
      expect_gradient(p, at, 1e-6, 1e-8);
    }
  const AngularCentralGaussian uniform(4 * Eigen::Matrix3d::Identity());
  EXPECT_NEAR(log_density_at(uniform, {0.6, 0, 0.8}), -std::log(4 * pi), 1e-14);
  EXPECT_NEAR(*uniform.entropy(), std::log(4 * pi), 1e-14);
}

TEST(AngularCentralGaussian, EntropyOnTheCircle) {
  // E log xᵀΛ⁻¹x on S¹ with Λ = diag(1, λ): −E log(z₁² + λz₂²) + E log|z|² = −2 log((1 + √λ)/2), as the mean
  // of log(cos² + λ sin²) over a circle, so that the entropy is log 2π + ½ log λ − 2 log((1 + √λ)/2).
  for (const double lambda : {1e-12, 1e-3, 0.5, 1.0, 7.0, 1e10}) {
    const AngularCentralGaussian p(Eigen::Vector2d(3, 3 * lambda).asDiagonal().toDenseMatrix());
    const double exact =
        std::log(2 * pi) + 0.5 * std::log(lambda) - 2 * std::log((1 + std::sqrt(lambda)) / 2);
    EXPECT_NEAR(*p.entropy(), exact, 1e-12 * (1 + std::abs(exact))) << lambda;
  }
}

TEST(AngularCentralGaussian, DrawsHaveTheEntropyAndTheMoments) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 6, 40})
      for (const double spread : {0.0, 1.0, 6.0}) {
        const Eigen::MatrixXd lambda = covariance_of(D, seed, spread);
        const AngularCentralGaussian p(lambda);
        expect_entropy_of_draws(p, seed, 3000);
        // E x xᵀ/(xᵀΛ⁻¹x) = Λ/D: L⁻¹x/|L⁻¹x| is uniform.
        const auto points = draw(p, seed, 3000);
        for (const Point& x : points) ASSERT_NEAR(dot(x, x), 1, 1e-13) << D << ' ' << spread;
        const Eigen::MatrixXd inverse = lambda.inverse();
        for (const int i : {0, D - 1})
          EXPECT_LT(estimate(points,
                             [&](const Point& x) {
                               const Eigen::Map<const Eigen::VectorXd> v(x.data(), D);
                               return v[0] * v[i] / v.dot(inverse * v) /
                                      std::sqrt(lambda(0, 0) * lambda(i, i));
                             })
                        .sigmas(lambda(0, i) / std::sqrt(lambda(0, 0) * lambda(i, i)) / D, 1e-9),
                    4.5)
              << D << ' ' << spread << ' ' << i;
      }
}

TEST(AngularCentralGaussian, DrawsFollowTheDensityInCells) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    EXPECT_LT(
        std::abs(chi_square_on_sphere(AngularCentralGaussian(covariance_of(3, seed, 0.8)), seed, 20000)), 4);
}

TEST(AngularCentralGaussian, FloatAgreesWithDouble) {
  const auto p = std::make_shared<const AngularCentralGaussian>(covariance_of(4, 3, 3));
  expect_float_agrees(p, draw(*p, 1, 20));
}

TEST(FitAngularCentralGaussian, SolvesItsEquationAndRecoversTheMatrix) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const int D : {2, 3, 6})
      for (const double spread : {0.0, 1.0, 5.0}) {
        const Eigen::MatrixXd lambda = covariance_of(D, seed, spread);
        const AngularCentralGaussian truth(lambda);
        const Points<double> points = points_of(draw(truth, seed, 4000));
        const Weights weights = random_weights(4000, seed);
        const AngularCentralGaussian fitted = fit_angular_central_gaussian(points, weights);
        EXPECT_NEAR(fitted.covariance().trace(), D, 1e-12);
        // The gradient of the mean log-likelihood by Λ⁻¹, in the frame of L: ½I − (D/2) Σ w y yᵀ/yᵀy.
        const Eigen::MatrixXd L = fitted.covariance().llt().matrixL();
        Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(D, D);
        for (std::size_t i = 0; i < points.size(); ++i) {
          const Eigen::VectorXd y =
              L.fullPivLu().solve(Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(points[i].data(), D)));
          sum += weights[i] / total_weight(weights, points.size()) * y * y.transpose() / y.squaredNorm();
        }
        EXPECT_LT((D * sum - Eigen::MatrixXd::Identity(D, D)).cwiseAbs().maxCoeff(), 1e-8)
            << D << ' ' << spread;
        const Eigen::MatrixXd ratio = L.inverse() * lambda * L.inverse().transpose();
        EXPECT_LT((ratio * D / ratio.trace() - Eigen::MatrixXd::Identity(D, D)).norm(), 0.25)
            << D << ' ' << spread;
        EXPECT_GT(mean_log_likelihood(fitted, points, weights), mean_log_likelihood(truth, points, weights));
      }
}

TEST(FitAngularCentralGaussian, RefusesWhatHasNoMaximum) {
  const Point a = {1, 0, 0}, b = {0, 1, 0}, c = {0.6, 0, 0.8}, e = {0.48, 0.6, 0.64}, f = {0, 0, 1};
  EXPECT_THROW(fit_angular_central_gaussian(Points<double>()), Error);
  EXPECT_THROW(fit_angular_central_gaussian(points_of({a, a, a, a})), Error);
  EXPECT_THROW(fit_angular_central_gaussian(points_of({a, b, c})), Error);        // no more than D
  EXPECT_THROW(fit_angular_central_gaussian(points_of({a, a, b, c, e})), Error);  // two of five in a line
  EXPECT_THROW(fit_angular_central_gaussian(points_of({a, c, f, c, f, b, e})),
               Error);  // five of seven in a plane
  EXPECT_NO_THROW(fit_angular_central_gaussian(points_of({a, b, c, e, {-0.5, 0.5, std::sqrt(0.5)}})));
  EXPECT_THROW(AngularCentralGaussian(Eigen::MatrixXd::Zero(3, 3)), Error);
  EXPECT_THROW(AngularCentralGaussian(Eigen::Matrix2d{{1, 2}, {2, 1}}), Error);
  EXPECT_THROW(AngularCentralGaussian(Eigen::Matrix2d{{1, 0.5}, {0, 1}}), Error);
}

}  // namespace
}  // namespace riemflow
