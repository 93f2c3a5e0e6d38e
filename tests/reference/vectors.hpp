#pragma once
// Vectors as std::vector, and the derivative of a function of a vector by dual numbers.

#include <cmath>
#include <cstddef>
#include <vector>

#include "riemflow/core/dual.hpp"

namespace riemflow::reference {

template <class N>
using Vector = std::vector<N>;
template <class N>
using Matrix = std::vector<std::vector<N>>;  ///< [row][column]

/// The plain number under any depth of duals.
inline double value_of(double x) { return x; }
template <class N>
double value_of(const Dual<N>& x) {
  return value_of(x.value);
}

/// The same vector as constants of a number type that carries derivatives.
template <class M, class N>
Vector<M> lift(const Vector<N>& x) {
  Vector<M> r;
  for (const N& xi : x) r.push_back(M(xi));
  return r;
}

/// ⟨a, b⟩ = Σ_i a_i b_i
template <class N>
N dot(const Vector<N>& a, const Vector<N>& b) {
  N s(0);
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

/// |a|
template <class N>
N norm(const Vector<N>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

/// s a
template <class N>
Vector<N> scaled(const N& s, const Vector<N>& a) {
  Vector<N> r;
  for (const N& ai : a) r.push_back(s * ai);
  return r;
}

/// a + b
template <class N>
Vector<N> sum(const Vector<N>& a, const Vector<N>& b) {
  Vector<N> r;
  for (std::size_t i = 0; i < a.size(); ++i) r.push_back(a[i] + b[i]);
  return r;
}

/// a/|a|
template <class N>
Vector<N> unit(const Vector<N>& a) {
  return scaled(N(1) / norm(a), a);
}

/// (I − z zᵀ/⟨z, z⟩) u
template <class N>
Vector<N> orthogonal_to(const Vector<N>& z, const Vector<N>& u) {
  return sum(u, scaled(-dot(z, u) / dot(z, z), z));
}

/// e_i of R^n
template <class N>
Vector<N> coordinate_vector(int n, int i) {
  Vector<N> e(static_cast<std::size_t>(n), N(0));
  e[i] = N(1);
  return e;
}

/// Dg(z)[v] = d/ds g(z + s v) at s = 0, for a g that maps Vector<Dual<N>> to Vector<Dual<N>>.
template <class N, class G>
Vector<N> derivative(const G& g, const Vector<N>& z, const Vector<N>& v) {
  Vector<Dual<N>> y;
  for (std::size_t i = 0; i < z.size(); ++i) y.push_back(Dual<N>(z[i], v[i]));
  Vector<N> r;
  for (const Dual<N>& gi : g(y)) r.push_back(gi.slope);
  return r;
}

}  // namespace riemflow::reference
