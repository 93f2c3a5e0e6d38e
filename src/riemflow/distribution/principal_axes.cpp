#include "riemflow/distribution/principal_axes.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "riemflow/core/error.hpp"

namespace riemflow {

void require_fittable(const Points<double>& points, const Weights& weights, std::string_view of) {
  const std::size_t n = points.size();
  require(n > 0, fmt::format("no points for the fit of {}", of), "pass one at least", Fault::bad_data);
  require(weights.empty() || weights.size() == n, fmt::format("{} weights for {} points", weights.size(), n),
          "pass one a point, or none", Fault::bad_data);
  const auto bad = std::find_if_not(weights.begin(), weights.end(), is_weight);
  if (bad != weights.end())
    throw Error(fmt::format("weight {} of point {}", *bad, bad - weights.begin() + 1),
                "use finite weights, 0 or more", Fault::bad_data);
  require(total_weight(weights, n) > 0, "all weights are 0", "give one point a weight above 0",
          Fault::bad_data);
  for (std::size_t i = 0; i < n; ++i)
    if (!is_finite<double>(points[i]))
      throw Error(fmt::format("point {} is not finite", i + 1), "leave it out", Fault::bad_data);
}

Directions directions_of(const Points<double>& points, const Weights& weights, std::string_view of) {
  require_fittable(points, weights, of);
  require(points.dimension >= 2, fmt::format("points of {} numbers for {}", points.dimension, of),
          "pass d + 1 numbers on S^d, d = 1 or more", Fault::bad_data);
  const auto n = static_cast<Eigen::Index>(points.size());
  Directions directions{Eigen::Map<const Eigen::MatrixXd>(points.values.data(), points.dimension, n),
                        Eigen::VectorXd(n)};
  const double total = total_weight(weights, points.size());
  for (Eigen::Index i = 0; i < n; ++i) {
    const double length = directions.columns.col(i).stableNorm();
    if (!(length > 0))
      throw Error(fmt::format("point {} is 0, which is no direction", i + 1), "leave it out",
                  Fault::bad_data);
    directions.columns.col(i) /= length;
    directions.shares[i] = weight_of(weights, static_cast<std::size_t>(i)) / total;
  }
  return directions;
}

// An eigenvalue is found to a rounding of the largest one. The mean squares along the axes are found to their
// own roundings: those of small ones are sums of small squares.
PrincipalAxes principal_axes(const Directions& directions) {
  const auto& x = directions.columns;
  const Eigen::MatrixXd second = x * directions.shares.asDiagonal() * x.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(second);
  PrincipalAxes result{spectrum.eigenvectors(), {}};
  result.squares = (result.axes.transpose() * x).cwiseAbs2() * directions.shares;
  result.squares /= result.squares.sum();
  return result;
}

}  // namespace riemflow
