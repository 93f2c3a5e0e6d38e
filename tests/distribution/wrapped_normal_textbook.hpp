#pragma once
// The wrapped normal as the textbook defines it, by Möbius addition. These formulas cancel as the square of
// the distance to the rim: in 40 digits they are the truth of values and gradients, in long double of
// samples.

#include <Eigen/Dense>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>
#include <string>
#include <vector>

#include "riemflow/distribution/wrapped_normal.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow::density_test {

using Digits40 =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<40>, boost::multiprecision::et_off>;
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

inline Eigen::VectorXd vector_of(const Point& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// x ⊕ y = ((1 + 2c⟨x,y⟩ + c|y|²) x + (1 − c|x|²) y) / (1 + 2c⟨x,y⟩ + c²|x|²|y|²)
template <class Real>
Vector<Real> mobius_add(Real c, const Vector<Real>& x, const Vector<Real>& y) {
  const Real xy = x.dot(y), xx = x.squaredNorm(), yy = y.squaredNorm();
  const Real along_x = 1 + 2 * c * xy + c * yy, along_y = 1 - c * xx,
             below = 1 + 2 * c * xy + c * c * xx * yy;
  return (along_x * x + along_y * y) / below;
}

/// One wrapped normal, and all that is known of it from the definition.
struct Case {
  int d;
  double K;
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;

  template <class T>
  WrappedNormal<T> make() const {
    return {d, K, mean, covariance};
  }
  /// v = (2/√c) atanh(√c|m|) m/|m|, m = (−μ) ⊕ x
  template <class Real>
  Vector<Real> tangent(const Vector<Real>& x) const {
    using std::atanh, std::sqrt;
    const Real c(-K), root = sqrt(c);
    const Vector<Real> m = mobius_add<Real>(c, -mean.cast<Real>(), x);
    const Real norm = sqrt(m.squaredNorm());
    if (norm == 0) return m;
    const Real scale = 2 / root * atanh(Real(root * norm)) / norm;
    return scale * m;
  }
  /// −vᵀΣ⁻¹v/2 − log det(2πΣ)/2 − (d−1) log(sinh ρ/ρ)
  Digits40 log_density(const Vector<Digits40>& x) const {
    const Vector<Digits40> v = tangent<Digits40>(x);
    const Digits40 rho = sqrt(Digits40(-K * v.squaredNorm()));
    // Σ = LLᵀ, w = L⁻¹v by loops: Eigen's decompositions in this type take half a minute to compile.
    std::vector<Vector<Digits40>> L(static_cast<std::size_t>(d), Vector<Digits40>(d));
    Vector<Digits40> w(d);
    Digits40 log_det = d * log(Digits40(2 * boost::math::constants::pi<Digits40>()));
    for (int i = 0; i < d; ++i) {
      Vector<Digits40>& row = L[static_cast<std::size_t>(i)];
      for (int j = 0; j <= i; ++j) {
        const Vector<Digits40>& other = L[static_cast<std::size_t>(j)];
        Digits40 rest = covariance(i, j);
        for (int k = 0; k < j; ++k) rest -= row[k] * other[k];
        row[j] = i == j ? Digits40(sqrt(rest)) : Digits40(rest / other[j]);
      }
      w[i] = v[i];
      for (int k = 0; k < i; ++k) w[i] -= row[k] * w[k];
      w[i] /= row[i];
      log_det += 2 * log(row[i]);
    }
    const Digits40 log_sinhc = rho == 0 ? Digits40(0) : log(Digits40(sinh(rho) / rho));
    return -w.squaredNorm() / 2 - log_det / 2 - (d - 1) * log_sinhc;
  }
  /// Central differences, with a step small against the distance to the rim: 16 digits.
  Point gradient(const Vector<Digits40>& x) const {
    const Digits40 h = 1e-10 * (1 + K * x.squaredNorm());
    Point g;
    for (int i = 0; i < d; ++i) {
      Vector<Digits40> e = Vector<Digits40>::Zero(d);
      e[i] = h;
      const Digits40 slope = (log_density(x + e) - log_density(x - e)) / (2 * h);
      g.push_back(static_cast<double>(slope));
    }
    return g;
  }
  /// exp_μ of the transported v.
  Eigen::VectorXd wrap(const Eigen::VectorXd& v) const {
    using Real = long double;
    const Real c(-K), rho = std::sqrt(c) * static_cast<Real>(v.norm());
    const Vector<Real> m = (rho == 0 ? Real(0.5) : std::tanh(rho / 2) / rho) * v.cast<Real>();
    return mobius_add<Real>(c, mean.cast<Real>(), m).cast<double>();
  }
};

/// The point at hyperbolic distance `distance` from the origin of the ball of curvature K, in direction u.
inline Eigen::VectorXd at_distance(double K, double distance, const Eigen::VectorXd& u) {
  const double root = std::sqrt(-K);
  return std::tanh(root * distance / 2) / root * u.normalized();
}

/// Σ with deviations 0.3…1.5, not along the axes.
inline Eigen::MatrixXd oblique(int d) {
  Eigen::MatrixXd l = Eigen::MatrixXd::Identity(d, d);
  for (int i = 0; i < d; ++i)
    for (int j = 0; j <= i; ++j) l(i, j) = (i == j ? (i % 2 == 0 ? 1.2 : 0.4) : 0.3 * std::cos(3 * i + j));
  return l * l.transpose();
}

inline std::vector<Case> cases(const std::vector<int>& dimensions) {
  std::vector<Case> all;
  for (const int d : dimensions) {
    Eigen::VectorXd u(d);
    for (int i = 0; i < d; ++i) u[i] = std::cos(1 + 2 * i);
    for (const double K : {-1.0, -0.5, -4.0}) {
      all.push_back({d, K, Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Identity(d, d)});
      all.push_back({d, K, at_distance(K, 0.8, u), 0.25 * Eigen::MatrixXd::Identity(d, d)});
      all.push_back({d, K, at_distance(K, 3, u), oblique(d)});
    }
  }
  return all;
}

inline std::string label(const Case& c) {
  return "d " + std::to_string(c.d) + " K " + std::to_string(c.K) + " |mean| " +
         std::to_string(c.mean.norm());
}

/// Σ over panels of 15-point Gauss–Legendre.
template <class F>
double integral(const F& f, double from, double to, int panels) {
  double sum = 0;
  for (int i = 0; i < panels; ++i) {
    sum += boost::math::quadrature::gauss<double, 15>::integrate(f, from + (to - from) * i / panels,
                                                                 from + (to - from) * (i + 1) / panels);
  }
  return sum;
}

}  // namespace riemflow::density_test
