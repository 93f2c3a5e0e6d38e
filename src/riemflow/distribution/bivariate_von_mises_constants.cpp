#include "riemflow/distribution/bivariate_von_mises_constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "riemflow/distribution/scaled_bessel.hpp"

namespace riemflow {
namespace {

/// What is known given φ: a, and a − κ₂ = λ² sin²φ/(a + κ₂) without cancellation.
struct GivenAngle {
  double a, excess;

  GivenAngle(double kappa2, double lambda, double square_of_sine) {
    const double pull = lambda * lambda * square_of_sine;
    a = std::sqrt(kappa2 * kappa2 + pull);
    excess = pull > 0 ? pull / (a + kappa2) : 0;
  }
};

}  // namespace

MarginalOfAngle marginal_of_angle(double kappa1, double kappa2, double lambda, double w) {
  const GivenAngle given(kappa2, lambda, w * (2 - w));
  const ScaledBessel bessel = scaled_bessel(given.a);
  return {given.excess + bessel.log_i0 - kappa1 * w, bessel.ratio_x * lambda * lambda * (1 - w) - kappa1};
}

BivariateVonMisesConstants bivariate_von_mises_constants(double kappa1, double kappa2, double lambda) {
  const double K = std::hypot(kappa1, lambda);
  const int half = 20 + static_cast<int>(std::ceil(4.6 * std::sqrt(K)));  // N = 2·half; φ and −φ are alike
  std::vector<double> exponents(static_cast<std::size_t>(half) + 1);
  for (int i = 0; i <= half; ++i) {
    const double s = std::sin(std::numbers::pi * i / (2 * half));
    exponents[static_cast<std::size_t>(i)] = marginal_of_angle(kappa1, kappa2, lambda, 2 * s * s).log_density;
  }
  const double shift = *std::max_element(exponents.begin(), exponents.end());

  double sum = 0;
  Eigen::Vector3d means = Eigen::Vector3d::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  for (int i = 0; i <= half; ++i) {
    const double below = exponents[static_cast<std::size_t>(i)] - shift;
    if (below < -100) continue;
    const double weight = (i == 0 || i == half ? 1 : 2) * std::exp(below);
    const double s = std::sin(std::numbers::pi * i / (2 * half));
    const double w = 2 * s * s, sine = std::sin(std::numbers::pi * i / half);
    const GivenAngle given(kappa2, lambda, sine * sine);
    const ScaledBessel bessel = scaled_bessel(given.a);
    // ψ = θ + ε; u = 1 − cos θ, e = 1 − cos ε: E e = 1 − A, E sin²ε = A/a, E e² = 2(1 − A) − A/a.
    const double cos_t = given.a > 0 ? kappa2 / given.a : 1,
                 sin_t = given.a > 0 ? lambda * sine / given.a : 0;
    const double u = given.a > 0 ? given.excess / given.a : 0;
    const double e = bessel.drop, ee = std::max(0.0, 2 * e - bessel.ratio_x), ss = bessel.ratio_x;
    const double w2 = u + cos_t * e;
    const double w2_w2 = u * u + 2 * u * cos_t * e + cos_t * cos_t * ee + sin_t * sin_t * ss;
    const double p = sine * sin_t * bessel.ratio;
    const double w2_p = sine * sin_t * (u * bessel.ratio + cos_t * (e - ee + ss));
    const double p_p = sine * sine * (sin_t * sin_t * (1 - ss) + cos_t * cos_t * ss);
    sum += weight;
    means += weight * Eigen::Vector3d(w, w2, p);
    squares += weight * Eigen::Matrix3d{{w * w, w * w2, w * p}, {w * w2, w2_w2, w2_p}, {w * p, w2_p, p_p}};
  }
  means /= sum;
  squares /= sum;
  const double pi = std::numbers::pi;
  return {shift + std::log(2 * pi * pi / half * sum), means, squares - means * means.transpose()};
}

}  // namespace riemflow
