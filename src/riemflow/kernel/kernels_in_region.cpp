#include "riemflow/kernel/kernels_in_region.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/kronrod.hpp"

namespace riemflow {
namespace {

using std::numbers::pi;
using Vector = Eigen::Vector3d;
using RowMatrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// What is left beyond a component's reach, e^−28 = 7e-13.
constexpr double kBeyond = 28;
constexpr double kBorderTolerance = 1e-10;  // of an integral over a piece
constexpr int kDeepest = 60;
/// Of the width: P changes by 0.4 of it at most, and the rounding of the border, 1e-16, is little beside it.
constexpr double kNudge = 1e-7, kLeastNudge = 1e-13;

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// One component.
struct Radial {
  Vector centre;
  Eigen::Matrix<double, 2, 3> whiten;  ///< u = whiten·x; rows at right angles to the centre
  double kappa = 0;                    ///< von Mises–Fisher, where s = 0
  double s = 0;                        ///< of an elliptic kernel
  double reach = 2;                    ///< a chord, beyond which there is nothing
  double width = 1;                    ///< an angle, in which it rises from nothing to all

  /// F, or 1 − F.
  double mass(const Vector& x, double q, bool inside) const {
    const double c = centre.dot(x);
    if (s == 0) {
      const double drop = 0.5 * (x - centre).squaredNorm();  // 1 − c
      if (kappa < 1e-8) return inside ? 0.5 * drop : 1 - 0.5 * drop;
      if (inside) return std::expm1(-kappa * drop) / std::expm1(-2 * kappa);
      return std::exp(-kappa * drop) * std::expm1(-kappa * (2 - drop)) / std::expm1(-2 * kappa);
    }
    const double root = std::sqrt(c * c + s * s * q);
    const double cone = c / root * std::exp(-0.5 * q / (root * root)) * normal_cdf(c / (s * root));
    return inside ? normal_cdf(1 / s) - cone : normal_cdf(-1 / s) + cone;
  }

  Eigen::Vector2d u(const BorderPiece& piece, double t) const {
    Vector x, velocity;
    piece.at(t, x.data(), velocity.data());
    return whiten * (x - centre);
  }

  /// F dφ/dt, or (1 − F) dφ/dt.
  double along(const BorderPiece& piece, double t, bool inside) const {
    Vector x, velocity;
    piece.at(t, x.data(), velocity.data());
    const Eigen::Vector2d u = whiten * (x - centre), du = whiten * velocity;  // the centre's u is 0
    const double q = u.squaredNorm();
    if (!(q > 0)) return 0;
    return mass(x, q, inside) * (u[0] * du[1] - u[1] * du[0]) / q;
  }
};

/// Moves the centre, and turns u so that φ rises counterclockwise, seen from outside.
void settle(Radial& component) {
  Vector& m = component.centre;
  m.normalize();
  const Vector e = m.unitOrthogonal();
  m = (m + std::max(kNudge * component.width, kLeastNudge) * (0.6 * e + 0.8 * m.cross(e))).normalized();
  component.whiten -= component.whiten * m * m.transpose();
  const Vector first = component.whiten.row(0), second = component.whiten.row(1);
  if (first.cross(second).dot(m) < 0) component.whiten.row(1) *= -1;
}

Radial round_kernel(const Vector& mean, double kappa) {
  Radial component;
  component.centre = mean;
  const Vector e = mean.unitOrthogonal();
  component.whiten.row(0) = e;
  component.whiten.row(1) = mean.normalized().cross(e);
  component.kappa = kappa;
  component.width = std::min(1.0, 1 / std::sqrt(kappa));
  component.reach = std::min(2.0, std::sqrt(2 * kBeyond / kappa));  // κ·chord²/2
  settle(component);
  return component;
}

/// sigma: in the plane at right angles to m, 3 × 3.
Radial elliptic_kernel(const Vector& m, const Eigen::Matrix3d& sigma) {
  Radial component;
  component.centre = m.normalized();
  Eigen::Matrix<double, 3, 2> frame;
  frame.col(0) = component.centre.unitOrthogonal();
  frame.col(1) = component.centre.cross(frame.col(0));
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(frame.transpose() * sigma * frame);
  const Eigen::Vector2d variances = eigen.eigenvalues();
  component.whiten = variances.cwiseSqrt().cwiseInverse().asDiagonal() * eigen.eigenvectors().transpose() *
                     frame.transpose();
  component.s = std::pow(variances.prod(), 0.25);
  component.width = std::min(1.0, std::sqrt(variances[0]));
  // e^{−q/2a} with q/a = ρ²/(1 + s²ρ²), ρ = tan θ over a deviation; no more than 1/s².
  const double left = 1 - 2 * kBeyond * component.s * component.s;
  if (left > 0) {
    const double angle = std::atan(std::sqrt(variances[1] * 2 * kBeyond / left));
    component.reach = 2 * std::sin(angle / 2);
  }
  settle(component);
  return component;
}

/// += ∫ f over [a, b], by halving.
template <class F>
void add_integral(const F& f, double a, double b, int depth, Integral& sum) {
  const KronrodRule& rule = kronrod_rule(kKronrodRules - 1);
  const double half = 0.5 * (b - a), middle = 0.5 * (a + b);
  double kronrod = 0, gauss = 0, scale = 0, values[15];
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
    values[i] = f(middle + half * rule.nodes[i]);
    kronrod += half * rule.weights[i] * values[i];
    gauss += half * rule.gauss_weights[i] * values[i];
  }
  sum.evaluations += rule.nodes.size();
  const double mean = kronrod / (b - a);
  for (std::size_t i = 0; i < rule.nodes.size(); ++i)
    scale += std::abs(half) * rule.weights[i] * std::abs(values[i] - mean);
  const double difference = std::abs(kronrod - gauss);
  const double error = scale > 0 ? scale * std::min(1.0, std::pow(200 * difference / scale, 1.5)) : 0;
  if (!(error > kBorderTolerance) || depth == kDeepest) {
    sum.value += kronrod;
    sum.error += error;
    return;
  }
  add_integral(f, a, middle, depth + 1, sum);
  add_integral(f, middle, b, depth + 1, sum);
}

/// Where a piece comes nearest to m: by the golden section, then where (x − m)·dx/dt changes sign, to
/// rounding.
double nearest(const BorderPiece& piece, const Vector& m) {
  constexpr double kGolden = 0.3819660112501051;
  Vector x, velocity;
  const auto square = [&](double t) {
    piece.at(t, x.data(), velocity.data());
    return (x - m).squaredNorm();
  };
  double a = 0, b = 1, c = kGolden, d = 1 - kGolden, at_c = square(c), at_d = square(d);
  for (int i = 0; i < 12; ++i) {
    if (at_c < at_d) {
      b = d;
      d = c;
      at_d = at_c;
      c = a + kGolden * (b - a);
      at_c = square(c);
    } else {
      a = c;
      c = d;
      at_c = at_d;
      d = b - kGolden * (b - a);
      at_d = square(d);
    }
  }
  const auto slope = [&](double t) {
    piece.at(t, x.data(), velocity.data());
    return (x - m).dot(velocity);
  };
  if (slope(a) >= 0) return a;
  if (slope(b) <= 0) return b;
  for (int i = 0; i < 55; ++i) {
    const double middle = 0.5 * (a + b);
    (slope(middle) < 0 ? a : b) = middle;
  }
  return 0.5 * (a + b);
}

/// += (1/2π) ∫ (1 − F) dφ over the part of the piece that is within reach. Near the centre, where dφ is a
/// narrow peak, as (1/2π) (Δφ − ∫ F dφ), in which F dφ has none; Δφ from and to the nearest point, less than
/// π each.
void add_piece(const Radial& component, const BorderPiece& piece, Integral& sum) {
  const auto distance = [&](double t) {
    Vector x, velocity;
    piece.at(t, x.data(), velocity.data());
    return (x - component.centre).norm();
  };
  const double at = nearest(piece, component.centre), least = distance(at);
  if (least > component.reach) return;
  const double length = std::max(2 * piece.radius, 1e-300), step = (component.reach + least) / length;
  const double near = least < 0.5 * component.width ? 0.5 * component.width / length : 0;
  for (const double end : {0.0, 1.0}) {
    const double way = end - at, sign = end == 0 ? -1 : 1;
    if (way == 0) continue;
    double far = step;
    while (far < std::abs(way) && distance(at + sign * far) < component.reach) far += step;
    far = std::min(far, std::abs(way));
    const double split = std::min(near, far);
    Integral own;
    if (split > 0) {
      const Eigen::Vector2d u = component.u(piece, at), v = component.u(piece, at + sign * split);
      own.value += sign * std::atan2(u[0] * v[1] - u[1] * v[0], u.dot(v)) / (2 * pi);
      add_integral([&](double t) { return -component.along(piece, at + sign * t, true) / (2 * pi); }, 0,
                   split, 0, own);
    }
    if (far > split)
      add_integral([&](double t) { return component.along(piece, at + sign * t, false) / (2 * pi); }, split,
                   far, 0, own);
    sum.add(own);
  }
}

/// += weight·P(region).
void add_component(const Radial& component, double weight, const EarthRegion& region, Integral& total) {
  Integral sum;
  for (const BorderPiece& piece : region.border) {
    const double away = (Eigen::Map<const Vector>(piece.middle) - component.centre).norm();
    if (away <= component.reach + piece.radius) add_piece(component, piece, sum);
  }
  const double inside = region.contains(component.centre.data()) ? 1 : 0;
  total.value += weight * std::clamp(inside - sum.value, 0.0, 1.0);
  total.error += weight * (sum.error + std::exp(-kBeyond) + (sum.evaluations > 0 ? kNudge : 0));
  total.evaluations += sum.evaluations;
}

}  // namespace

Integral kernels_in_region(const KernelParameters& kernels, const EarthRegion& region) {
  Integral total;
  total.converged = true;
  const double share = 1 - kernels.wide;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Vector m = Eigen::Map<const Vector>(kernels.centres[i].data());
    const double h = kernels.bandwidths[i];
    const Radial component =
        kernels.shapes.empty()
            ? round_kernel(m, 1 / (h * h))
            : elliptic_kernel(m, h * h * Eigen::Map<const RowMatrix>(&kernels.shapes[9 * i]).eval());
    add_component(component, share * kernels.weights[i], region, total);
  }
  total.value += kernels.wide * region.steradians / (4 * pi);
  return total;
}

Integral mixture_in_region(const MixtureParameters& mixture, const EarthRegion& region) {
  Integral total;
  total.converged = true;
  for (std::size_t k = 0; k < mixture.size(); ++k)
    add_component(round_kernel(Eigen::Map<const Vector>(mixture.means[k].data()), mixture.kappas[k]),
                  mixture.weights[k], region, total);
  return total;
}

}  // namespace riemflow
