#pragma once
// A step towards the maximum of a smooth function of few parameters: Newton's step where the function is
// concave.

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

namespace riemflow {

/// |H|⁻¹ g: eigenvalues of the Hessian H count by size, those near 0 as 1e-12 of the largest, in
/// units in which its diagonal is ±1. Newton's step near a maximum; uphill everywhere.
inline Eigen::VectorXd uphill(const Eigen::VectorXd& gradient, const Eigen::MatrixXd& hessian) {
  const Eigen::VectorXd diagonal = hessian.diagonal().cwiseAbs();
  const double least = 1e-300 + 1e-30 * diagonal.maxCoeff();
  const Eigen::VectorXd unit = diagonal.cwiseMax(least).cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(unit.asDiagonal() * hessian *
                                                                unit.asDiagonal());
  const Eigen::VectorXd sizes = spectrum.eigenvalues().cwiseAbs();
  const Eigen::VectorXd along = spectrum.eigenvectors().transpose() * unit.cwiseProduct(gradient);
  return unit.cwiseProduct(spectrum.eigenvectors() *
                           along.cwiseQuotient(sizes.cwiseMax(1e-12 * sizes.maxCoeff())));
}

}  // namespace riemflow
