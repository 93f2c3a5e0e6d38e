#pragma once
// div f = Σ_i ∂f_i/∂z_i over all ambient coordinates + Σ_b ⟨f_b, grad log√|G_b|⟩ over the balls. The first
// sum has no radial part on a sphere because f is constant along rays. Hutchinson: the trace T of the network
// is estimated, the rest is exact,
//   div f ≈ div f − T + (1/k) Σ_j Σ_b s_b ⟨v_j^b, (Du[v_j])_b⟩,  v_j = P ε_j,
//   T = Σ_b s_b tr(P_b (Du)_bb P_b),  P_b = I − n nᵀ on spheres, I elsewhere.

#include <cmath>

#include "tests/reference/field.hpp"

namespace riemflow::reference {

/// k ambient vectors ε_j of D numbers; none = exact. Held fixed during a solve.
using Noise = std::vector<std::vector<double>>;

/// grad log√|G|, log√|G| = d log λ(z), on the ball.
template <class N>
Vector<N> log_volume_gradient(const FactorSpec& factor, const Vector<N>& z) {
  const auto log_volume = [&](const Vector<Dual<N>>& y) {
    return Vector<Dual<N>>{factor.d * log(conformal_factor(factor, y))};
  };
  Vector<N> gradient;
  for (int i = 0; i < factor.d; ++i)
    gradient.push_back(derivative(log_volume, z, coordinate_vector<N>(factor.d, i))[0]);
  return gradient;
}

template <class N>
N exact_divergence(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t) {
  const int D = ambient(spec);
  N div(0);
  for (int i = 0; i < D; ++i) div += field_derivative(spec, theta, z, t, coordinate_vector<N>(D, i))[i];
  const std::vector<Vector<N>> zb = blocks(spec, z);
  const std::vector<Vector<N>> fb = blocks(spec, field(spec, theta, z, t));
  for (std::size_t b = 0; b < zb.size(); ++b)
    if (spec.factors[b].kind == Kind::ball) div += dot(fb[b], log_volume_gradient(spec.factors[b], zb[b]));
  return div;
}

/// v_j = P ε_j
template <class N>
std::vector<Vector<N>> probes(const FieldSpec& spec, const Vector<N>& z, const Noise& noise) {
  std::vector<Vector<N>> v;
  for (const std::vector<double>& epsilon : noise) v.push_back(tangent_projection(spec, z, lift<N>(epsilon)));
  return v;
}

/// Σ_b s_b ⟨v_b, (Du[v])_b⟩
template <class N>
N network_quadratic_form(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t,
                         const Vector<N>& v) {
  const std::vector<Vector<N>> zb = blocks(spec, z), vb = blocks(spec, v);
  const std::vector<Vector<N>> du = blocks(spec, network_derivative(spec, theta, z, t, v));
  N s(0);
  for (std::size_t b = 0; b < zb.size(); ++b)
    s += output_scale(spec, spec.factors[b], zb[b]) * dot(vb[b], du[b]);
  return s;
}

/// T: tr(P_b (Du)_bb P_b) = Σ_i ⟨P_b e_i, Du[P_b e_i]⟩ over the coordinates of block b.
template <class N>
N network_trace(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t) {
  const int D = ambient(spec);
  N trace(0);
  for (int i = 0; i < D; ++i)
    trace +=
        network_quadratic_form(spec, theta, z, t, tangent_projection(spec, z, coordinate_vector<N>(D, i)));
  return trace;
}

template <class N>
N divergence(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t,
             const Noise& noise = {}) {
  const N exact = exact_divergence(spec, theta, z, t);
  if (noise.empty()) return exact;
  N estimate(0);
  for (const Vector<N>& v : probes(spec, z, noise)) estimate += network_quadratic_form(spec, theta, z, t, v);
  return exact - network_trace(spec, theta, z, t) + estimate / static_cast<double>(noise.size());
}

}  // namespace riemflow::reference
