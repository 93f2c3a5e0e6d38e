#include "riemflow/distribution/wrapped_normal.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/distribution/wrapped_normal_textbook.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

TEST(AsinhRatio, ValueAndDerivativeEverywhere) {
  for (const double q :
       {0.0, 1e-300, 1e-18, 1e-9, 1e-4, 0.03, 0.1249, 0.125, 0.1251, 0.4, 1.0, 30.0, 1e8, 1e30}) {
    // h′ = (1/√(1+q) − h)/(2q); h = 1 − q/6 + …
    const Digits40 Q(q), s = sqrt(Q);
    const bool tiny = q < 1e-18;
    const auto value = static_cast<double>(tiny ? Digits40(1) : Digits40(asinh(s) / s));
    const auto slope = static_cast<double>(
        tiny ? Digits40(-1) / 6 : Digits40((1 / sqrt(Digits40(1 + Q)) - asinh(s) / s) / (2 * Q)));
    const Dual<Pack<double>> h = asinh_ratio(Dual<Pack<double>>(Pack<double>(q), Pack<double>(1)));
    EXPECT_NEAR(h.value[0], value, 4e-16 * value) << q;
    EXPECT_NEAR(h.slope[3], slope, -5e-15 * slope) << q;

    if (q > 1e15) continue;  // 1/(ab) in float stays below
    const auto rounded = static_cast<float>(q);
    const Dual<Pack<float>> f = asinh_ratio(Dual<Pack<float>>(Pack<float>(rounded), Pack<float>(1)));
    EXPECT_NEAR(f.value[0], value, 3e-7 * value) << q;
    EXPECT_NEAR(f.slope[0], slope, -3e-6 * slope) << q;
  }
}

TEST(WrappedNormal, IntegratesToOneOnTheLine) {
  // x = tanh(√c R/2)/√c, dvol = dR
  for (const Case& c : cases({1})) {
    const auto p = c.make<double>();
    const double root = std::sqrt(-c.K), step = 0.02;
    double mass = 0;
    for (double R = -10; R < 13; R += step) {
      mass += step * std::exp(log_density_at(p, {std::tanh(root * R / 2) / root}));
    }
    EXPECT_NEAR(mass, 1, 1e-8) << label(c);
  }
}

TEST(WrappedNormal, IntegratesToOneOnTheDisk) {
  // Polar coordinates about the origin, dvol = sinh(√c R)/√c dR dφ. A blob far out is narrow in φ; the
  // circle is refined there by tan((φ − φ_μ)/2) = k tan(ψ/2), k = e^{−√c d(0,μ)}, a translation of the rim.
  for (const Case& c : cases({2})) {
    const auto p = c.make<double>();
    const double root = std::sqrt(-c.K);
    const double k = std::exp(-2 * std::atanh(root * c.mean.norm()));
    const double centre = std::atan2(c.mean[1], c.mean[0]);
    const int turns = 200;
    const auto ring = [&](double R) {
      const double r = std::tanh(root * R / 2) / root;
      double sum = 0;
      for (int j = 0; j < turns; ++j) {
        const double psi = 2 * pi * (j + 0.5) / turns;
        const double cosine = std::cos(psi / 2), sine = std::sin(psi / 2);
        const double phi = centre + 2 * std::atan2(k * sine, cosine);
        const double dphi = k / (cosine * cosine + k * k * sine * sine) * 2 * pi / turns;
        sum += dphi * std::exp(log_density_at(p, {r * std::cos(phi), r * std::sin(phi)}));
      }
      return sum * std::sinh(root * R) / root;
    };
    const double mass = integral(ring, 0, 12, 20);
    EXPECT_NEAR(mass, 1, 1e-8) << label(c);
  }
}

/// Points at given multiples of a deviation from the mean, in a fixed oblique direction.
std::vector<Eigen::VectorXd> points_around(const Case& c) {
  Eigen::VectorXd u(c.d);
  for (int i = 0; i < c.d; ++i) u[i] = std::sin(2 + 3 * i);
  const Eigen::VectorXd v = c.covariance.llt().matrixL() * u.normalized();
  std::vector<Eigen::VectorXd> points;
  for (const double far : {1e-3, 0.1, 0.6, 0.8, 1.0, 2.5, 4.0, -0.5, -3.0}) points.push_back(c.wrap(far * v));
  return points;
}

TEST(WrappedNormal, ValueAndGradientOfTheTextbookFormula) {
  // Relative error ~ ε(1 + 1/b), b = 1 − c|x|².
  const double eps = std::numeric_limits<double>::epsilon();
  for (const Case& c : cases({1, 2, 3, 5})) {
    const auto p = c.make<double>();
    for (const Eigen::VectorXd& x : points_around(c)) {
      const Point point(x.begin(), x.end());
      const double amplified = eps * (1 + 1 / (1 + c.K * x.squaredNorm()));
      const double value = static_cast<double>(c.log_density(x.cast<Digits40>()));
      EXPECT_NEAR(log_density_at(p, point), value, 8 * amplified * (1 + std::abs(value))) << label(c);

      const Point g = gradient_at(p, point), expected = c.gradient(x.cast<Digits40>());
      const double size = std::sqrt(dot(expected, expected));
      for (std::size_t i = 0; i < g.size(); ++i)
        EXPECT_NEAR(g[i], expected[i], 64 * amplified * size) << label(c);
    }
  }
}

TEST(WrappedNormal, SmoothAtItsMean) {
  for (const Case& c : cases({1, 2, 3})) {
    const auto p = c.make<double>();
    const Point mean(c.mean.begin(), c.mean.end());
    const double peak = -0.5 * std::log((2 * pi * c.covariance).determinant());
    EXPECT_NEAR(log_density_at(p, mean), peak, 1e-14 * (1 + std::abs(peak)));
    for (const double g : gradient_at(p, mean)) EXPECT_EQ(g, 0) << label(c);

    // At distance r → 0: log p = peak − vᵀ(Σ⁻¹ + (d−1)c/3)v/2, and the coordinate vector of v at μ is v/λ.
    const Eigen::MatrixXd precision =
        c.covariance.inverse() - (c.d - 1) * c.K / 3 * Eigen::MatrixXd::Identity(c.d, c.d);
    const double lambda = 2 / (1 + c.K * c.mean.squaredNorm());
    for (const double tiny : {1e-9, 1e-7, 1e-5}) {
      Eigen::VectorXd v(c.d);
      for (int i = 0; i < c.d; ++i) v[i] = tiny * (1 + 0.3 * i);
      Eigen::VectorXd x = c.mean + v / lambda;
      const Eigen::VectorXd exact_v = lambda * (x - c.mean);
      const Eigen::VectorXd expected = -lambda * precision * exact_v;
      const Point g = gradient_at(p, {x.begin(), x.end()});
      const double size = expected.norm();
      for (int i = 0; i < c.d; ++i)
        EXPECT_NEAR(g[static_cast<std::size_t>(i)], expected[i], (30 * tiny * lambda + 1e-12) * size)
            << label(c);
    }
  }
}

TEST(WrappedNormal, DoesNotOverflowFarOut) {
  // √c r = 60 needs sinh(60)² in the naive form; in float that is +∞.
  const WrappedNormal<float> p(2, -1, Eigen::VectorXd::Zero(2), 100 * Eigen::MatrixXd::Identity(2, 2));
  const float rim = 1 - std::numeric_limits<float>::epsilon();
  const double r = 2 * std::atanh(static_cast<double>(rim));
  const double exact =
      -std::log(2 * pi * 100) - r * r / 200 - (r + std::log1p(-std::exp(-2 * r)) - std::log(2 * r));
  EXPECT_NEAR(log_density_at(p, {rim, 0}), exact, 1e-3 * std::abs(exact));
  for (const double g : gradient_at(p, {rim, 0})) EXPECT_TRUE(std::isfinite(g));
}

TEST(WrappedNormal, FloatIsGoodToTheRoundingOfCoordinates) {
  // |error| ≤ 4ε((1 + 1/b)(|w| |L⁻¹|/√c + d) + d|w|² + |log peak|), w = L⁻¹v; the gradient's, relative to
  // (|w| |L⁻¹| + d√c)/b, at most 16ε(1 + 1/b).
  const double eps = std::numeric_limits<float>::epsilon();
  for (Case c : cases({1, 2, 3, 5})) {
    c.mean = c.mean.cast<float>().cast<double>();
    const auto p = c.make<float>();
    const auto exact = c.make<double>();
    const Eigen::MatrixXd whiten = Eigen::MatrixXd(c.covariance.llt().matrixL()).inverse();
    for (const Eigen::VectorXd& far : points_around(c)) {
      const Eigen::VectorXd x = far.cast<float>().cast<double>();
      const Point point(x.begin(), x.end());
      const double b = 1 + c.K * x.squaredNorm();
      const double w = (whiten * c.tangent<long double>(x.cast<long double>()).cast<double>()).norm();
      const double steepness = w * whiten.norm() / std::sqrt(-c.K) + c.d;
      const double peak = std::abs(log_density_at(exact, {c.mean.begin(), c.mean.end()}));
      EXPECT_NEAR(log_density_at(p, point), log_density_at(exact, point),
                  4 * eps * ((1 + 1 / b) * steepness + c.d * w * w + peak))
          << label(c);
      const Point g = gradient_at(p, point), g_exact = gradient_at(exact, point);
      for (std::size_t i = 0; i < g.size(); ++i)
        EXPECT_NEAR(g[i], g_exact[i], 16 * eps * (1 + 1 / b) * steepness * std::sqrt(-c.K) / b) << label(c);
    }
  }
}

TEST(WrappedNormal, StandardIsCentredAndIsotropic) {
  const auto p = WrappedNormal<double>::standard(3, -0.5);
  const WrappedNormal<double> same(3, -0.5, Eigen::VectorXd::Zero(3), Eigen::MatrixXd::Identity(3, 3));
  EXPECT_EQ(log_density_at(p, {0.1, -0.9, 0.3}), log_density_at(same, {0.1, -0.9, 0.3}));
  EXPECT_EQ(p.ambient(), 3);
}

TEST(WrappedNormal, RejectsWhatIsNoWrappedNormal) {
  const Eigen::VectorXd origin = Eigen::VectorXd::Zero(2);
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(2, 2);
  const auto make = [](int d, double K, const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance) {
    return WrappedNormal<double>(d, K, mean, covariance);
  };
  EXPECT_NO_THROW(make(2, -1, origin, unit));
  EXPECT_THROW(WrappedNormal<double>::standard(0, -1), Error);
  EXPECT_THROW(make(2, 0, origin, unit), Error);
  EXPECT_THROW(make(2, 1, origin, unit), Error);
  EXPECT_THROW(make(2, std::nan(""), origin, unit), Error);
  EXPECT_THROW(make(3, -1, origin, unit), Error);
  EXPECT_THROW(make(2, -1, Eigen::Vector2d(1, 0), unit), Error);
  EXPECT_THROW(make(2, -4, Eigen::Vector2d(0.4, 0.4), unit), Error);
  EXPECT_THROW(make(2, -1, Eigen::Vector2d(std::nan(""), 0), unit), Error);
  EXPECT_THROW(make(2, -1, origin, Eigen::MatrixXd::Identity(3, 3)), Error);
  EXPECT_THROW(make(2, -1, origin, -unit), Error);
  EXPECT_THROW(make(2, -1, origin, Eigen::Matrix2d{{1, 0.5}, {0.4, 1}}), Error);
  EXPECT_THROW(make(2, -1, origin, Eigen::Matrix2d{{1, 2}, {2, 1}}), Error);
  EXPECT_THROW(make(2, -1, origin, Eigen::Matrix2d{{1, 1}, {1, 1}}), Error);
  EXPECT_THROW(make(2, -1, origin, std::nan("") * unit), Error);
}

}  // namespace
}  // namespace riemflow
