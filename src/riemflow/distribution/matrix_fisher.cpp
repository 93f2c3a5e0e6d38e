#include "riemflow/distribution/matrix_fisher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/core/rotation.hpp"

namespace riemflow {
namespace {

/// K with qᵀK q = tr FᵀR(q), by rotation::matrix_of.
Eigen::Matrix4d quadratic_form(const Eigen::Matrix3d& F) {
  require(F.allFinite(), "matrix Fisher parameter that is not finite",
          "pass a 3 x 3 matrix of finite numbers");
  const double wx = F(2, 1) - F(1, 2), wy = F(0, 2) - F(2, 0), wz = F(1, 0) - F(0, 1);
  const double xy = F(0, 1) + F(1, 0), xz = F(0, 2) + F(2, 0), yz = F(1, 2) + F(2, 1);
  return Eigen::Matrix4d{{F(0, 0) + F(1, 1) + F(2, 2), wx, wy, wz},
                         {wx, F(0, 0) - F(1, 1) - F(2, 2), xy, xz},
                         {wy, xy, F(1, 1) - F(0, 0) - F(2, 2), yz},
                         {wz, xz, yz, F(2, 2) - F(0, 0) - F(1, 1)}};
}

/// Σ_ij M_ij times the coefficient of q_i q_j in R: E R of E q qᵀ.
Eigen::Matrix3d rotation_moment(const Eigen::Matrix4d& M) {
  return Eigen::Matrix3d{
      {M(0, 0) + M(1, 1) - M(2, 2) - M(3, 3), 2 * (M(1, 2) - M(0, 3)), 2 * (M(1, 3) + M(0, 2))},
      {2 * (M(1, 2) + M(0, 3)), M(0, 0) - M(1, 1) + M(2, 2) - M(3, 3), 2 * (M(2, 3) - M(0, 1))},
      {2 * (M(1, 3) - M(0, 2)), 2 * (M(2, 3) + M(0, 1)), M(0, 0) - M(1, 1) - M(2, 2) + M(3, 3)}};
}

}  // namespace

MatrixFisher::MatrixFisher(const Eigen::Matrix3d& matrix)
    : matrix_(matrix), quaternions_(quadratic_form(matrix)) {}

std::string MatrixFisher::name() const {
  return fmt::format("matrix-fisher:matrix={}",
                     fmt::join(Eigen::Matrix3d(matrix_.transpose()).reshaped(), ";"));
}

void MatrixFisher::sample(Random& random, Pack<double>* q, int lane) const {
  quaternions_.sample(random, q, lane);
  const rotation::Quaternion<double> kept =
      rotation::canonical({q[0][lane], q[1][lane], q[2][lane], q[3][lane]});
  for (std::size_t i = 0; i < 4; ++i) q[i][lane] = kept[i];
}

std::optional<double> MatrixFisher::entropy() const { return *quaternions_.entropy() + std::log(4.0); }

Eigen::Vector4d MatrixFisher::mode() const {
  const Eigen::Vector4d q = quaternions_.axes().col(3);
  const rotation::Quaternion<double> kept = rotation::canonical({q[0], q[1], q[2], q[3]});
  return {kept[0], kept[1], kept[2], kept[3]};
}

Eigen::Matrix3d MatrixFisher::mean_matrix() const { return rotation_moment(quaternions_.second_moment()); }

// The other way around: ⟨K, M⟩ = ⟨F, rotation_moment(M)⟩ for all M of trace 0, so K = ¼ Σ of the coefficients
// of R times F, and R's coefficients are orthogonal and of square 4.
MatrixFisher fit_matrix_fisher(const Points<double>& quaternions, const Weights& weights) {
  require(quaternions.dimension == 4 || quaternions.values.empty(),
          fmt::format("rotations of {} numbers", quaternions.dimension), "pass unit quaternions, w x y z",
          Fault::bad_data);
  return MatrixFisher(rotation_moment(fit_bingham(quaternions, weights).matrix()) / 4);
}

template class DifferentiableDensity<MatrixFisher, double>;

}  // namespace riemflow
