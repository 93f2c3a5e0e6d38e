#include "riemflow/distribution/von_mises_fisher_constants.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <numbers>

namespace riemflow {
namespace {

using std::numbers::pi;

double log_area(int d) { return std::log(2 * std::pow(pi, 0.5 * (d + 1)) / std::tgamma(0.5 * (d + 1))); }

/// log(e^{−κ} I_ν(κ)) by Hankel's expansion, Σ_k (−1)^k Π_{j≤k} (4ν² − (2j−1)²)/(8jκ) / √(2πκ).
double log_scaled_bessel_hankel(double nu, double kappa) {
  long double term = 1, sum = 1;
  for (int k = 1; k < 200 && std::abs(term) > 1e-20L; ++k) {
    term *= -(4 * nu * nu - (2 * k - 1.0L) * (2 * k - 1)) / (8.0L * k * kappa);
    sum += term;
  }
  return static_cast<double>(std::log(sum)) - 0.5 * std::log(2 * pi * kappa);
}

/// log(e^{−κ} I_ν(κ)) by the power series, all terms positive.
double log_scaled_bessel_series(double nu, double kappa) {
  const long double k = kappa;
  long double term = 1, sum = 1;
  for (int n = 1; term > 1e-22L * sum; ++n) {
    term *= k * k / 4 / (n * (n + static_cast<long double>(nu)));
    sum += term;
  }
  return static_cast<double>(std::log(sum) - k + nu * std::log(k / 2) -
                             std::lgamma(static_cast<long double>(nu) + 1));
}

/// log C_d(κ) + κ, C_d(κ) = κ^ν/((2π)^{ν+1} I_ν(κ)), ν = (d−1)/2
double log_peak_from(double log_scaled_bessel, int d, double kappa) {
  const double nu = 0.5 * (d - 1);
  return nu * std::log(kappa) - (nu + 1) * std::log(2 * pi) - log_scaled_bessel;
}

TEST(VonMisesFisherConstants, UniformAtZero) {
  for (const int d : {1, 2, 3, 10, 64, 150}) {
    const auto [log_peak, mean_drop] = von_mises_fisher_constants(d, 0);
    EXPECT_NEAR(log_peak, -log_area(d), 1e-14 * std::abs(log_area(d))) << d;
    EXPECT_NEAR(mean_drop, 1, 1e-14) << d;
  }
  EXPECT_DOUBLE_EQ(von_mises_fisher_constants(1, 0).log_peak, -std::log(2 * pi));
  EXPECT_DOUBLE_EQ(von_mises_fisher_constants(2, 0).log_peak, -std::log(4 * pi));
}

TEST(VonMisesFisherConstants, ClosedFormOnTheTwoSphere) {
  // C = κ/(2π(1 − e^{−2κ})) e^{−κ}, A = coth κ − 1/κ
  for (const double kappa :
       {1e-8, 1e-3, 0.0199, 0.0201, 0.1, 1.0, 10.0, 50.0, 100.0, 1e3, 1e4, 1e6, 1e9, 1e12}) {
    const auto [log_peak, mean_drop] = von_mises_fisher_constants(2, kappa);
    const double exact = std::log(kappa / (-2 * pi * std::expm1(-2 * kappa)));
    EXPECT_NEAR(log_peak, exact, 1e-13 * std::max(1.0, std::abs(exact))) << kappa;
    const double drop = kappa < 0.01 ? 1 - kappa / 3 + std::pow(kappa, 3) / 45
                        : kappa < 20 ? 1 - 1 / std::tanh(kappa) + 1 / kappa
                                     : 1 / kappa;
    EXPECT_NEAR(mean_drop / drop, 1, 1e-12) << kappa;
  }
}

/// The power series and Hankel's expansion, each where it holds.
TEST(VonMisesFisherConstants, AgreeWithBesselFunctions) {
  for (const int d : {1, 2, 3, 4, 10, 64}) {
    const double nu = 0.5 * (d - 1);
    for (const double kappa : {1e-6, 0.1, 1.0, 7.0, 10.0, 65.0, 100.0, 300.0, 700.0, 2500.0, 1e4}) {
      const auto [log_peak, mean_drop] = von_mises_fisher_constants(d, kappa);
      const double series = log_peak_from(log_scaled_bessel_series(nu, kappa), d, kappa);
      EXPECT_NEAR(log_peak, series, 1e-12 * std::max(1.0, std::abs(series))) << d << ' ' << kappa;
      const double drop =
          -std::expm1(log_scaled_bessel_series(nu + 1, kappa) - log_scaled_bessel_series(nu, kappa));
      EXPECT_NEAR(mean_drop, drop, 2e-12) << d << ' ' << kappa;
    }
    for (const double kappa : {2500.0, 1e4, 1e6, 1e9, 1e12}) {
      const auto [log_peak, mean_drop] = von_mises_fisher_constants(d, kappa);
      const double hankel = log_peak_from(log_scaled_bessel_hankel(nu, kappa), d, kappa);
      EXPECT_NEAR(log_peak, hankel, 1e-12 * std::max(1.0, std::abs(hankel))) << d << ' ' << kappa;
    }
    for (const double kappa : {1e-3, 0.5, 12.0, 200.0, 600.0}) {
      const double bessel = std::log(boost::math::cyl_bessel_i(nu, kappa)) - kappa;
      const double exact = log_peak_from(bessel, d, kappa);
      EXPECT_NEAR(von_mises_fisher_constants(d, kappa).log_peak, exact,
                  1e-12 * std::max(1.0, std::abs(exact)));
    }
  }
}

TEST(VonMisesFisherConstants, KnownValues) {
  // 40-digit Bessel functions.
  const struct {
    int d;
    double kappa, log_peak, mean_drop;
  } known[] = {
      {1, 1e6, 5.9888166207774018, 5.00000125000125e-7},
      {2, 1e6, 11.977633491554929, 1.0e-6},
      {3, 1e-8, -2.9826069422587457, 0.9999999975},
      {10, 37.5, 9.2022986039344999, 0.12605261049738339},
      {64, 1e3, 162.73230993696063, 0.03150362669480399},
      {64, 0.1, 42.024240019960303, 0.9984615419941554},
      {1000, 1e4, 3698.7046839976029, 0.048753152700790119},
      {3, 1e12, 38.689716074279179, 1.499999999999625e-12},
  };
  for (const auto& row : known) {
    const auto [log_peak, mean_drop] = von_mises_fisher_constants(row.d, row.kappa);
    EXPECT_NEAR(log_peak, row.log_peak, 1e-13 * std::abs(row.log_peak)) << row.d << ' ' << row.kappa;
    EXPECT_NEAR(mean_drop, row.mean_drop, 1e-12 * row.mean_drop) << row.d << ' ' << row.kappa;
  }
}

TEST(VonMisesFisherConstants, MeanDropIsTheSlopeOfLogPeak) {
  // d(log C + κ)/dκ = 1 − A
  for (const int d : {1, 3, 20}) {
    for (const double kappa : {0.5, 5.0, 400.0}) {
      const double h = 1e-4 * kappa;
      const double slope = (von_mises_fisher_constants(d, kappa + h).log_peak -
                            von_mises_fisher_constants(d, kappa - h).log_peak) /
                           (2 * h);
      EXPECT_NEAR(von_mises_fisher_constants(d, kappa).mean_drop, slope, 2e-7 * slope);
    }
  }
}

TEST(VonMisesFisherConcentration, InvertsTheMeanResultantLength) {
  for (const int d : {1, 2, 3, 10, 64, 500}) {
    for (const double kappa : {1e-3, 0.05, 0.7, 3.0, 20.0, 150.0, 1e3, 1e4, 1e6, 1e9}) {
      const double drop = von_mises_fisher_constants(d, kappa).mean_drop;
      // The drop's own 1e-12 becomes 1e-12/(1 − drop) of κ where the resultant is short.
      EXPECT_NEAR(von_mises_fisher_concentration(d, drop) / kappa, 1, 1e-11 / (1 - drop))
          << d << ' ' << kappa;
    }
  }
}

TEST(VonMisesFisherConcentration, Limits) {
  EXPECT_EQ(von_mises_fisher_concentration(2, 1), 0);
  EXPECT_EQ(von_mises_fisher_concentration(2, 1.5), 0);
  EXPECT_TRUE(std::isinf(von_mises_fisher_concentration(2, 0)));
  EXPECT_TRUE(std::isinf(von_mises_fisher_concentration(2, -1e-17)));
}

}  // namespace
}  // namespace riemflow
