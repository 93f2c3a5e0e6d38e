#pragma once
// The covariant derivative, block by block:
//   sphere: ∇_v f = P Df[v];  ball: (∇_v f)^i = Df[v]^i + Γ^i_jk v^j f^k;  torus, euclidean: ∇_v f = Df[v],
// and its Frobenius norm ‖∇f‖² = Σ_v |∇_v f|² over a Euclidean-orthonormal basis v of the tangent space. On
// one ball that is the norm in the metric: λ cancels. Hutchinson: (1/k) Σ_j |∇_{v_j} f|², v_j = P ε_j.

#include <cmath>

#include "tests/reference/divergence.hpp"

namespace riemflow::reference {

/// G = λ² I on the ball, flattened row by row.
template <class N>
Vector<N> metric(const FactorSpec& factor, const Vector<N>& z) {
  const N lambda = conformal_factor(factor, z);
  Vector<N> g;
  for (int i = 0; i < factor.d; ++i)
    for (int j = 0; j < factor.d; ++j) g.push_back(i == j ? lambda * lambda : N(0));
  return g;
}

/// Γ^i_jk = ½ Σ_l g^il (∂_j g_lk + ∂_k g_lj − ∂_l g_jk), as [i][j][k]; g is diagonal: g^il = δ_il/g_ii.
template <class N>
std::vector<Matrix<N>> christoffel(const FactorSpec& factor, const Vector<N>& z) {
  const int d = factor.d;
  const Vector<N> g = metric(factor, z);
  std::vector<Vector<N>> dg;  // dg[m] = ∂_m g
  for (int m = 0; m < d; ++m)
    dg.push_back(derivative([&](const Vector<Dual<N>>& y) { return metric(factor, y); }, z,
                            coordinate_vector<N>(d, m)));
  std::vector<Matrix<N>> gamma(d, Matrix<N>(d, Vector<N>(d, N(0))));
  for (int i = 0; i < d; ++i)
    for (int j = 0; j < d; ++j)
      for (int k = 0; k < d; ++k)
        for (int l = 0; l < d; ++l) {
          const N inverse = i == l ? 1 / g[i * d + i] : N(0);
          gamma[i][j][k] += 0.5 * inverse * (dg[j][l * d + k] + dg[k][l * d + j] - dg[l][j * d + k]);
        }
  return gamma;
}

/// ∇_v f at z.
template <class N>
Vector<N> covariant_derivative(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t,
                               const Vector<N>& v) {
  const std::vector<Vector<N>> zb = blocks(spec, z), vb = blocks(spec, v);
  const std::vector<Vector<N>> fb = blocks(spec, field(spec, theta, z, t));
  std::vector<Vector<N>> r = blocks(spec, field_derivative(spec, theta, z, t, v));
  for (std::size_t b = 0; b < zb.size(); ++b) {
    const FactorSpec& factor = spec.factors[b];
    if (factor.kind == Kind::sphere) r[b] = orthogonal_to(zb[b], r[b]);
    if (factor.kind == Kind::ball) {
      const std::vector<Matrix<N>> gamma = christoffel(factor, zb[b]);
      for (int i = 0; i < factor.d; ++i)
        for (int j = 0; j < factor.d; ++j)
          for (int k = 0; k < factor.d; ++k) r[b][i] += gamma[i][j][k] * vb[b][j] * fb[b][k];
    }
  }
  return concatenation(r);
}

/// An orthonormal basis of the orthogonal complement of z: Gram–Schmidt on z/|z| and then every coordinate
/// vector but the one nearest to z.
template <class N>
std::vector<Vector<N>> orthogonal_complement(const Vector<N>& z) {
  const int n = static_cast<int>(z.size());
  int nearest = 0;
  for (int i = 1; i < n; ++i)
    if (std::abs(value_of(z[i])) > std::abs(value_of(z[nearest]))) nearest = i;
  std::vector<Vector<N>> basis = {unit(z)};
  for (int i = 0; i < n; ++i) {
    if (i == nearest) continue;
    Vector<N> e = coordinate_vector<N>(n, i);
    for (const Vector<N>& q : basis) e = orthogonal_to(q, e);
    basis.push_back(unit(e));
  }
  basis.erase(basis.begin());
  return basis;
}

/// The union over the factors: a basis of the complement on spheres, coordinate vectors elsewhere.
template <class N>
std::vector<Vector<N>> tangent_basis(const FieldSpec& spec, const Vector<N>& z) {
  const std::vector<Vector<N>> zb = blocks(spec, z);
  std::vector<Vector<N>> basis;
  for (std::size_t b = 0; b < zb.size(); ++b) {
    std::vector<Vector<N>> part;
    if (spec.factors[b].kind == Kind::sphere)
      part = orthogonal_complement(zb[b]);
    else
      for (int i = 0; i < spec.factors[b].d; ++i) part.push_back(coordinate_vector<N>(spec.factors[b].d, i));
    for (const Vector<N>& e : part) {
      std::vector<Vector<N>> v = blocks(spec, Vector<N>(z.size(), N(0)));
      v[b] = e;
      basis.push_back(concatenation(v));
    }
  }
  return basis;
}

template <class N>
N frobenius(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t,
            const Noise& noise = {}) {
  N s(0);
  for (const Vector<N>& v : noise.empty() ? tangent_basis(spec, z) : probes(spec, z, noise)) {
    const Vector<N> r = covariant_derivative(spec, theta, z, t, v);
    s += dot(r, r);
  }
  return noise.empty() ? s : s / static_cast<double>(noise.size());
}

}  // namespace riemflow::reference
