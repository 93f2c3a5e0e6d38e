#include "riemflow/distribution/kent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/principal_axes.hpp"
#include "riemflow/distribution/uphill.hpp"

namespace riemflow {
namespace {

Eigen::Matrix3d kent_frame(const Eigen::Vector3d& mean, const Eigen::Vector3d& major) {
  require(mean.allFinite() && mean.stableNorm() > 0, "Kent mean has no direction",
          "pass a vector of finite length > 0");
  require(major.allFinite() && major.stableNorm() > 0, "Kent major axis has no direction",
          "pass a vector of finite length > 0");
  Eigen::Matrix3d frame;
  frame.col(0) = mean.stableNormalized();
  Eigen::Vector3d axis = major.stableNormalized();
  for (int pass = 0; pass < 2; ++pass) axis -= axis.dot(frame.col(0)) * frame.col(0);
  require(axis.norm() > 1e-9, "Kent major axis is along the mean", "pass one that is orthogonal to the mean");
  frame.col(1) = axis.normalized();
  frame.col(2) = frame.col(0).cross(frame.col(1));
  return frame;
}

KentConstants checked_constants(double kappa, double beta) {
  require(std::isfinite(kappa) && beta >= 0 && (2 * beta < kappa || (kappa == 0 && beta == 0)),
          fmt::format("Kent concentration {} with ovalness {}", kappa, beta),
          "use 0 <= 2 beta < kappa < infinity");
  return kent_constants(kappa, beta);
}

/// The largest value of e^{−κ(1−t)²/2} + e^{−κ(1+t)²/2}: where tanh κt = t.
double log_most(double kappa) {
  double low = 0, high = 1;
  for (int round = 0; round < 60 && kappa > 1; ++round) {
    const double t = (low + high) / 2;
    (std::tanh(kappa * t) > t ? low : high) = t;
  }
  return std::log(std::exp(-kappa * (1 - low) * (1 - low) / 2) +
                  std::exp(-kappa * (1 + low) * (1 + low) / 2));
}

/// The mean log-likelihood, −κ w̄ + β q̄ − log c, as a function of a turn of the frame by a small vector ω, κ
/// and β.
struct KentLikelihood {
  double value = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;

  KentLikelihood(const Directions& data, const Eigen::Matrix3d& frame, double kappa, double beta)
      : gradient(5), hessian(5, 5) {
    const Eigen::MatrixXd y = frame.transpose() * data.columns;
    const Eigen::Vector3d m = y * data.shares;
    const Eigen::Matrix3d S = y * data.shares.asDiagonal() * y.transpose();
    const Eigen::Matrix3d J = Eigen::Vector3d(0, 1, -1).asDiagonal();
    const double w = 0.5 * (data.columns.colwise() - frame.col(0)).colwise().squaredNorm() * data.shares;
    const double q = S(1, 1) - S(2, 2);
    const KentConstants constants = kent_constants(kappa, beta);
    value = -kappa * w + beta * q - constants.log_mass;

    // The frame turned by ω is y turned by −ω, y − ω×y + ½ω×(ω×y):
    //   w = 1 − y₁ changes by ω₂y₃ − ω₃y₂ + ½(|ω|²y₁ − ω₁ω·y)
    //   q = yᵀJy       by −2ω·(y×Jy) + (ω×y)ᵀJ(ω×y) + ω·Jy ω·y − |ω|²q
    const Eigen::Vector3d w_slope(0, m[2], -m[1]);
    const Eigen::Vector3d q_slope(4 * S(1, 2), -2 * S(0, 2), -2 * S(0, 1));
    Eigen::Matrix3d w_bend = m[0] * Eigen::Matrix3d::Identity();
    w_bend.row(0) -= 0.5 * m.transpose();
    w_bend.col(0) -= 0.5 * m;
    // (ω×y)₂ = ω·(y₃, 0, −y₁), (ω×y)₃ = ω·(−y₂, y₁, 0)
    Eigen::Matrix3d q_bend{{2 * (S(2, 2) - S(1, 1)), 2 * S(0, 1), -2 * S(0, 2)},
                           {2 * S(0, 1), -2 * S(0, 0), 0},
                           {-2 * S(0, 2), 0, 2 * S(0, 0)}};
    q_bend += J * S + S * J - 2 * q * Eigen::Matrix3d::Identity();
    gradient.head(3) = -kappa * w_slope + beta * q_slope;
    gradient[3] = constants.means[0] - w;
    gradient[4] = q - constants.means[1];
    hessian.topLeftCorner(3, 3) = -kappa * w_bend + beta * q_bend;
    hessian.block(0, 3, 3, 1) = -w_slope;
    hessian.block(0, 4, 3, 1) = q_slope;
    hessian.block(3, 0, 2, 3) = hessian.block(0, 3, 3, 2).transpose();
    hessian(3, 3) = -constants.covariance(0, 0);
    hessian(4, 4) = -constants.covariance(1, 1);
    hessian(3, 4) = hessian(4, 3) = constants.covariance(0, 1);
  }
};

}  // namespace

Kent::Kent(const Eigen::Vector3d& mean, const Eigen::Vector3d& major, double kappa, double beta)
    : frame_(kent_frame(mean, major)),
      kappa_(kappa),
      beta_(beta),
      pull_(kappa / 2, kappa / 2 - beta, kappa / 2 + beta),
      constants_(checked_constants(kappa, beta)),
      envelope_(Eigen::Vector3d(0, pull_[1], pull_[2])),
      log_most_(log_most(kappa)) {}

std::string Kent::name() const {
  return fmt::format("kent:mu={},major={},kappa={},beta={}", fmt::join(frame_.col(0), ";"),
                     fmt::join(frame_.col(1), ";"), kappa_, beta_);
}

// With t = ⟨γ₁, x⟩ the density is that of the Bingham distribution with pulls 0, κ/2 − β, κ/2 + β, times
// e^{−κ(1−t)²/2} (Kent, Ganeiban and Mardia 2018); both ends of an axis together are taken, then one of them.
void Kent::sample(Random& random, Pack<double>* x, int lane) const {
  for (;;) {
    Eigen::Vector3d y = envelope_.draw(random);
    const double t = std::abs(y[0]);
    const double other = std::exp(-2 * kappa_ * t);  // of the far end against the near one
    const double log_both = -kappa_ * (1 - t) * (1 - t) / 2 + std::log1p(other);
    if (std::log(random.uniform()) > log_both - log_most_) continue;
    const bool far = random.uniform() * (1 + other) > 1;
    if ((y[0] < 0) != far) y = -y;
    y = frame_ * y;
    y.normalize();
    for (int i = 0; i < 3; ++i) x[i][lane] = y[i];
    return;
  }
}

Kent fit_kent(const Points<double>& points, const Weights& weights) {
  const Directions data = directions_of(points, weights, "a Kent distribution");
  require(data.columns.rows() == 3,
          fmt::format("Kent distribution of points of {} numbers", points.dimension),
          "pass unit vectors of 3 numbers; it is for sphere:2", Fault::bad_data);
  // Kent's moments (1982): the mean direction, axes across it, and the parameters of a concentrated density.
  const Eigen::Vector3d mean = data.columns * data.shares;
  const Eigen::Vector3d towards = mean.norm() > 1e-12 ? mean : Eigen::Vector3d(data.columns.col(0));
  Eigen::Vector3d any = Eigen::Vector3d::Zero();
  Eigen::Index least = 0;
  towards.cwiseAbs().minCoeff(&least);
  any[least] = 1;
  Eigen::Matrix3d frame = kent_frame(towards, any);
  const Eigen::MatrixXd across = frame.rightCols(2).transpose() * data.columns;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> spectrum(across * data.shares.asDiagonal() *
                                                                across.transpose());
  frame = kent_frame(towards, frame.rightCols(2) * spectrum.eigenvectors().col(1));
  const Eigen::Vector2d spread =
      (frame.rightCols(2).transpose() * data.columns).cwiseAbs2() * data.shares;  // larger, smaller
  require(
      spread[1] >= kLeastSquare,
      fmt::format("the {} points lie on a great circle through their mean, or are one point", points.size()),
      "a Kent distribution needs three points or more that do not: pass more, or other ones",
      Fault::bad_data);
  const double w = 0.5 * (data.columns.colwise() - frame.col(0)).colwise().squaredNorm() * data.shares;
  const double r = spread[0] - spread[1];
  const double wide = 1 / (2 * w + r), narrow = 1 / std::max(2 * w - r, spread[1]);
  double kappa = wide + narrow, beta = (narrow - wide) / 2;

  // The search may pass 2β = κ. κ < 0 and β < 0 are the same densities about other axes.
  KentLikelihood now(data, frame, kappa, beta);
  Eigen::VectorXd step = uphill(now.gradient, now.hessian);
  double before = now.gradient.dot(step);
  for (int round = 0; round < 200; ++round) {
    bool moved = false;
    for (double part = std::min(1.0, 1 / step.head(3).norm()); part > 1e-9 && !moved; part /= 2) {
      const Eigen::Vector3d turn = part * step.head(3);
      Eigen::Matrix3d next = frame;
      if (turn.norm() > 0)
        next = frame * Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
      double next_kappa = kappa + part * step[3], next_beta = beta + part * step[4];
      if (next_kappa < 0) {
        next = kent_frame(-next.col(0), next.col(1));
        next_kappa = -next_kappa;
      }
      if (next_beta < 0) {
        next = kent_frame(next.col(0), next.col(2));
        next_beta = -next_beta;
      }
      if (next_beta > 1e6 && 2 * next_beta > next_kappa) continue;
      KentLikelihood there(data, next, next_kappa, next_beta);
      if (!(there.value >= now.value - 1e-14 * (1 + std::abs(now.value)))) continue;
      moved = true;
      frame = next;
      kappa = next_kappa;
      beta = next_beta;
      now = std::move(there);
    }
    step = uphill(now.gradient, now.hessian);
    const double rest = now.gradient.dot(step);  // twice what there is to be gained
    if (!moved || rest < 1e-24 || (rest < 1e-16 && rest >= 0.25 * before)) break;
    before = rest;
  }
  if (kappa < 1e-9 && beta < 1e-9) return Kent(frame.col(0), frame.col(1), 0, 0);
  require(
      2 * beta < kappa,
      fmt::format(
          "the likelihood of a Kent distribution is largest at kappa = {:.4g}, beta = {:.4g}, not below its "
          "border 2 beta = kappa",
          kappa, beta),
      "fit a Bingham distribution, which is for points about a great circle or about two opposite ones",
      Fault::bad_data);
  return Kent(frame.col(0), frame.col(1), kappa, beta);
}

template class DifferentiableDensity<Kent, double>;

}  // namespace riemflow
