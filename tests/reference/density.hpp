#pragma once
// Log-densities with respect to the Riemannian volume: the base p₀ of each manifold, and a target.

#include <cmath>
#include <numbers>

#include "tests/reference/field.hpp"

namespace riemflow::reference {

/// log of 2π^(D/2)/Γ(D/2) K^(−d/2), D = d + 1, on the sphere; of (2π)^d on the torus.
inline double log_volume(const FactorSpec& factor) {
  constexpr double pi = std::numbers::pi;
  if (factor.kind == Kind::torus) return factor.d * std::log(2 * pi);
  const double D = factor.d + 1;
  return std::log(2 * std::pow(pi, D / 2) / std::tgamma(D / 2) * std::pow(factor.K, -factor.d / 2.0));
}

/// log N(v; 0, I) = −(d/2) log 2π − |v|²/2
template <class N>
N log_normal(const Vector<N>& v) {
  return -0.5 * static_cast<double>(v.size()) * std::log(2 * std::numbers::pi) - 0.5 * dot(v, v);
}

/// log N(v; 0, I) − (d − 1) log(sinh(√c r)/(√c r)), v = (2/√c) atanh(√c|x|) x/|x|, r = |v|, c = −K; x ≠ 0.
template <class N>
N log_wrapped_normal(const FactorSpec& factor, const Vector<N>& x) {
  using std::atanh, std::log, std::sinh;
  const double root = std::sqrt(-factor.K);
  const Vector<N> v = scaled(2 / root * atanh(root * norm(x)), unit(x));
  const N r = norm(v);
  return log_normal(v) - (factor.d - 1) * log(sinh(root * r) / (root * r));
}

/// log p₀: uniform on spheres and tori, standard normal on R^d, standard wrapped normal on the ball.
template <class N>
N log_base(const FieldSpec& spec, const Vector<N>& z) {
  const std::vector<Vector<N>> zb = blocks(spec, z);
  N s(0);
  for (std::size_t b = 0; b < zb.size(); ++b) {
    const FactorSpec& factor = spec.factors[b];
    if (factor.kind == Kind::euclidean)
      s += log_normal(zb[b]);
    else if (factor.kind == Kind::ball)
      s += log_wrapped_normal(factor, zb[b]);
    else
      s -= N(log_volume(factor));
  }
  return s;
}

/// log target(z) = Σ_i a_i z_i, not normalised: von Mises–Fisher on a sphere.
struct LinearTarget {
  std::vector<double> a;

  template <class N>
  N operator()(const Vector<N>& z) const {
    return dot(lift<N>(a), z);
  }
};

}  // namespace riemflow::reference
