#include "riemflow/distribution/bivariate_von_mises.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "tests/distribution/closed_forms.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

struct SineParameters {
  double kappa1, kappa2, lambda;
};
const std::vector<SineParameters> kSineCases = {
    {0, 0, 0},  {0, 0, -3},    {1, 0, 2},      {0, 5, 0.5},  {2, 3, 1},      {2, 3, -8},     {10, 0.1, 4},
    {1, 1, 30}, {50, 20, -31}, {50, 20, 31.7}, {60, 40, 90}, {200, 3, 24.4}, {0.3, 400, -12}};

/// log ∫ p's exponential by the trapezoidal rule on a grid, which is periodic.
double sine_log_mass_by_grid(const SineParameters& s) {
  const int n = 400;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double a = 2 * pi * i / n, b = 2 * pi * j / n;
      sum += std::exp(s.kappa1 * (std::cos(a) - 1) + s.kappa2 * (std::cos(b) - 1) +
                      s.lambda * std::sin(a) * std::sin(b));
    }
  return std::log(sum * std::pow(2 * pi / n, 2));
}

TEST(BivariateVonMisesConstants, AgreeWithAGrid) {
  for (const SineParameters& s : kSineCases) {
    const double exact = sine_log_mass_by_grid(s);
    EXPECT_NEAR(bivariate_von_mises_constants(s.kappa1, s.kappa2, s.lambda).log_mass, exact,
                1e-12 * (10 + std::abs(exact)))
        << s.kappa1 << ' ' << s.kappa2 << ' ' << s.lambda;
    EXPECT_NEAR(bivariate_von_mises_constants(s.kappa2, s.kappa1, -s.lambda).log_mass, exact,
                1e-12 * (10 + std::abs(exact)));
  }
}

TEST(BivariateVonMisesConstants, AgreeWithTheSeriesOfBesselFunctions) {
  // c = 4π² Σ_m C(2m, m) (λ²/4κ₁κ₂)^m I_m(κ₁) I_m(κ₂) (Singh, Hnizdo and Demchuk 2002)
  for (const SineParameters& s :
       {SineParameters{2, 3, 1}, {2, 3, -8}, {50, 20, -31}, {200, 3, 24.4}, {60, 40, 90}}) {
    double sum = 0;
    for (int m = 0; m < 150; ++m)
      sum += std::exp(std::lgamma(2 * m + 1) - 2 * std::lgamma(m + 1) +
                      2 * m * std::log(std::abs(s.lambda) / 2) - m * std::log(s.kappa1 * s.kappa2) +
                      std::log(boost::math::cyl_bessel_i(m, s.kappa1)) - s.kappa1 +
                      std::log(boost::math::cyl_bessel_i(m, s.kappa2)) - s.kappa2);
    EXPECT_NEAR(bivariate_von_mises_constants(s.kappa1, s.kappa2, s.lambda).log_mass,
                std::log(4 * pi * pi * sum), 1e-11)
        << s.kappa1 << ' ' << s.kappa2 << ' ' << s.lambda;
  }
}

TEST(BivariateVonMisesConstants, ConcentratedAreThoseOfNormalDensities) {
  for (const double kappa : {1e5, 1e7})
    for (const double part : {0.0, 0.5, -0.9}) {
      const double other = 0.3 * kappa, lambda = part * std::sqrt(kappa * other),
                   det = kappa * other - lambda * lambda;
      const BivariateVonMisesConstants c = bivariate_von_mises_constants(kappa, other, lambda);
      EXPECT_NEAR(c.log_mass, std::log(2 * pi) - 0.5 * std::log(det), 30 / kappa / (1 - part * part));
      EXPECT_NEAR(c.means[0] * 2 * det / other, 1, 30 / kappa / (1 - part * part));
      EXPECT_NEAR(c.means[1] * 2 * det / kappa, 1, 30 / kappa / (1 - part * part));
      if (part != 0) {
        EXPECT_NEAR(c.means[2] * det / lambda, 1, 30 / kappa / (1 - part * part));
      }
    }
  // Two modes, κ₁ = κ₂ = κ and λ = 2κ: at φ = ψ = ±60°, where the exponent is κ/2 above that of the mean and
  // its Hessian has κ cos 60° + λ sin² 60° on the diagonal and −λ cos² 60° beside it.
  const double kappa = 1e5, lambda = 2e5;
  const double c = 0.5, diagonal = kappa * c + lambda * 0.75, off = -lambda * c * c;
  EXPECT_NEAR(bivariate_von_mises_constants(kappa, kappa, lambda).log_mass,
              0.5 * kappa + std::log(2 * 2 * pi) - 0.5 * std::log(diagonal * diagonal - off * off), 1e-4);
}

TEST(BivariateVonMisesConstants, MomentsAreSlopes) {
  for (const SineParameters& s :
       {SineParameters{2, 3, 1}, {2, 3, -8}, {50, 20, 31.7}, {1e5, 3e4, 5e4}, {1e3, 1e3, -4e3}}) {
    const auto at = [](double a, double b, double c) { return bivariate_von_mises_constants(a, b, c); };
    const BivariateVonMisesConstants c = at(s.kappa1, s.kappa2, s.lambda);
    const double parameters[] = {s.kappa1, s.kappa2, s.lambda};
    for (int i = 0; i < 3; ++i) {
      double up[3], down[3];
      std::copy_n(parameters, 3, up);
      std::copy_n(parameters, 3, down);
      const double h = 1e-4 * std::abs(parameters[i]);
      up[i] += h;
      down[i] -= h;
      const auto more = at(up[0], up[1], up[2]), less = at(down[0], down[1], down[2]);
      const double sign = i == 2 ? 1 : -1;
      EXPECT_NEAR(sign * (more.log_mass - less.log_mass) / (2 * h), c.means[i], 1e-5 * std::abs(c.means[i]))
          << i;
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(sign * (more.means[j] - less.means[j]) / (2 * h), c.covariance(i, j),
                    1e-4 * std::sqrt(c.covariance(i, i) * c.covariance(j, j)))
            << i << ' ' << j << ' ' << s.kappa1;
    }
  }
}

TEST(BivariateVonMises, IntegratesToOne) {
  for (const SineParameters& s : kSineCases) {
    const BivariateVonMises p({0.4, -2.9}, s.kappa1, s.kappa2, s.lambda);
    EXPECT_NEAR(mass_of(p, "torus:2", 1e-8).value, 1, 1e-6) << p.name();
  }
  // In the frame of its peaks, where cubature of the whole torus would not find them.
  for (const SineParameters& s :
       {SineParameters{1e5, 1e5, 0}, {1e5, 4e4, 6e4}, {1e5, 1e5, 2e5}, {1e5, 1e5, -2e5}}) {
    const Eigen::Vector2d mean(3.0, -1.0);
    const BivariateVonMises p(mean, s.kappa1, s.kappa2, s.lambda);
    const bool two = s.lambda * s.lambda > s.kappa1 * s.kappa2;
    double mass = 0;
    const int n = 800;
    for (const double side : {-1.0, 1.0}) {
      if (!two && side < 0) continue;
      const Eigen::Vector2d peak =
          mean + Eigen::Vector2d(side, side * (s.lambda < 0 ? -1 : 1)) * (two ? pi / 3 : 0);
      const double end = 0.16, step = 2 * end / n;
      Points<double> grid(static_cast<std::size_t>(n * n), 2);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          grid[static_cast<std::size_t>(i * n + j)][0] = peak[0] - end + step * (i + 0.5);
          grid[static_cast<std::size_t>(i * n + j)][1] = peak[1] - end + step * (j + 0.5);
        }
      for (const double log_p : log_densities_of(p, grid)) mass += std::exp(log_p) * step * step;
    }
    EXPECT_NEAR(mass, 1, 1e-9) << p.name();
  }
}

TEST(BivariateVonMises, WithoutDependenceIsAProduct) {
  for (const double kappa : {0.0, 0.7, 40.0, 1e5}) {
    const BivariateVonMises p({0.5, 2}, kappa, 3, 0);
    const VonMisesFisher<double> first(Eigen::Vector2d(std::cos(0.5), std::sin(0.5)), kappa),
        second(Eigen::Vector2d(std::cos(2.0), std::sin(2.0)), 3);
    for (const double a : {0.5, 0.51, 3.0, -2.0})
      EXPECT_NEAR(log_density_at(p, {a, 1.0}),
                  log_density_at(first, {std::cos(a), std::sin(a)}) +
                      log_density_at(second, {std::cos(1.0), std::sin(1.0)}),
                  1e-13 * (10 + kappa));
    EXPECT_NEAR(*p.entropy(), *first.entropy() + *second.entropy(), 1e-12 * (1 + std::abs(*p.entropy())));
  }
}

TEST(BivariateVonMises, ValueIsTheFormulaAndItsSlope) {
  for (const SineParameters& s : kSineCases) {
    const BivariateVonMises p({0.4, -2.9}, s.kappa1, s.kappa2, s.lambda);
    const auto formula = [&](double a, double b) {
      return s.kappa1 * std::cos(a - 0.4) + s.kappa2 * std::cos(b + 2.9) +
             s.lambda * std::sin(a - 0.4) * std::sin(b + 2.9);
    };
    EXPECT_NEAR(log_density_at(p, {1, 2}) - log_density_at(p, {-3, 0.1}), formula(1, 2) - formula(-3, 0.1),
                1e-12 * (10 + s.kappa1 + s.kappa2));
    EXPECT_NEAR(log_density_at(p, {1, 2}), log_density_at(p, {1 - 2 * pi, 2 + 2 * pi}),
                1e-12 * (10 + s.kappa1 + s.kappa2));
    expect_gradient(p, {1, 2}, 1e-5, 1e-8);
    const Point g = gradient_at(p, {1, 2});
    EXPECT_NEAR(g[0], -s.kappa1 * std::sin(0.6) + s.lambda * std::cos(0.6) * std::sin(4.9),
                1e-12 * (10 + s.kappa1));
    EXPECT_NEAR(g[1], -s.kappa2 * std::sin(4.9) + s.lambda * std::sin(0.6) * std::cos(4.9),
                1e-12 * (10 + s.kappa2));
  }
}

TEST(BivariateVonMises, DrawsHaveTheRightMomentsAndTheEntropy) {
  std::vector<SineParameters> cases = kSineCases;
  cases.insert(cases.end(),
               {{1e5, 1e5, 9.5e4}, {1e5, 1e5, -2e5}, {1e5, 2, 400}, {1e5, 0.01, 40}, {3, 1e7, 1}});
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const SineParameters& s : cases) {
      const Eigen::Vector2d mean(2.8, -1);
      const BivariateVonMises p(mean, s.kappa1, s.kappa2, s.lambda);
      const auto points = draw(p, seed, 3000);
      for (const Point& x : points)
        for (const double a : x) ASSERT_TRUE(-pi <= a && a < pi);
      for (int i = 0; i < 2; ++i) {
        const auto index = static_cast<std::size_t>(i);
        EXPECT_LT(
            estimate(points,
                     [&](const Point& x) { return 2 * std::pow(std::sin((x[index] - mean[i]) / 2), 2); })
                .sigmas(p.moments()[i], 1e-15),
            4.5)
            << p.name();
        EXPECT_LT(estimate(points, [&](const Point& x) { return std::sin(x[index] - mean[i]); }).sigmas(0),
                  4.5)
            << p.name();
      }
      EXPECT_LT(estimate(points,
                         [&](const Point& x) { return std::sin(x[0] - mean[0]) * std::sin(x[1] - mean[1]); })
                    .sigmas(p.moments()[2], 1e-15),
                4.5)
          << p.name();
      expect_entropy_of_draws(p, seed + 10, 2000);
    }
}

TEST(BivariateVonMises, DrawsFollowTheDensityInCells) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const SineParameters& s : {SineParameters{0, 0, 0}, {1, 0.5, -3}, {4, 2, 1}, {0.2, 6, 5}}) {
      const BivariateVonMises p({1, 2}, s.kappa1, s.kappa2, s.lambda);
      constexpr int cells = 8, fine = 16, n = 20000;
      std::vector<double> mass(cells * cells, 0), count(cells * cells, 0);
      const double step = 2 * pi / (cells * fine);
      for (int i = 0; i < cells * fine; ++i)
        for (int j = 0; j < cells * fine; ++j)
          mass[static_cast<std::size_t>(i / fine * cells + j / fine)] +=
              std::exp(log_density_at(p, {-pi + step * (i + 0.5), -pi + step * (j + 0.5)})) * step * step;
      for (const Point& x : draw(p, seed, n))
        count[static_cast<std::size_t>(static_cast<int>((x[0] + pi) / (2 * pi) * cells) * cells +
                                       static_cast<int>((x[1] + pi) / (2 * pi) * cells))] += 1;
      double square = 0, kept = -1;
      for (std::size_t k = 0; k < mass.size(); ++k) {
        if (n * mass[k] < 10) continue;
        square += std::pow(count[k] - n * mass[k], 2) / (n * mass[k]);
        kept += 1;
      }
      EXPECT_LT(std::abs(square - kept) / std::sqrt(2 * kept), 4) << p.name();
    }
}

TEST(BivariateVonMises, FloatAgreesWithDouble) {
  const auto p = std::make_shared<const BivariateVonMises>(Eigen::Vector2d(1, -3), 1e5, 2e4, 4e4);
  expect_float_agrees(p, draw(*p, 1, 20));
}

TEST(FitBivariateVonMises, RecoversParametersAndNoOtherIsMoreLikely) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const SineParameters& s :
         {SineParameters{4, 2, 1}, {1, 1, -4}, {30, 8, 12}, {1e5, 4e4, -5e4}, {1e3, 1e3, 3e3}, {0, 0, 3}}) {
      const BivariateVonMises truth({3, -1}, s.kappa1, s.kappa2, s.lambda);
      const Points<double> points = points_of(draw(truth, seed, 10000));
      const Weights weights = random_weights(10000, seed);
      const BivariateVonMises fitted = fit_bivariate_von_mises(points, weights);
      const double size = s.kappa1 + s.kappa2 + std::abs(s.lambda);
      if (s.kappa1 > 0) {  // otherwise each mean is one of two, with either sign of λ
        EXPECT_NEAR(fitted.lambda(), s.lambda, 0.1 * size);
        EXPECT_NEAR(std::cos(fitted.mean()[0] - 3), 1, 0.01);
        EXPECT_NEAR(std::cos(fitted.mean()[1] + 1), 1, 0.01);
      }
      EXPECT_NEAR(fitted.kappa1(), s.kappa1, 0.1 * size);
      EXPECT_NEAR(fitted.kappa2(), s.kappa2, 0.1 * size);
      EXPECT_NEAR(std::abs(fitted.lambda()), std::abs(s.lambda), 0.1 * size);
      const double best = mean_log_likelihood(fitted, points, weights);
      EXPECT_GT(best, mean_log_likelihood(truth, points, weights));
      const Eigen::VectorXd at{
          {fitted.mean()[0], fitted.mean()[1], fitted.kappa1(), fitted.kappa2(), fitted.lambda()}};
      const double small = 1e-3;
      const Eigen::VectorXd steps{{small / std::sqrt(1 + size), small / std::sqrt(1 + size), small * size,
                                   small * size, small * size}};
      for (int i = 0; i < 5; ++i) {
        const auto moved = [&](double sign) {
          Eigen::VectorXd v = at;
          v[i] += sign * steps[i];
          if (v[2] < 0 || v[3] < 0) v = at;
          return best -
                 mean_log_likelihood(BivariateVonMises(v.head<2>(), v[2], v[3], v[4]), points, weights);
        };
        const double up = moved(1), down = moved(-1);
        EXPECT_GE(up, 0) << truth.name() << ' ' << i;
        EXPECT_GE(down, 0) << truth.name() << ' ' << i;
        if (up > 1e-11 && down > 0) {
          EXPECT_LT(std::abs(up - down), 0.1 * (up + down)) << truth.name() << ' ' << i;
        }
      }
    }
}

TEST(FitBivariateVonMises, RefusesWhatHasNoMaximum) {
  EXPECT_THROW(fit_bivariate_von_mises(Points<double>()), Error);
  EXPECT_THROW(fit_bivariate_von_mises(points_of({{1, 2}, {1, 2}, {1, 2}})), Error);
  EXPECT_THROW(fit_bivariate_von_mises(points_of({{1, 2}, {1.5, 2}, {1.2, 2}})), Error);
  EXPECT_THROW(fit_bivariate_von_mises(points_of({{1, 2}, {1, 2.5}, {1, 2.2}})), Error);
  EXPECT_NO_THROW(
      fit_bivariate_von_mises(points_of({{1, 1}, {1.5, 1.5}, {1.2, 1.2}, {0.9, 0.9}})));  // ridges bend
  EXPECT_THROW(fit_bivariate_von_mises(points_of({{1, 2, 3}})), Error);
  EXPECT_THROW(BivariateVonMises({0, NAN}, 1, 1, 0), Error);
  EXPECT_THROW(BivariateVonMises({0, 0}, -1, 1, 0), Error);
  EXPECT_THROW(BivariateVonMises({0, 0}, 1, 1e9, 0), Error);
  EXPECT_THROW(BivariateVonMises({0, 0}, 1, 1, INFINITY), Error);
}

}  // namespace
}  // namespace riemflow
