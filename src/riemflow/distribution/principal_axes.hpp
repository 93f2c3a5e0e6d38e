#pragma once
// What maximum likelihood on spheres asks of its points.

#include <Eigen/Core>
#include <string_view>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"

namespace riemflow {

/// Throws Error unless there are points, all finite, and as many weights as points or none. `of`: whose fit
/// it is, in messages.
void require_fittable(const Points<double>& points, const Weights& weights, std::string_view of);

/// The points in columns, each divided by its length; and their weights, of sum 1. Error as above, and where
/// a point has fewer than two coordinates or no direction.
struct Directions {
  Eigen::MatrixXd columns;
  Eigen::VectorXd shares;
};
Directions directions_of(const Points<double>& points, const Weights& weights, std::string_view of);

/// The axes of Σ_n share_n x_n x_nᵀ, orthonormal columns, and the mean squares along them, of sum 1 and
/// rising.
struct PrincipalAxes {
  Eigen::MatrixXd axes;
  Eigen::VectorXd squares;
};
PrincipalAxes principal_axes(const Directions& directions);

/// Mean squares below this share cannot be told from 0.
inline constexpr double kLeastSquare = 1e-14;

}  // namespace riemflow
