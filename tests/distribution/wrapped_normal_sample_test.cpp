#include "riemflow/distribution/wrapped_normal.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/distribution/wrapped_normal_textbook.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

double log_sinhc(double x) { return x < 1e-4 ? x * x / 6 : x + std::log(-std::expm1(-2 * x) / (2 * x)); }

TEST(WrappedNormal, EntropyByPolarQuadrature) {
  // Isotropic: ∫ log(sinh(√c σt)/(√c σt)) χ_d(t) dt.
  for (const int d : {2, 3, 7}) {
    for (const double sigma : {0.01, 0.5, 1.0, 3.0, 40.0}) {
      for (const double K : {-1.0, -0.3}) {
        const double expectation = integral(
            [&](double t) {
              return log_sinhc(std::sqrt(-K) * sigma * t) *
                     std::exp((d - 1) * std::log(t) - t * t / 2 - (0.5 * d - 1) * std::log(2.0) -
                              std::lgamma(0.5 * d));
            },
            0, 14, 30);
        const double entropy =
            0.5 * d * std::log(2 * pi * std::numbers::e * sigma * sigma) + (d - 1) * expectation;
        const WrappedNormal<double> p(d, K, Eigen::VectorXd::Zero(d),
                                      sigma * sigma * Eigen::MatrixXd::Identity(d, d));
        EXPECT_NEAR(*p.entropy(), entropy, 1e-12 * (1 + std::abs(entropy))) << d << ' ' << sigma << ' ' << K;
      }
    }
  }
  // Anisotropic in two dimensions: over the angle too.
  for (const double ratio : {0.02, 0.5, 0.9}) {
    const double major = 1.7, minor = ratio * major;
    const double expectation = integral(
        [&](double t) {
          return t * std::exp(-t * t / 2) *
                 integral(
                     [&](double angle) {
                       return log_sinhc(t * std::hypot(major * std::cos(angle), minor * std::sin(angle)));
                     },
                     0, pi / 2, 8) *
                 2 / pi;
        },
        0, 14, 30);
    const Eigen::Rotation2Dd turn(0.7);
    const Eigen::MatrixXd covariance = turn.toRotationMatrix() *
                                       Eigen::Vector2d(major * major, minor * minor).asDiagonal() *
                                       turn.toRotationMatrix().transpose();
    const WrappedNormal<double> p(2, -1, Eigen::Vector2d(0.3, 0.1),
                                  (covariance + covariance.transpose()) / 2);
    EXPECT_NEAR(*p.entropy(), 1 + std::log(2 * pi * major * minor) + expectation, 1e-11) << ratio;
  }
}

template <class T>
void expect_right_draws(const Case& c, std::uint64_t seed, int n) {
  const auto p = c.template make<T>();
  const auto points = draw<T>(p, seed, n);
  const std::string which = label(c) + " seed " + std::to_string(seed);
  EXPECT_LT(estimate(points, [&](const Point& x) { return -log_density_at(p, x); }).sigmas(*p.entropy()), 4.5)
      << which;

  // L⁻¹v is standard normal.
  const Eigen::MatrixXd whiten = Eigen::MatrixXd(c.covariance.llt().matrixL()).inverse();
  std::vector<Point> white;
  for (const Point& x : points) {
    const Eigen::VectorXd w =
        whiten * c.template tangent<long double>(vector_of(x).cast<long double>()).cast<double>();
    white.emplace_back(w.begin(), w.end());
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(c.d); ++i) {
    EXPECT_LT(estimate(white, [&](const Point& w) { return w[i]; }).sigmas(0), 4.5) << which;
    EXPECT_LT(estimate(white, [&](const Point& w) { return std::pow(w[i], 4); }).sigmas(3), 4.5) << which;
    for (std::size_t j = 0; j <= i; ++j)
      EXPECT_LT(estimate(white, [&](const Point& w) { return w[i] * w[j]; }).sigmas(i == j ? 1 : 0), 4.5)
          << which;
  }
}

TEST(WrappedNormalSample, DrawsHaveTheRightLawInDouble) {
  for (const Case& c : cases({1, 2, 3}))
    for (const std::uint64_t seed : {1u, 2u, 3u}) expect_right_draws<double>(c, seed, 4000);
}

TEST(WrappedNormalSample, DrawsHaveTheRightLawInFloat) {
  for (const Case& c : cases({1, 2}))
    for (const std::uint64_t seed : {4u, 5u}) expect_right_draws<float>(c, seed, 4000);
}

template <class T>
void expect_inside(double sigma) {
  for (const int d : {1, 2, 4, 64}) {
    for (const double K : {-1.0, -0.3, -4.0}) {
      const WrappedNormal<T> p(d, K, at_distance(K, 2, Eigen::VectorXd::Ones(d)),
                               sigma * sigma * Eigen::MatrixXd::Identity(d, d));
      std::vector<Pack<T>> x(static_cast<std::size_t>(d));
      for (std::uint64_t i = 0; i < 200; ++i) {
        Random random(6, Purpose::test, 0, i);
        for (int lane = 0; lane < kLanes; ++lane) p.sample(random, x.data(), lane);
        const Pack<T> b = Pack<T>(1) - Pack<T>(-K) * riemflow::dot(d, x.data(), x.data());
        const Pack<T> log_density = p.log_density(x.data());
        for (int lane = 0; lane < kLanes; ++lane) {
          ASSERT_GT(b[lane], 0) << d << ' ' << K;
          ASSERT_TRUE(std::isfinite(log_density[lane])) << d << ' ' << K;
        }
      }
    }
  }
}

TEST(WrappedNormalSample, DrawsStayInsideHoweverFarOut) {
  expect_inside<float>(30);
  expect_inside<double>(100);
}

}  // namespace
}  // namespace riemflow
