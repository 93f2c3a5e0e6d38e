#include "riemflow/distribution/wrapped_normal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;

/// Θ(w) = Σ_{k≥1} exp(−π²k²w), w > 0. Where that is slow (w < 1/π) by Jacobi's identity
/// 1 + 2Θ(w) = (1 + 2Σ_{n≥1} exp(−n²/w))/√(πw). Three terms leave less than e^−50 in either.
double theta(double w) {
  const bool slow = w < 1 / pi;
  const double exponent = slow ? 1 / w : pi * pi * w;
  double sum = 0;
  for (int k = 1; k <= 3; ++k) sum += std::exp(-exponent * k * k);
  return slow ? ((1 + 2 * sum) / std::sqrt(pi * w) - 1) / 2 : sum;
}

/// E log(sinh ρ/ρ) for ρ² = Σ_i s_i z_i², z standard normal: one integral, whatever the number of s_i.
///   log(sinh ρ/ρ) = Σ_k log(1 + ρ²/(π²k²))                  (product formula of sinh)
///                 = ∫_0^∞ (1 − exp(−wρ²)) Θ(w)/w dw          (Frullani, term by term)
///   E exp(−wρ²)   = Π_i (1 + 2 s_i w)^−½
/// With w = e^y the integrand is analytic in |Im y| < π/2, falls as e^{y/2} on the left and doubly
/// exponentially on the right: the trapezoidal rule with step 1/8 is exact to rounding.
double expected_log_sinhc(const Eigen::VectorXd& s) {
  const double step = 0.125;
  const double top = 2;  // Θ(e^2) = e^−73
  const double bottom = -76 - std::max(0.0, std::log(s.sum()));
  double sum = 0;
  for (double y = top; y > bottom; y -= step) {
    const double w = std::exp(y);
    double log_transform = 0;
    for (const double s_i : s) log_transform -= 0.5 * std::log1p(2 * s_i * w);
    sum += -std::expm1(log_transform) * theta(w);
  }
  return step * sum;
}

template <class T>
Eigen::VectorXd rounded(const Eigen::VectorXd& v) {
  return v.cast<T>().template cast<double>();
}

}  // namespace

template <class T>
WrappedNormal<T>::WrappedNormal(int d, double curvature, const Eigen::VectorXd& mean,
                                const Eigen::MatrixXd& covariance)
    : d_(d),
      c_(-curvature),
      mean_(rounded<T>(mean)),
      covariance_(covariance),
      a_(1 - c_ * mean_.squaredNorm()) {
  require(d >= 1, fmt::format("wrapped normal of dimension {}", d), "use a dimension of 1 or more");
  require(curvature < 0 && std::isfinite(curvature),
          fmt::format("wrapped normal on curvature K = {}", curvature),
          "use a finite K < 0; on R^d use a normal");
  require(mean.size() == d, fmt::format("mean of {} numbers in dimension {}", mean.size(), d),
          fmt::format("pass {} coordinates", d));
  require(a_ > 0, fmt::format("mean of norm {} is not inside the ball", mean.norm()),
          fmt::format("keep it below 1/sqrt(-K) = {}", 1 / std::sqrt(c_)));
  require(covariance.rows() == d && covariance.cols() == d,
          fmt::format("covariance of {} x {} in dimension {}", covariance.rows(), covariance.cols(), d),
          fmt::format("pass a {0} x {0} matrix", d));
  const std::string how = "pass a symmetric positive definite matrix";
  const double asymmetry = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
  require(asymmetry <= 1e-12 * covariance.cwiseAbs().maxCoeff(),
          fmt::format("covariance is off symmetry by {}", asymmetry), how);
  const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
  require(cholesky.info() == Eigen::Success, "covariance is not positive definite", how);

  factor_ = cholesky.matrixL();
  whiten_ = cholesky.matrixL().solve(Eigen::MatrixXd::Identity(d, d));
  require(whiten_.allFinite(), "covariance is singular to rounding", how);
  log_peak_ = -0.5 * d * std::log(2 * pi) - factor_.diagonal().array().log().sum();
}

template <class T>
WrappedNormal<T> WrappedNormal<T>::standard(int d, double curvature) {
  const int n = std::max(d, 0);
  return WrappedNormal(d, curvature, Eigen::VectorXd::Zero(n), Eigen::MatrixXd::Identity(n, n));
}

template <class T>
template <class N>
N WrappedNormal<T>::log_density_of(const N* x) const {
  std::vector<N> v(static_cast<std::size_t>(d_));
  for (int i = 0; i < d_; ++i) v[static_cast<std::size_t>(i)] = x[i] - N(mean_[i]);
  const N c_square = N(c_) * dot(d_, v.data(), v.data());
  const N b = N(1) - N(c_) * dot(d_, x, x);
  const N q = c_square / (N(a_) * b);
  const N h = asinh_ratio(q);

  const N stretch = N(2) * h / (sqrt(N(1) + q) * b);
  const N pull = c_square / N(a_);
  for (int i = 0; i < d_; ++i) {
    N& v_i = v[static_cast<std::size_t>(i)];
    v_i = stretch * (v_i - pull * N(mean_[i]));
  }
  N log_density = N(log_peak_) - N(d_ - 1) * (N(0.5) * log1p(q) - log(h));
  for (int i = 0; i < d_; ++i) {
    N w = N(whiten_(i, 0)) * v[0];
    for (int j = 1; j <= i; ++j) w += N(whiten_(i, j)) * v[static_cast<std::size_t>(j)];
    log_density -= N(0.5) * w * w;
  }
  return log_density;
}

template <class T>
std::string WrappedNormal<T>::name() const {
  if (mean_.isZero(0) && covariance_ == Eigen::MatrixXd::Identity(d_, d_))
    return fmt::format("wrapped-normal:{},K={}", d_, -c_);
  // Symmetric, so that rows or columns first is the same.
  Eigen::VectorXd sigma = covariance_.reshaped();
  if (covariance_.isDiagonal(0)) sigma = covariance_.diagonal();
  return fmt::format("wrapped-normal:mean={},sigma={}", fmt::join(mean_, ";"), fmt::join(sigma, ";"));
}

template <class T>
void WrappedNormal<T>::sample(Random& random, Pack<T>* x, int lane) const {
  Eigen::VectorXd v(d_);
  for (double& v_i : v) v_i = random.normal();
  v = factor_ * v;
  // m = tanh(ρ/2) v/ρ, and 1 − c|m|² = sech²(ρ/2)
  const double rho = std::sqrt(c_) * v.norm();
  const double cosh_half = std::cosh(rho / 2);
  // μ ⊕ m = (aσ + c|σ|²μ)/(a(1 − c|m|²) + c|σ|²),  σ = μ + m: the textbook form without its cancellation
  const Eigen::VectorXd sum = mean_ + (rho > 0 ? std::tanh(rho / 2) / rho : 0.5) * v;
  const double c_square = c_ * sum.squaredNorm();
  Eigen::VectorXd y = (a_ * sum + c_square * mean_) / (a_ / (cosh_half * cosh_half) + c_square);

  // Inside by (5 + d)ε: more than rounding to T (ε/2) and then computing c|x|² in T (dε/2 + ε) can lose.
  const double rim = 1 - (5 + d_) * static_cast<double>(std::numeric_limits<T>::epsilon());
  const double norm = std::sqrt(c_) * y.norm();
  if (!(norm < rim)) y *= rim / norm;
  for (int i = 0; i < d_; ++i) x[i][lane] = static_cast<T>(y[i]);
}

template <class T>
std::optional<double> WrappedNormal<T>::entropy() const {
  const double gaussian = 0.5 * d_ - log_peak_;
  if (d_ == 1) return gaussian;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(factor_ * factor_.transpose(),
                                                                Eigen::EigenvaluesOnly);
  return gaussian + (d_ - 1) * expected_log_sinhc(c_ * spectrum.eigenvalues().cwiseMax(0));
}

template class DifferentiableDensity<WrappedNormal<float>, float>;
template class DifferentiableDensity<WrappedNormal<double>, double>;
template class WrappedNormal<float>;
template class WrappedNormal<double>;

}  // namespace riemflow
