#pragma once
// The replay of a solve: y = (z, l, kin, frob), y' = (f, div f, |f|_g², ‖∇f‖²), over given steps, z projected
// onto the manifold after each.

#include <cmath>
#include <numbers>

#include "tests/reference/covariant.hpp"
#include "tests/reference/runge_kutta.hpp"

namespace riemflow::reference {

/// From t to t + h; h may be negative.
struct Step {
  double t;
  double h;
};

/// n equal steps from t0 to t1.
inline std::vector<Step> equal_steps(double t0, double t1, int n) {
  std::vector<Step> steps;
  for (int i = 0; i < n; ++i) steps.push_back({t0 + (t1 - t0) * i / n, (t1 - t0) / n});
  return steps;
}

template <class N>
struct State {
  Vector<N> z;
  N l = N(0);     ///< ∫ div f dt
  N kin = N(0);   ///< ∫ |f|_g² dt
  N frob = N(0);  ///< ∫ ‖∇f‖² dt
};

/// Sphere: to radius 1/√K. Torus: each angle to [−π, π) by a multiple of 2π, a constant. Elsewhere z itself.
template <class N>
Vector<N> projection(const FieldSpec& spec, const Vector<N>& z) {
  constexpr double pi = std::numbers::pi;
  std::vector<Vector<N>> zb = blocks(spec, z);
  for (std::size_t b = 0; b < zb.size(); ++b) {
    if (spec.factors[b].kind == Kind::sphere)
      zb[b] = scaled(N(1 / std::sqrt(spec.factors[b].K)), unit(zb[b]));
    if (spec.factors[b].kind == Kind::torus)
      for (N& angle : zb[b]) angle -= N(2 * pi * std::floor((value_of(angle) + pi) / (2 * pi)));
  }
  return concatenation(zb);
}

template <class N>
State<N> flow(const FieldSpec& spec, const Vector<N>& theta, const Tableau& tableau,
              const std::vector<Step>& steps, const Vector<N>& z0, const Noise& noise = {}) {
  const auto augmented = [&](double t, const Vector<N>& y) {
    const Vector<N> z(y.begin(), y.end() - 3);
    Vector<N> r = field(spec, theta, z, t);
    r.push_back(divergence(spec, theta, z, t, noise));
    r.push_back(kinetic(spec, theta, z, t));
    r.push_back(frobenius(spec, theta, z, t, noise));
    return r;
  };
  State<N> state{z0};
  for (const Step& step : steps) {
    Vector<N> y = state.z;
    y.insert(y.end(), {state.l, state.kin, state.frob});
    y = runge_kutta_step(tableau, augmented, step.t, step.h, y);
    const std::size_t D = state.z.size();
    state = {projection(spec, Vector<N>(y.begin(), y.end() - 3)), y[D], y[D + 1], y[D + 2]};
  }
  return state;
}

}  // namespace riemflow::reference
