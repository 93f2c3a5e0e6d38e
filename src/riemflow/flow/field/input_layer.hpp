#pragma once
// The first layer's neurons, one block of weights a factor of the manifold; their pre-activations add up.
//
//   linear     ⟨w, φ(x)⟩ with φ the factor's features (manifold/features.hpp)
//   fourier    the same; a sine follows in place of the activation
//   geodesic   signed distances to hypersurfaces, as the factor's GeodesicNeurons say; linear on flat factors
//
// The engine works with `working` weights, in which a geodesic neuron is scale·σ(⟨row, features⟩) with σ asin
// or asinh; they are made from the parameters once an update, and their gradient is pulled back once an
// update.

#include <memory>
#include <optional>
#include <vector>

#include "riemflow/core/parameters.hpp"
#include "riemflow/core/simd/kernels.hpp"
#include "riemflow/flow/field/config.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

template <class T>
struct InputBlock {
  std::shared_ptr<const GeodesicNeurons<T>> neurons;  ///< null: linear
  std::shared_ptr<const Features<T>> embedding;
  std::optional<simd::Function> distance;  ///< σ of a geodesic neuron; none: linear
  int row, rows;                           ///< the factor's coordinates
  int feature, features;                   ///< its rows of the embedded point
  int parameter_columns;
  std::size_t parameters;  ///< offset of [width × parameter_columns] in the parameter vector
  std::size_t weights;     ///< offset of [width × features] in the working vector
  std::size_t scales;      ///< offset of [width] behind it, geodesic only
};

/// The block of one factor; appends its parameters to `layout` and its working weights at `working_size`.
/// Throws Error where the factor has no fields, or none with such a layer.
template <class T>
InputBlock<T> make_input_block(const Factor<T>& factor, int index, const FieldConfig& config,
                               int first_feature, ParameterLayout& layout, std::size_t& working_size);

/// Working weights (and scales) of the block, from the parameters.
template <class T>
void prepare_input(const InputBlock<T>& block, int width, const T* parameters, T* working);

/// gradient of the block's parameters =, from that of its working weights.
template <class T>
void pull_back_input(const InputBlock<T>& block, int width, const T* parameters, const T* working_bar,
                     T* gradient);

}  // namespace riemflow
