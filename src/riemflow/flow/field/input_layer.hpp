#pragma once
// The first layer's neurons, one block of weights a factor of the manifold; their pre-activations add up.
//
//   linear             ⟨w, φ(x)⟩ with φ the factor's embedding
//   fourier            the same; a sine follows in place of the activation
//   geodesic, sphere   ‖w‖·asin(ρ⟨ŵ, n⟩), ŵ = w/‖w‖, n the unit vector: the signed angle to the great
//                      hypersphere normal to w. The distance has a cone point at ±ŵ, where the paper's neuron
//                      is not differentiable; ρ = 1/√(1 + 10⁻⁴) rounds it off within 0.01 rad and makes the
//                      field smooth, as the existence of the flow asks.
//   geodesic, ball     signed hyperbolic distance to the hyperplane through p = exp₀(a) normal to the
//                      transported a. In hyperboloid coordinates (X, X₀) moving p to the origin is a boost
//                      along â = a/|a| with rapidity η = 2√c|a|, so the paper's expression becomes
//                      asinh(cosh η⟨â, X⟩ − sinh η·X₀)/√c: linear in the embedding, then one asinh.
//
// The engine works with `working` weights, in which a geodesic neuron is scale·σ(⟨row, features⟩) with σ asin
// or asinh; they are made from the parameters once an update, and their gradient is pulled back once an
// update.

#include <optional>
#include <vector>

#include "riemflow/core/parameters.hpp"
#include "riemflow/core/simd/kernels.hpp"
#include "riemflow/flow/field/config.hpp"
#include "riemflow/flow/field/embedding.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

struct InputBlock {
  Embedding embedding;
  std::optional<simd::Function> distance;  ///< σ of a geodesic neuron; none: linear
  double curvature;
  int row, rows;          ///< the factor's coordinates
  int feature, features;  ///< its rows of the embedded point
  int parameter_columns;
  std::size_t parameters;  ///< offset of [width × parameter_columns] in the parameter vector
  std::size_t weights;     ///< offset of [width × features] in the working vector
  std::size_t scales;      ///< offset of [width] behind it, geodesic only
};

/// The block of one factor; appends its parameters to `layout` and its working weights at `working_size`.
template <class T>
InputBlock make_input_block(const Factor<T>& factor, int index, const FieldConfig& config, int first_feature,
                            ParameterLayout& layout, std::size_t& working_size);

/// Working weights (and scales) of the block, from the parameters.
template <class T>
void prepare_input(const InputBlock& block, int width, const T* parameters, T* working);

/// gradient of the block's parameters =, from that of its working weights.
template <class T>
void pull_back_input(const InputBlock& block, int width, const T* parameters, const T* working_bar,
                     T* gradient);

}  // namespace riemflow
