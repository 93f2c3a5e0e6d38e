#include "riemflow/distribution/bingham_constants.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

namespace riemflow {
namespace {

using Complex = std::complex<double>;

/// The largest |log(E y_i²/squares_i)|.
double mismatch(const BinghamConstants& constants, const Eigen::VectorXd& squares) {
  return (constants.squares.array() / squares.array()).log().abs().maxCoeff();
}

}  // namespace

// Newton's method from ½: the function is convex and falls, so that it comes from the left and never passes.
double bingham_saddle(const Eigen::VectorXd& gaps) {
  double s = 0.5;
  for (int step = 0; step < 100; ++step) {
    const Eigen::ArrayXd inverse = 1 / (gaps.array() + s);
    const double ahead = (0.5 * inverse.sum() - 1) / (0.5 * inverse.square().sum());
    s += ahead;
    if (ahead <= 1e-15 * s) break;
  }
  return s;
}

BinghamConstants bingham_constants(const Eigen::VectorXd& gaps) {
  const Eigen::Index D = gaps.size();
  const double s0 = bingham_saddle(gaps);
  const Eigen::VectorXd base = gaps.array() + s0;
  const double step = std::min(0.1, 0.4 / std::sqrt(static_cast<double>(D)));
  double sum = 0;
  BinghamConstants constants{0, Eigen::VectorXd::Zero(D), Eigen::MatrixXd::Zero(D, D)};
  Eigen::VectorXcd inverse(D);  // 1/(a_i + s)
  for (int k = 0; k < 4000; ++k) {
    const double u = step * k;
    // s − s₀ = s₀(2iu − u²); each factor relative to its value at s₀, on its principal branch
    const Complex ahead(-s0 * u * u, 2 * s0 * u);
    Complex term = (k == 0 ? 0.5 : 1.0) * Complex(1, u) * std::exp(ahead);
    for (Eigen::Index i = 0; i < D; ++i) {
      const Complex factor = 1.0 + ahead / base[i];
      term /= std::sqrt(factor);
      inverse[i] = 1.0 / (base[i] * factor);
    }
    sum += term.real();
    for (Eigen::Index i = 0; i < D; ++i) {
      const Complex once = 0.5 * term * inverse[i];
      constants.squares[i] += once.real();
      for (Eigen::Index j = 0; j < i; ++j) constants.products(i, j) += (0.5 * once * inverse[j]).real();
      constants.products(i, i) += (1.5 * once * inverse[i]).real();
    }
    if (s0 * u * u > 46 && std::abs(term) < 1e-19 * std::abs(sum)) break;
  }
  constants.log_mass = std::log(2.0) + 0.5 * static_cast<double>(D) * std::log(std::numbers::pi) + s0 -
                       0.5 * base.array().log().sum() + std::log(2 * s0 / std::numbers::pi * step * sum);
  constants.squares /= sum;
  constants.products /= sum;
  constants.products.triangularView<Eigen::StrictlyUpper>() = constants.products.transpose();
  return constants;
}

// At the saddle point E y_i² is about 1/(2(a_i + s₀)): this is solved exactly to begin with, and 1/E y_i² is
// nearly linear in the gaps, which makes Newton's method for it quick from there, however large they are. The
// gap of the largest square stays 0.
Eigen::VectorXd bingham_gaps(const Eigen::VectorXd& squares) {
  Eigen::Index top = 0;
  const double most = squares.maxCoeff(&top);
  Eigen::VectorXd gaps = ((most - squares.array()) / (2 * most * squares.array())).max(0);
  BinghamConstants constants = bingham_constants(gaps);
  double error = mismatch(constants, squares);
  for (int round = 0; round < 100 && error > 1e-14; ++round) {
    // ∂(1/E_i)/∂a_j = cov(y_i², y_j²)/E_i²
    const Eigen::VectorXd& E = constants.squares;
    Eigen::MatrixXd slope =
        E.cwiseAbs2().cwiseInverse().asDiagonal() * (constants.products - E * E.transpose());
    Eigen::VectorXd missing = squares.cwiseInverse() - E.cwiseInverse();
    slope.row(top).setZero();
    slope.col(top).setZero();
    slope(top, top) = 1;
    missing[top] = 0;
    const Eigen::VectorXd direction = slope.partialPivLu().solve(missing);
    bool better = false;
    for (double part = 1; part > 1e-3 && !better; part /= 2) {
      const Eigen::VectorXd next = (gaps + part * direction).cwiseMax(0);
      BinghamConstants there = bingham_constants(next);
      const double there_error = mismatch(there, squares);
      if (!(there_error < error)) continue;
      better = true;
      gaps = next;
      constants = std::move(there);
      error = there_error;
    }
    if (!better) break;  // to rounding
  }
  return gaps;
}

}  // namespace riemflow
