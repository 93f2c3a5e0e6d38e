#include "riemflow/distribution/watson.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/principal_axes.hpp"

namespace riemflow {
namespace {

Eigen::VectorXd unit_axis(const Eigen::VectorXd& axis) {
  require(axis.size() >= 2, fmt::format("Watson axis of {} numbers", axis.size()),
          "pass d + 1 numbers on S^d, d = 1 or more");
  require(axis.allFinite() && axis.stableNorm() > 0, "Watson axis has no direction",
          "pass a vector of finite length > 0");
  return axis.stableNormalized();
}

/// Of the coordinate along the axis and the others.
Eigen::VectorXd watson_gaps(Eigen::Index D, double kappa) {
  Eigen::VectorXd gaps = Eigen::VectorXd::Constant(D, kappa > 0 ? kappa : 0);
  gaps[0] = kappa > 0 ? 0 : -kappa;
  return gaps;
}

double finite(double kappa) {
  require(std::isfinite(kappa), fmt::format("Watson concentration {}", kappa),
          "use a finite one, of either sign");
  return kappa;
}

}  // namespace

Watson::Watson(const Eigen::VectorXd& axis, double kappa)
    : axis_(unit_axis(axis)),
      kappa_(finite(kappa)),
      constants_(watson_constants(ambient() - 1, kappa)),
      envelope_(watson_gaps(axis_.size(), kappa)) {}

std::string Watson::name() const {
  return fmt::format("watson:mu={},kappa={}", fmt::join(axis_, ";"), kappa_);
}

// The reflection in the plane between the axis and ∓E₁, of the two the farther one, takes ∓E₁ to the axis;
// the sign does not matter.
void Watson::sample(Random& random, Pack<double>* x, int lane) const {
  Eigen::VectorXd y = envelope_.draw(random);
  Eigen::VectorXd normal = axis_;
  normal[0] += axis_[0] < 0 ? -1 : 1;
  y -= 2 * normal.dot(y) / normal.squaredNorm() * normal;
  y.normalize();
  for (int i = 0; i < ambient(); ++i) x[i][lane] = y[i];
}

Watson fit_watson(const Points<double>& points, const Weights& weights) {
  const PrincipalAxes principal = principal_axes(directions_of(points, weights, "a Watson distribution"));
  const Eigen::VectorXd& squares = principal.squares;
  const Eigen::Index D = squares.size();
  const double off_top = squares.head(D - 1).sum(), off_bottom = squares.tail(D - 1).sum();
  require(squares[0] >= kLeastSquare,
          off_top < kLeastSquare ? fmt::format("the {} points are one axis", points.size())
                                 : fmt::format("the {} points lie on a great sphere", points.size()),
          fmt::format("a Watson distribution needs points that span R^{}: pass more, or other ones", D),
          Fault::bad_data);
  const int d = static_cast<int>(D) - 1;
  const Watson polar(principal.axes.col(D - 1), watson_concentration(d, squares[D - 1], off_top));
  const Watson girdle(principal.axes.col(0), watson_concentration(d, squares[0], off_bottom));
  // At its maximum a mean log-likelihood is −entropy.
  return *girdle.entropy() < *polar.entropy() ? girdle : polar;
}

template class DifferentiableDensity<Watson, double>;

}  // namespace riemflow
