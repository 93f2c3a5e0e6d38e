#pragma once
// The parameters by name, cut from one contiguous vector θ, matrices row-major, in this order:
//   for each factor b: input weight [width × m_b];  input time [width];  input bias [width];
//   for l = 1..depth−1: hidden weight [width × width], time [width], bias [width];
//   output weight [D × width], output time [D], output bias [D].

#include <stdexcept>
#include <vector>

#include "tests/reference/spec.hpp"

namespace riemflow::reference {

template <class N>
struct Layer {
  Matrix<N> weight;
  Vector<N> time;
  Vector<N> bias;
};

template <class N>
struct Parameters {
  std::vector<Matrix<N>> input_weight;  ///< one a factor
  Vector<N> input_time;
  Vector<N> input_bias;
  std::vector<Layer<N>> hidden;
  Layer<N> output;
};

inline int parameter_count(const FieldSpec& spec) {
  int n = 2 * spec.width;
  for (const FactorSpec& factor : spec.factors) n += spec.width * inputs(factor);
  n += (spec.depth - 1) * (spec.width * spec.width + 2 * spec.width);
  n += ambient(spec) * (spec.width + 2);
  return n;
}

template <class N>
Parameters<N> parameters(const FieldSpec& spec, const Vector<N>& theta) {
  if (theta.size() != static_cast<std::size_t>(parameter_count(spec)))
    throw std::invalid_argument("reference: theta has the wrong length");
  auto next = theta.begin();
  const auto take = [&](int n) {
    next += n;
    return Vector<N>(next - n, next);
  };
  const auto take_matrix = [&](int rows, int columns) {
    Matrix<N> m;
    for (int i = 0; i < rows; ++i) m.push_back(take(columns));
    return m;
  };
  const auto take_layer = [&](int rows, int columns) {
    Layer<N> layer;
    layer.weight = take_matrix(rows, columns);
    layer.time = take(rows);
    layer.bias = take(rows);
    return layer;
  };
  Parameters<N> p;
  for (const FactorSpec& factor : spec.factors)
    p.input_weight.push_back(take_matrix(spec.width, inputs(factor)));
  p.input_time = take(spec.width);
  p.input_bias = take(spec.width);
  for (int l = 1; l < spec.depth; ++l) p.hidden.push_back(take_layer(spec.width, spec.width));
  p.output = take_layer(ambient(spec), spec.width);
  return p;
}

}  // namespace riemflow::reference
