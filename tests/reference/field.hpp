#pragma once
// The vector field f(z, t), block by block:
//   sphere: f_b = (I − z zᵀ/⟨z, z⟩) u_b;  ball: f_b = λ^(−p) u_b;  torus, euclidean: f_b = u_b.
// On a sphere u sees z only through z/|z|, so f is defined off the sphere and constant along rays.

#include "tests/reference/network.hpp"

namespace riemflow::reference {

/// λ(z) = 2/(1 + K|z|²); the metric of the ball is λ² I.
template <class N>
N conformal_factor(const FactorSpec& factor, const Vector<N>& z) {
  return 2 / (1 + factor.K * dot(z, z));
}

/// s_b = λ^(−p) on the ball, 1 elsewhere.
template <class N>
N output_scale(const FieldSpec& spec, const FactorSpec& factor, const Vector<N>& z) {
  if (factor.kind != Kind::ball) return N(1);
  const int p = spec.scaling == Scaling::none ? 0 : spec.scaling == Scaling::unit ? 1 : factor.d;
  N s(1);
  for (int i = 0; i < p; ++i) s /= conformal_factor(factor, z);
  return s;
}

/// Orthogonal projection of v onto the tangent space at z: I − n nᵀ with n = z/|z| on spheres.
template <class N>
Vector<N> tangent_projection(const FieldSpec& spec, const Vector<N>& z, const Vector<N>& v) {
  const std::vector<Vector<N>> zb = blocks(spec, z);
  std::vector<Vector<N>> vb = blocks(spec, v);
  for (std::size_t b = 0; b < zb.size(); ++b)
    if (spec.factors[b].kind == Kind::sphere) vb[b] = orthogonal_to(zb[b], vb[b]);
  return concatenation(vb);
}

template <class N>
Vector<N> field(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t) {
  const std::vector<Vector<N>> zb = blocks(spec, z);
  std::vector<Vector<N>> fb = blocks(spec, network(spec, theta, z, t));
  for (std::size_t b = 0; b < zb.size(); ++b) {
    if (spec.factors[b].kind == Kind::sphere) fb[b] = orthogonal_to(zb[b], fb[b]);
    if (spec.factors[b].kind == Kind::ball) fb[b] = scaled(output_scale(spec, spec.factors[b], zb[b]), fb[b]);
  }
  return concatenation(fb);
}

/// Du[v] and Df[v] in z, the parameters fixed.
template <class N>
Vector<N> network_derivative(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t,
                             const Vector<N>& v) {
  const Vector<Dual<N>> constant = lift<Dual<N>>(theta);
  return derivative([&](const Vector<Dual<N>>& y) { return network(spec, constant, y, t); }, z, v);
}
template <class N>
Vector<N> field_derivative(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t,
                           const Vector<N>& v) {
  const Vector<Dual<N>> constant = lift<Dual<N>>(theta);
  return derivative([&](const Vector<Dual<N>>& y) { return field(spec, constant, y, t); }, z, v);
}

/// |f|_g² = Σ_b (λ² on the ball, 1 elsewhere) |f_b|²
template <class N>
N kinetic(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t) {
  const std::vector<Vector<N>> zb = blocks(spec, z);
  const std::vector<Vector<N>> fb = blocks(spec, field(spec, theta, z, t));
  N energy(0);
  for (std::size_t b = 0; b < zb.size(); ++b) {
    const N weight = spec.factors[b].kind == Kind::ball ? conformal_factor(spec.factors[b], zb[b]) : N(1);
    energy += weight * weight * dot(fb[b], fb[b]);
  }
  return energy;
}

}  // namespace riemflow::reference
