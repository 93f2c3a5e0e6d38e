#pragma once
// Which manifold, which network.

#include <vector>

#include "tests/reference/vectors.hpp"

namespace riemflow::reference {

enum class Kind { euclidean, sphere, ball, torus };
enum class Activation { tanh, swish };
/// f = λ^(−p) u on the ball: p = 0, 1, d.
enum class Scaling { none, unit, paper };

struct FactorSpec {
  Kind kind;
  int d;
  double K = 0;  ///< curvature: > 0 on the sphere, < 0 on the ball, unused elsewhere
};

struct FieldSpec {
  std::vector<FactorSpec> factors;
  int width;
  int depth;  ///< layers with an activation, ≥ 1
  Activation activation = Activation::tanh;
  bool geodesic = false;
  Scaling scaling = Scaling::none;
  double bound = 0;      ///< of |u_i|; 0 = none
  bool fourier = false;  ///< the first layer's activation is sin
};

/// Coordinates of a point: d + 1 on the sphere, d elsewhere.
inline int ambient(const FactorSpec& factor) { return factor.kind == Kind::sphere ? factor.d + 1 : factor.d; }
inline int ambient(const FieldSpec& spec) {
  int D = 0;
  for (const FactorSpec& factor : spec.factors) D += ambient(factor);
  return D;
}

/// Inputs of the network, m_b: d + 1 on the sphere, 2d on the torus, d elsewhere.
inline int inputs(const FactorSpec& factor) {
  return factor.kind == Kind::torus ? 2 * factor.d : ambient(factor);
}

/// z cut into its factors: blocks(z)[b] = z_b.
template <class N>
std::vector<Vector<N>> blocks(const FieldSpec& spec, const Vector<N>& z) {
  std::vector<Vector<N>> r;
  auto at = z.begin();
  for (const FactorSpec& factor : spec.factors) {
    r.push_back(Vector<N>(at, at + ambient(factor)));
    at += ambient(factor);
  }
  return r;
}

/// The inverse of blocks.
template <class N>
Vector<N> concatenation(const std::vector<Vector<N>>& parts) {
  Vector<N> r;
  for (const Vector<N>& part : parts) r.insert(r.end(), part.begin(), part.end());
  return r;
}

}  // namespace riemflow::reference
