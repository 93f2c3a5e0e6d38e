#pragma once
// The network u(z, t), D numbers:
//   a_i = Σ_b neuron_b(w_bi, z_b) + time_i t + bias_i,  h = σ(a)
//   h ← σ(W h + time t + bias)                           for each hidden layer
//   raw = W h + time t + bias,  u = raw, or bound · tanh(raw/bound)

#include <cmath>

#include "tests/reference/parameters.hpp"

namespace riemflow::reference {

/// On the sphere, ⟨w, n⟩ with n = z/|z|; on the torus, ⟨w, (sin θ_1..sin θ_d, cos θ_1..cos θ_d)⟩; elsewhere
/// ⟨w, z⟩.
template <class N>
N linear_neuron(const FactorSpec& factor, const Vector<N>& w, const Vector<N>& z) {
  using std::cos, std::sin;
  if (factor.kind == Kind::sphere) return dot(w, unit(z));
  if (factor.kind == Kind::torus) {
    Vector<N> x;
    for (const N& angle : z) x.push_back(sin(angle));
    for (const N& angle : z) x.push_back(cos(angle));
    return dot(w, x);
  }
  return dot(w, z);
}

/// |w| asin(ρ⟨w, n⟩/|w|), n = z/|z|: |w| times the signed angle from n to the great subsphere orthogonal to
/// w. ρ = 1/√(1 + 10⁻⁴) keeps its derivative finite at n = ±w/|w|.
template <class N>
N geodesic_sphere_neuron(const Vector<N>& w, const Vector<N>& z) {
  using std::asin;
  const double rho = 1 / std::sqrt(1 + 1e-4);
  return norm(w) * asin(rho * dot(w, unit(z)) / norm(w));
}

/// x ⊕ y = ((1 + 2c⟨x, y⟩ + c|y|²) x + (1 − c|x|²) y) / (1 + 2c⟨x, y⟩ + c²|x|²|y|²)
template <class N>
Vector<N> moebius_add(double c, const Vector<N>& x, const Vector<N>& y) {
  const N xy = dot(x, y), xx = dot(x, x), yy = dot(y, y);
  const N denominator = 1 + 2 * c * xy + c * c * xx * yy;
  return scaled(1 / denominator, sum(scaled(1 + 2 * c * xy + c * yy, x), scaled(1 - c * xx, y)));
}

/// With c = −K, the signed distance from z to the geodesic hyperplane through p = exp_0(a) orthogonal to a:
///   p = tanh(√c|a|) a/(√c|a|),  x = −p ⊕ z,  h = (1/√c) asinh(2√c⟨x, a⟩ / ((1 − c|x|²)|a|)).
template <class N>
N geodesic_ball_neuron(double K, const Vector<N>& a, const Vector<N>& z) {
  using std::asinh, std::tanh;
  const double c = -K, root = std::sqrt(c);
  const Vector<N> p = scaled(tanh(root * norm(a)) / (root * norm(a)), a);
  const Vector<N> x = moebius_add(c, scaled(N(-1), p), z);
  return asinh(2 * root * dot(x, a) / ((1 - c * dot(x, x)) * norm(a))) / root;
}

template <class N>
N neuron(const FieldSpec& spec, const FactorSpec& factor, const Vector<N>& w, const Vector<N>& z) {
  if (spec.geodesic && factor.kind == Kind::sphere) return geodesic_sphere_neuron(w, z);
  if (spec.geodesic && factor.kind == Kind::ball) return geodesic_ball_neuron(factor.K, w, z);
  return linear_neuron(factor, w, z);
}

/// tanh(a), or swish(a) = a/(1 + exp(−a))
template <class N>
N activation(Activation kind, const N& a) {
  using std::exp, std::tanh;
  return kind == Activation::tanh ? tanh(a) : a / (1 + exp(-a));
}

/// W h + time t + bias
template <class N>
Vector<N> affine(const Layer<N>& layer, const Vector<N>& h, double t) {
  Vector<N> r;
  for (std::size_t i = 0; i < layer.bias.size(); ++i)
    r.push_back(dot(layer.weight[i], h) + layer.time[i] * t + layer.bias[i]);
  return r;
}

template <class N>
Vector<N> network(const FieldSpec& spec, const Vector<N>& theta, const Vector<N>& z, double t) {
  using std::tanh, std::sin;
  const Parameters<N> p = parameters(spec, theta);
  const std::vector<Vector<N>> zb = blocks(spec, z);
  Vector<N> h;
  for (int i = 0; i < spec.width; ++i) {
    N a = p.input_time[i] * t + p.input_bias[i];
    for (std::size_t b = 0; b < zb.size(); ++b)
      a += neuron(spec, spec.factors[b], p.input_weight[b][i], zb[b]);
    h.push_back(spec.fourier ? sin(a) : activation(spec.activation, a));
  }
  for (const Layer<N>& layer : p.hidden) {
    Vector<N> next;
    for (const N& a : affine(layer, h, t)) next.push_back(activation(spec.activation, a));
    h = next;
  }
  Vector<N> u;
  for (const N& raw : affine(p.output, h, t))
    u.push_back(spec.bound > 0 ? spec.bound * tanh(raw / spec.bound) : raw);
  return u;
}

}  // namespace riemflow::reference
