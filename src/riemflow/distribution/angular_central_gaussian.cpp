#include "riemflow/distribution/angular_central_gaussian.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/principal_axes.hpp"

namespace riemflow {

namespace {

/// Whether more than n of the unit columns differ as axes.
bool has_more_axes_than(const Eigen::MatrixXd& columns, Eigen::Index n) {
  std::vector<Eigen::Index> found;
  for (Eigen::Index i = 0; i < columns.cols(); ++i) {
    const bool old = std::any_of(found.begin(), found.end(), [&](Eigen::Index k) {
      return 1 - std::abs(columns.col(k).dot(columns.col(i))) < kLeastSquare;
    });
    if (!old) found.push_back(i);
    if (std::ssize(found) > n) return true;
  }
  return false;
}

}  // namespace

AngularCentralGaussian::AngularCentralGaussian(const Eigen::MatrixXd& covariance) : covariance_(covariance) {
  const Eigen::Index D = covariance.rows();
  require(D == covariance.cols() && D >= 2,
          fmt::format("angular central Gaussian covariance of {} x {}", D, covariance.cols()),
          "pass a square matrix of d + 1 rows on S^d, d = 1 or more");
  const std::string how = "pass a symmetric positive definite matrix";
  require(covariance.allFinite(), "angular central Gaussian covariance that is not finite", how);
  const double asymmetry = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
  require(asymmetry <= 1e-12 * covariance.cwiseAbs().maxCoeff(),
          fmt::format("angular central Gaussian covariance is off symmetry by {}", asymmetry), how);
  const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
  require(cholesky.info() == Eigen::Success, "angular central Gaussian covariance is not positive definite",
          how);
  factor_ = cholesky.matrixL();
  whiten_ = cholesky.matrixL().solve(Eigen::MatrixXd::Identity(D, D));
  require(whiten_.allFinite(), "angular central Gaussian covariance is singular to rounding", how);
  const double half = 0.5 * static_cast<double>(D);
  log_peak_ = std::lgamma(half) - std::log(2.0) - half * std::log(std::numbers::pi) -
              factor_.diagonal().array().log().sum();
}

std::string AngularCentralGaussian::name() const {
  return fmt::format("angular-central-gaussian:sigma={}", fmt::join(covariance_.reshaped(), ";"));
}

void AngularCentralGaussian::sample(Random& random, Pack<double>* x, int lane) const {
  Eigen::VectorXd z(factor_.rows());
  for (double& z_i : z) z_i = random.normal();
  z = factor_ * z;
  z.stableNormalize();
  for (int i = 0; i < ambient(); ++i) x[i][lane] = z[i];
}

// x = Lz/|Lz|, so that xᵀΛ⁻¹x = |z|²/zᵀΛ'z with Λ' = LᵀL, of the eigenvalues λ of Λ. By Frullani's integral,
//   E log|z|² − E log zᵀΛ'z = ∫_0^∞ (Π_i (1 + 2λ_i w)^{−½} − (1 + 2w)^{−D/2}) dw/w.
// With w = e^y the integrand is analytic in |Im y| < π and falls as e^{−|y|} or faster beyond all 1/λ_i: the
// trapezoidal rule with step 1/5 is exact to rounding. Λ is scaled for a geometric mean of its eigenvalues
// of 1.
std::optional<double> AngularCentralGaussian::entropy() const {
  const double D = static_cast<double>(ambient());
  const double log_scale = 2 * factor_.diagonal().array().log().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(covariance_ / std::exp(log_scale),
                                                                Eigen::EigenvaluesOnly);
  const Eigen::ArrayXd lambda = spectrum.eigenvalues().array().max(1e-300);
  const double step = 0.2;
  const double bottom = -42 - std::log(D) - std::log(lambda.maxCoeff());
  const double top = 42 - std::log(lambda.minCoeff());
  double sum = 0;
  for (double y = bottom; y < top; y += step) {
    const double w = std::exp(y);
    // The difference as a product, without cancellation where w is small.
    const double flat = -0.5 * D * std::log1p(2 * w);
    double tilted = 0;
    for (const double lambda_i : lambda) tilted -= 0.5 * std::log1p(2 * lambda_i * w);
    sum += std::exp(flat) * std::expm1(tilted - flat);
  }
  return -log_peak_ + 0.5 * D * (step * sum - log_scale);
}

// Tyler (1987): Λ ← D Σ_n w_n x_n x_nᵀ/(x_nᵀΛ⁻¹x_n)/Σ_n w_n/(x_nᵀΛ⁻¹x_n), whose fixed points are those of the
// likelihood's gradient.
AngularCentralGaussian fit_angular_central_gaussian(const Points<double>& points, const Weights& weights) {
  const Directions directions = directions_of(points, weights, "an angular central Gaussian distribution");
  const Eigen::MatrixXd& x = directions.columns;
  const Eigen::Index D = x.rows();
  const auto refusal = [&] {
    return Error(
        fmt::format("of the {} points too large a share lies in a subspace of R^{}, or there are too few",
                    points.size(), D),
        fmt::format(
            "an angular central Gaussian distribution needs more than {0} points, by weight fewer than "
            "k/{0} of them in any subspace of dimension k: pass more, or other ones",
            D),
        Fault::bad_data);
  };
  if (principal_axes(directions).squares[0] < kLeastSquare || !has_more_axes_than(x, D)) throw refusal();
  constexpr double settled = 1e-13, rounding = 1e-9, singular = 1e-13;
  double last = 1;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(D, D);
  for (int round = 0; round < 5000; ++round) {
    const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
    if (cholesky.info() != Eigen::Success) throw refusal();
    const Eigen::VectorXd diagonal = Eigen::MatrixXd(cholesky.matrixL()).diagonal();
    if (diagonal.minCoeff() * diagonal.minCoeff() < singular * diagonal.maxCoeff() * diagonal.maxCoeff())
      throw refusal();
    const Eigen::MatrixXd white = cholesky.matrixL().solve(x);
    const Eigen::VectorXd pull =
        directions.shares.array() / white.colwise().squaredNorm().transpose().array();
    // In the frame of L the fixed point is I: the change is relative in every direction.
    Eigen::MatrixXd next = white * pull.asDiagonal() * white.transpose() * static_cast<double>(D);
    const double change = (next - Eigen::MatrixXd::Identity(D, D)).cwiseAbs().maxCoeff();
    const Eigen::MatrixXd L = cholesky.matrixL();
    next = L * next * L.transpose();
    covariance = (next + next.transpose()) * (0.5 * static_cast<double>(D) / next.trace());
    if (change < settled * static_cast<double>(D) || (change < rounding && change >= last))
      return AngularCentralGaussian(covariance);
    last = change;
  }
  throw refusal();
}

template class DifferentiableDensity<AngularCentralGaussian, double>;

}  // namespace riemflow
