#pragma once
// A vector field f(z, t) on a manifold: input layer → multilayer perceptron → the manifold's velocity. Time
// enters every layer as one more input. This is its structure and its parameters; field_pass.hpp evaluates
// it.

#include <memory>
#include <span>
#include <vector>

#include "riemflow/core/parameters.hpp"
#include "riemflow/flow/field/config.hpp"
#include "riemflow/flow/field/input_layer.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// One layer of the perceptron behind the input layer: pre-activation = W h + time·t + bias. Offsets into the
/// working vector; `parameters` is where the same run [W, time, bias] starts in the parameter vector.
struct DenseLayer {
  int rows, columns;
  std::size_t weight, time, bias;
  std::size_t parameters;
};

template <class T>
class VectorField {
 public:
  VectorField(std::shared_ptr<const Manifold<T>> manifold, const FieldConfig& config);

  const Manifold<T>& manifold() const { return *manifold_; }
  const FieldConfig& config() const { return config_; }

  /// input.0.weight …, input.time, input.bias, hidden.1.weight …, output.weight, output.time, output.bias
  const ParameterLayout& layout() const { return layout_; }
  /// Uniform in ±1/√fan-in, the customary start; of fourier the first weights are normal with deviation
  /// `frequency` and the biases phases.
  std::vector<T> initial_parameters(std::uint64_t seed) const;

  /// The vector the kernels read (see input_layer.hpp); equal to the parameters unless the input is geodesic.
  std::size_t working_size() const { return working_size_; }
  void prepare(std::span<const T> parameters, T* working) const;
  /// gradient (of the parameters) =, from the gradient of the working vector.
  void pull_back(std::span<const T> parameters, const T* working_bar, std::span<T> gradient) const;

  const std::vector<InputBlock<T>>& input_blocks() const { return inputs_; }
  int features() const { return features_; }
  /// Of hidden layer 0, 1, ….
  simd::Function activation(std::size_t layer) const {
    if (layer == 0 && config_.input == InputLayer::fourier) return simd::Function::sin;
    return config_.activation == Activation::tanh ? simd::Function::tanh : simd::Function::swish;
  }
  /// The input layer's time and bias; rows = width, no weight of its own.
  const DenseLayer& input_dense() const { return input_dense_; }
  const std::vector<DenseLayer>& hidden() const { return hidden_; }
  const DenseLayer& output() const { return output_; }

  /// Dimensions of the coordinates that are given (FieldConfig::given).
  int given_dimension() const { return given_dimension_; }

  /// Floating-point operations of one evaluation for one point with k derivatives, matrix products only; the
  /// backward pass has twice as many.
  double flops(int k) const;

 private:
  DenseLayer add_dense(const std::string& name, int rows, int columns);

  std::shared_ptr<const Manifold<T>> manifold_;
  FieldConfig config_;
  ParameterLayout layout_;
  std::size_t working_size_ = 0;
  int features_ = 0, given_dimension_ = 0;
  std::vector<InputBlock<T>> inputs_;
  DenseLayer input_dense_;
  std::vector<DenseLayer> hidden_;
  DenseLayer output_;
};

}  // namespace riemflow
