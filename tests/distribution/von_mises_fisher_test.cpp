#include "riemflow/distribution/von_mises_fisher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher_constants.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

Eigen::VectorXd random_direction(int d, std::uint64_t seed) {
  Random random(seed, Purpose::test, 1, 0);
  Eigen::VectorXd v(d + 1);
  for (double& z : v) z = random.normal();
  return v;
}

/// A unit vector orthogonal to the unit vector `mean`.
Eigen::VectorXd tangent_at(const Eigen::VectorXd& mean, std::uint64_t seed) {
  Eigen::VectorXd e = random_direction(static_cast<int>(mean.size()) - 1, seed);
  for (int pass = 0; pass < 2; ++pass) e -= e.dot(mean) * mean;
  return e.normalized();
}

Point on_geodesic(const Eigen::VectorXd& mean, const Eigen::VectorXd& e, double angle) {
  const Eigen::VectorXd x = std::cos(angle) * mean + std::sin(angle) * e;
  return {x.begin(), x.end()};
}

// --- the density --------------------------------------------------------------------------------

TEST(VonMisesFisher, IntegratesToOne) {
  // ∫ p = |S^{d−1}| ∫_0^π p(θ) sin^{d−1}θ dθ, in eight panels where p is above e^−98 of its peak.
  const double area_below[] = {0, 2, 2 * pi, 4 * pi};
  for (const int d : {1, 2, 3}) {
    for (const double kappa : {0.0, 1e-8, 0.1, 1.0, 10.0, 1e3, 1e6}) {
      for (const std::uint64_t seed : {1u, 2u}) {
        const VonMisesFisher<double> p(random_direction(d, seed), kappa);
        const Eigen::VectorXd mean = random_direction(d, seed).normalized();
        const Eigen::VectorXd e = tangent_at(mean, seed + 10);
        const double end = std::min(pi, kappa > 0 ? 14 / std::sqrt(kappa) : pi);
        double mass = 0;
        for (int panel = 0; panel < 8; ++panel) {
          mass += boost::math::quadrature::gauss<double, 30>::integrate(
              [&](double angle) {
                return std::exp(log_density_at(p, on_geodesic(mean, e, angle))) *
                       std::pow(std::sin(angle), d - 1);
              },
              end * panel / 8, end * (panel + 1) / 8);
        }
        EXPECT_NEAR(mass * area_below[d], 1, 1e-11) << d << ' ' << kappa;
      }
    }
  }
}

TEST(VonMisesFisher, ValueAndGradientOfTheTextbookFormula) {
  // κ⟨μ, x⟩ + log(κ^ν/((2π)^{ν+1} I_ν(κ))), differentiated along geodesics.
  for (const int d : {1, 2, 3, 10}) {
    for (const double kappa : {0.1, 10.0, 300.0}) {
      const Eigen::VectorXd mean = random_direction(d, 5).normalized();
      const VonMisesFisher<double> p(3.5 * mean, kappa);
      const double nu = 0.5 * (d - 1);
      const double log_c =
          nu * std::log(kappa) - (nu + 1) * std::log(2 * pi) - std::log(boost::math::cyl_bessel_i(nu, kappa));
      for (const double angle : {0.0, 0.1, 1.0, 3.0}) {
        const Eigen::VectorXd e = tangent_at(mean, 6);
        const auto textbook = [&](double a) {
          const Point x = on_geodesic(mean, e, a);
          return kappa * mean.dot(Eigen::Map<const Eigen::VectorXd>(x.data(), d + 1)) + log_c;
        };
        const Point x = on_geodesic(mean, e, angle);
        EXPECT_NEAR(log_density_at(p, x), textbook(angle), 1e-12 * (1 + kappa));

        const double h = 1e-4;
        const double slope = (textbook(angle + h) - textbook(angle - h)) / (2 * h);
        const Point velocity = on_geodesic(mean, e, angle + pi / 2);
        EXPECT_NEAR(dot(gradient_at(p, x), velocity), slope, 1e-8 * (1 + kappa))
            << d << ' ' << kappa << ' ' << angle;
      }
    }
  }
}

TEST(VonMisesFisher, FloatKeepsItsDigitsAtHighConcentration) {
  // |error| ≤ ε(|log peak| + κ|δ| + Dκ|δ|²), δ = x − μ: at κ = 1e6 and one deviation below 2e-4.
  for (const int d : {1, 2, 3, 64}) {
    for (const double kappa : {0.0, 0.1, 10.0, 1e3, 1e6}) {
      const Eigen::VectorXd mean = random_direction(d, 7).normalized();
      const VonMisesFisher<float> p(mean, kappa);
      const VonMisesFisher<double> exact(mean, kappa);
      for (const double deviations : {0.0, 0.3, 1.0, 5.0}) {
        Point x = on_geodesic(mean, tangent_at(mean, 8), deviations / std::sqrt(1 + kappa));
        double square = 0;
        for (int i = 0; i <= d; ++i) {
          double& x_i = x[static_cast<std::size_t>(i)];
          x_i = static_cast<float>(x_i);
          square += (x_i - mean[i]) * (x_i - mean[i]);
        }
        const double truth = log_density_at(exact, x);
        const double eps = std::numeric_limits<float>::epsilon();
        const double bound = eps * (std::abs(truth) + kappa * std::sqrt(square) + (d + 2) * kappa * square);
        EXPECT_NEAR(log_density_at(p, x), truth, bound) << d << ' ' << kappa << ' ' << deviations;
        if (kappa == 1e6 && deviations <= 1) {
          EXPECT_LT(bound, 1e-3);
        }
      }
    }
  }
}

TEST(VonMisesFisher, KnownEntropiesOnTheTwoSphere) {
  const Eigen::Vector3d north(0, 0, 1);
  EXPECT_NEAR(*VonMisesFisher<double>(north, 10).entropy(), 0.5353, 5e-5);
  EXPECT_NEAR(*VonMisesFisher<double>(north, 50).entropy(), -1.0741, 5e-5);
  EXPECT_NEAR(*VonMisesFisher<double>(north, 100).entropy(), -1.7673, 5e-5);
  EXPECT_DOUBLE_EQ(*VonMisesFisher<double>(north, 0).entropy(), std::log(4 * pi));
}

// --- the sampler --------------------------------------------------------------------------------

template <class T>
void expect_right_draws(int d, double kappa, std::uint64_t seed, int n) {
  const Eigen::VectorXd mean = random_direction(d, seed).normalized();
  const VonMisesFisher<T> p(mean, kappa);
  const std::vector<Point> points = draw<T>(p, seed, n);
  const auto sigmas = [&](double truth, double slack, const auto& f) {
    return estimate(points, f).sigmas(truth, slack);
  };
  const std::string which =
      "d " + std::to_string(d) + " kappa " + std::to_string(kappa) + " seed " + std::to_string(seed);
  const double eps = std::numeric_limits<T>::epsilon();
  // t = 1 − ⟨μ, x⟩ = |x − μ|²/2, from coordinates rounded to ε: √(2t)·ε off, one by one, with random signs.
  const auto t_of = [&](const Point& x) {
    double square = 0;
    for (int i = 0; i <= d; ++i) square += std::pow(x[static_cast<std::size_t>(i)] - mean[i], 2);
    return square / 2;
  };
  for (const Point& x : points) ASSERT_NEAR(dot(x, x), 1, 4 * std::sqrt(d) * eps) << which;

  const double A = p.mean_resultant_length();
  const double drop = von_mises_fisher_constants(d, kappa).mean_drop;
  EXPECT_LT(sigmas(drop, eps * drop, t_of), 4) << which;
  // E(1 − w²) = dA/κ (partial integration), d/(d+1) in the limit.
  const double spread = kappa < 1e-3 ? d / (d + 1.0) : d * A / kappa;
  EXPECT_LT(sigmas(spread, eps * spread, [&](const Point& x) { return t_of(x) * (2 - t_of(x)); }), 4)
      << which;
  const double rounding = 4 * eps * (d + std::abs(*p.entropy()));
  EXPECT_LT(sigmas(*p.entropy(), rounding, [&](const Point& x) { return -log_density_at(p, x); }), 4)
      << which;
  // Tangent coordinates: mean 0, and each has the same share of E(1 − w²).
  const Eigen::VectorXd e = tangent_at(mean, seed + 20);
  const auto along = [&](const Point& x) {
    return e.dot(Eigen::Map<const Eigen::VectorXd>(x.data(), d + 1));
  };
  EXPECT_LT(sigmas(0, eps * std::sqrt(spread), along), 4) << which;
  EXPECT_LT(sigmas(spread / d, eps * std::sqrt(spread), [&](const Point& x) { return along(x) * along(x); }),
            4)
      << which;
}

TEST(VonMisesFisher, DrawsHaveTheRightMoments) {
  for (const int d : {1, 2, 3, 10, 64})
    for (const double kappa : {0.0, 1e-6, 0.1, 10.0, 1e3, 1e6})
      for (const std::uint64_t seed : {1u, 2u, 3u})
        expect_right_draws<double>(d, kappa, seed, d > 10 ? 2000 : 5000);
}

TEST(VonMisesFisher, FloatDrawsHaveTheRightSpread) {
  for (const int d : {1, 2, 3, 64})
    for (const double kappa : {0.0, 10.0, 1e6})
      for (const std::uint64_t seed : {4u, 5u}) expect_right_draws<float>(d, kappa, seed, 2000);
}

/// Kolmogorov–Smirnov distance of the draws of t = 1 − ⟨μ, x⟩ from its distribution function.
double kolmogorov_distance(const VonMisesFisher<double>& p, const Eigen::VectorXd& mean, std::uint64_t seed,
                           int n, const std::function<double(double)>& distribution) {
  std::vector<double> t;
  for (const Point& x : draw(p, seed, n))
    t.push_back((Eigen::Map<const Eigen::VectorXd>(x.data(), mean.size()) - mean).squaredNorm() / 2);
  std::sort(t.begin(), t.end());
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double f = distribution(t[static_cast<std::size_t>(i)]);
    worst = std::max(
        {worst, std::abs(f - i / static_cast<double>(n)), std::abs(f - (i + 1) / static_cast<double>(n))});
  }
  return worst;
}

TEST(VonMisesFisher, DrawsFollowTheDistributionFunction) {
  const int n = 20000;
  const double critical = 1.95 / std::sqrt(n);  // exceeded once in 1000
  for (const double kappa : {1e-6, 0.5, 20.0, 1e6}) {
    // S²: F(t) = (1 − e^{−κt})/(1 − e^{−2κ})
    const Eigen::VectorXd mean = random_direction(2, 1).normalized();
    EXPECT_LT(kolmogorov_distance(VonMisesFisher<double>(mean, kappa), mean, 3, n,
                                  [&](double t) { return std::expm1(-kappa * t) / std::expm1(-2 * kappa); }),
              critical)
        << kappa;
  }
  for (const int d : {1, 3, 10}) {
    for (const double kappa : {0.5, 20.0, 1000.0}) {
      // By quadrature in s = √t, where the density of S^1 has no pole: F ∝ ∫ e^{−κs²} (s²(2 − s²))^{d/2−1} 2s
      // ds. The pole at the other end is left out, as is what is below e^−60 of the peak.
      if (d == 1 && kappa < 1) continue;
      const double end = std::min(std::sqrt(2.0), std::sqrt(90 / kappa));
      const int cells = 2000;
      std::vector<double> cumulative = {0};
      for (int cell = 0; cell < cells; ++cell) {
        cumulative.push_back(cumulative.back() + boost::math::quadrature::gauss<double, 7>::integrate(
                                                     [&](double s) {
                                                       return std::exp(-kappa * s * s) * 2 *
                                                              std::pow(s, d - 1) *
                                                              std::pow(2 - s * s, 0.5 * d - 1);
                                                     },
                                                     end * cell / cells, end * (cell + 1) / cells));
      }
      const Eigen::VectorXd mean = random_direction(d, 2).normalized();
      EXPECT_LT(kolmogorov_distance(VonMisesFisher<double>(mean, kappa), mean, 4, n,
                                    [&](double t) {
                                      const double at = std::min<double>(cells, std::sqrt(t) / end * cells);
                                      const auto cell =
                                          std::min(static_cast<std::size_t>(at), cumulative.size() - 2);
                                      const double part = at - static_cast<double>(cell);
                                      return ((1 - part) * cumulative[cell] + part * cumulative[cell + 1]) /
                                             cumulative.back();
                                    }),
                critical)
          << d << ' ' << kappa;
    }
  }
}

TEST(VonMisesFisher, MeanAlongAnAxisIsNoSpecialCase) {
  for (const int d : {1, 2, 3}) {
    for (const double sign : {-1.0, 1.0}) {
      for (const int axis : {0, d}) {
        const Eigen::VectorXd mean = sign * Eigen::VectorXd::Unit(d + 1, axis);
        const VonMisesFisher<double> p(1e-200 * mean, 4);
        const auto points = draw(p, 9, 4000);
        for (int i = 0; i <= d; ++i) {
          const Estimate m = estimate(points, [&](const Point& x) { return x[static_cast<std::size_t>(i)]; });
          EXPECT_LT(m.sigmas(p.mean_resultant_length() * mean[i]), 4) << d << ' ' << sign << ' ' << axis;
        }
      }
    }
  }
}

TEST(VonMisesFisher, RejectsWhatHasNoDirectionOrConcentration) {
  EXPECT_THROW(VonMisesFisher<double>(Eigen::Vector3d::Zero(), 1), Error);
  EXPECT_THROW(VonMisesFisher<double>(Eigen::VectorXd(), 1), Error);
  EXPECT_THROW(VonMisesFisher<double>(Eigen::VectorXd::Ones(1), 1), Error);
  EXPECT_THROW(VonMisesFisher<double>(Eigen::Vector2d(1, std::nan("")), 1), Error);
  EXPECT_THROW(VonMisesFisher<double>(Eigen::Vector2d(1, 0), -1), Error);
  EXPECT_THROW(VonMisesFisher<double>(Eigen::Vector2d(1, 0), std::nan("")), Error);
  EXPECT_THROW(VonMisesFisher<double>(Eigen::Vector2d(1, 0), std::numeric_limits<double>::infinity()), Error);
}

}  // namespace
}  // namespace riemflow
