#include "riemflow/density/wrapped_normal.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tests/density/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

// --- the textbook
// ---------------------------------------------------------------------------------------------- Its formulas
// cancel as the square of the distance to the rim: in 40 digits as the truth of values and gradients, in long
// double for samples.

using Digits40 =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<40>, boost::multiprecision::et_off>;
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

Eigen::VectorXd vector_of(const Point& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// x ⊕ y = ((1 + 2c⟨x,y⟩ + c|y|²) x + (1 − c|x|²) y) / (1 + 2c⟨x,y⟩ + c²|x|²|y|²)
template <class Real>
Vector<Real> mobius_add(Real c, const Vector<Real>& x, const Vector<Real>& y) {
  const Real xy = x.dot(y), xx = x.squaredNorm(), yy = y.squaredNorm();
  const Real along_x = 1 + 2 * c * xy + c * yy, along_y = 1 - c * xx,
             below = 1 + 2 * c * xy + c * c * xx * yy;
  return (along_x * x + along_y * y) / below;
}

/// One wrapped normal, and all that is known of it from the definition.
struct Case {
  int d;
  double K;
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;

  template <class T>
  WrappedNormal<T> make() const {
    return {d, K, mean, covariance};
  }
  /// v = (2/√c) atanh(√c|m|) m/|m|, m = (−μ) ⊕ x
  template <class Real>
  Vector<Real> tangent(const Vector<Real>& x) const {
    using std::atanh, std::sqrt;
    const Real c(-K), root = sqrt(c);
    const Vector<Real> m = mobius_add<Real>(c, -mean.cast<Real>(), x);
    const Real norm = sqrt(m.squaredNorm());
    if (norm == 0) return m;
    const Real scale = 2 / root * atanh(Real(root * norm)) / norm;
    return scale * m;
  }
  /// −vᵀΣ⁻¹v/2 − log det(2πΣ)/2 − (d−1) log(sinh ρ/ρ)
  Digits40 log_density(const Vector<Digits40>& x) const {
    const Vector<Digits40> v = tangent<Digits40>(x);
    const Digits40 rho = sqrt(Digits40(-K * v.squaredNorm()));
    const Eigen::Matrix<Digits40, Eigen::Dynamic, Eigen::Dynamic> sigma = covariance.cast<Digits40>();
    const Vector<Digits40> solved = sigma.inverse() * v;
    const Digits40 two_pi = 2 * boost::math::constants::pi<Digits40>();
    const Digits40 log_det = log(Digits40(sigma.determinant())) + d * log(two_pi);
    const Digits40 log_sinhc = rho == 0 ? Digits40(0) : log(Digits40(sinh(rho) / rho));
    return -v.dot(solved) / 2 - log_det / 2 - (d - 1) * log_sinhc;
  }
  /// Central differences, with a step small against the distance to the rim: 16 digits.
  Point gradient(const Vector<Digits40>& x) const {
    const Digits40 h = 1e-10 * (1 + K * x.squaredNorm());
    Point g;
    for (int i = 0; i < d; ++i) {
      Vector<Digits40> e = Vector<Digits40>::Zero(d);
      e[i] = h;
      const Digits40 slope = (log_density(x + e) - log_density(x - e)) / (2 * h);
      g.push_back(static_cast<double>(slope));
    }
    return g;
  }
  /// exp_μ of the transported v.
  Eigen::VectorXd wrap(const Eigen::VectorXd& v) const {
    using Real = long double;
    const Real c(-K), rho = std::sqrt(c) * static_cast<Real>(v.norm());
    const Vector<Real> m = (rho == 0 ? Real(0.5) : std::tanh(rho / 2) / rho) * v.cast<Real>();
    return mobius_add<Real>(c, mean.cast<Real>(), m).cast<double>();
  }
};

/// The point at hyperbolic distance `distance` from the origin of the ball of curvature K, in direction u.
Eigen::VectorXd at_distance(double K, double distance, const Eigen::VectorXd& u) {
  const double root = std::sqrt(-K);
  return std::tanh(root * distance / 2) / root * u.normalized();
}

/// Σ with deviations 0.3…1.5, not along the axes.
Eigen::MatrixXd oblique(int d) {
  Eigen::MatrixXd l = Eigen::MatrixXd::Identity(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j <= i; ++j) l(i, j) = (i == j ? (i % 2 == 0 ? 1.2 : 0.4) : 0.3 * std::cos(3 * i + j));
  return l * l.transpose();
}

std::vector<Case> cases(const std::vector<int>& dimensions) {
  std::vector<Case> all;
  for (const int d : dimensions) {
    Eigen::VectorXd u(d);
    for (int i = 0; i < d; ++i) u[i] = std::cos(1 + 2 * i);
    for (const double K : {-1.0, -0.5, -4.0}) {
      all.push_back({d, K, Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Identity(d, d)});
      all.push_back({d, K, at_distance(K, 0.8, u), 0.25 * Eigen::MatrixXd::Identity(d, d)});
      all.push_back({d, K, at_distance(K, 3, u), oblique(d)});
    }
  }
  return all;
}

std::string label(const Case& c) {
  return "d " + std::to_string(c.d) + " K " + std::to_string(c.K) + " |mean| " +
         std::to_string(c.mean.norm());
}

template <class F>
double integral(const F& f, double from, double to, int panels) {
  double sum = 0;
  for (int i = 0; i < panels; ++i) {
    sum += boost::math::quadrature::gauss<double, 15>::integrate(f, from + (to - from) * i / panels,
                                                                 from + (to - from) * (i + 1) / panels);
  }
  return sum;
}

// --- asinh(√q)/√q
// ----------------------------------------------------------------------------------------------

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

// --- the density
// -----------------------------------------------------------------------------------------------

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

// --- entropy
// ---------------------------------------------------------------------------------------------------

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

// --- the sampler
// -----------------------------------------------------------------------------------------------

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

TEST(WrappedNormal, DrawsHaveTheRightLawInDouble) {
  for (const Case& c : cases({1, 2, 3}))
    for (const std::uint64_t seed : {1u, 2u, 3u}) expect_right_draws<double>(c, seed, 4000);
}

TEST(WrappedNormal, DrawsHaveTheRightLawInFloat) {
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

TEST(WrappedNormal, DrawsStayInsideHoweverFarOut) {
  expect_inside<float>(30);
  expect_inside<double>(100);
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
