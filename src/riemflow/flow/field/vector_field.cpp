#include "riemflow/flow/field/vector_field.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

/// Between hidden layers; a gradient keeps up to 64 copies of them.
constexpr double kMostWeights = 1 << 24;

}  // namespace

template <class T>
VectorField<T>::VectorField(std::shared_ptr<const Manifold<T>> manifold, const FieldConfig& config)
    : manifold_(std::move(manifold)), config_(config) {
  const std::vector<Factor<T>> factors = manifold_->factors();
  require(config.width >= 1 && config.width <= 65536,
          "the network's width is " + std::to_string(config.width),
          "give a width from 1 to 65536 (64 is usual)");
  require(config.depth >= 1 && config.depth <= 1000, "the network's depth is " + std::to_string(config.depth),
          "give a depth from 1 to 1000 hidden layers (3 is usual)");
  const double weights = static_cast<double>(config.width) * config.width * (config.depth - 1);
  require(weights <= kMostWeights,
          "the network is " + std::to_string(config.width) + " wide and has " + std::to_string(config.depth) +
              " hidden layers, more weights than any memory takes",
          "give fewer: at most 2^24 weights between hidden layers");
  require(std::isfinite(config.bound) && config.bound >= 0,
          "the field's bound is " + std::to_string(config.bound),
          "give a positive number, or 0 for no bound");
  require(config.input != InputLayer::fourier ||
              (std::isfinite(config.frequency) && config.frequency > 0 && config.frequency <= 1000),
          "the frequency of the input layer is " + std::to_string(config.frequency),
          "give a number above 0, up to 1000 (8 is usual)");
  for (const Factor<T>& factor : factors) {
    const int index = static_cast<int>(inputs_.size());
    inputs_.push_back(make_input_block(factor, index, config_, features_, layout_, working_size_));
    features_ += inputs_.back().features;
  }
  int given = config.given;
  for (const Factor<T>& factor : factors) {
    const int rows = std::min(given, factor.manifold->ambient());
    require(rows >= 0 && (rows == 0 || rows == factor.manifold->ambient() || factor.manifold->leading(rows)),
            std::to_string(config.given) + " coordinates of " + manifold_->name() + " are given",
            "give whole factors, or leading angles of a torus");
    given_dimension_ += rows == factor.manifold->ambient() ? factor.manifold->dimension() : rows;
    given -= rows;
  }
  require(given_dimension_ < manifold_->dimension() && given == 0,
          "a field on " + manifold_->name() + " with " + std::to_string(config.given) + " coordinates given",
          "leave at least one factor to move");
  input_dense_ = add_dense("input", config_.width, 0);
  for (int l = 1; l < config_.depth; ++l)
    hidden_.push_back(add_dense("hidden." + std::to_string(l), config_.width, config_.width));
  output_ = add_dense("output", manifold_->ambient(), config_.width);
}

template <class T>
DenseLayer VectorField<T>::add_dense(const std::string& name, int rows, int columns) {
  const auto height = static_cast<std::size_t>(rows);
  DenseLayer layer{rows, columns, working_size_, 0, 0, layout_.size()};
  if (columns > 0) layout_.add(name + ".weight", rows, columns);
  layout_.add(name + ".time", rows, 1);
  layout_.add(name + ".bias", rows, 1);
  layer.time = layer.weight + height * static_cast<std::size_t>(columns);
  layer.bias = layer.time + height;
  working_size_ = layer.bias + height;
  return layer;
}

template <class T>
std::vector<T> VectorField<T>::initial_parameters(std::uint64_t seed) const {
  std::vector<T> parameters(layout_.size());
  const auto fill = [&](std::size_t from, std::size_t count, int fan_in) {
    const double range = 1 / std::sqrt(static_cast<double>(fan_in));
    for (std::size_t i = from; i < from + count; ++i)
      parameters[i] =
          static_cast<T>(range * (2 * Random(seed, Purpose::initial_parameters, 0, i).uniform() - 1));
  };
  const auto fill_dense = [&](const DenseLayer& layer, int fan_in) {
    fill(layer.parameters, static_cast<std::size_t>(layer.rows) * static_cast<std::size_t>(layer.columns + 2),
         fan_in);
  };
  for (const InputBlock<T>& block : inputs_)
    fill(block.parameters,
         static_cast<std::size_t>(config_.width) * static_cast<std::size_t>(block.parameter_columns),
         features_ + 1);
  fill_dense(input_dense_, features_ + 1);
  for (const DenseLayer& layer : hidden_) fill_dense(layer, layer.columns + 1);
  fill_dense(output_, output_.columns + 1);
  if (config_.input != InputLayer::fourier) return parameters;
  for (std::size_t i = 0; i < input_dense_.parameters; ++i)
    parameters[i] =
        static_cast<T>(config_.frequency * Random(seed, Purpose::initial_parameters, 1, i).normal());
  const auto width = static_cast<std::size_t>(config_.width), bias = input_dense_.parameters + width;
  for (std::size_t i = bias; i < bias + width; ++i)
    parameters[i] = static_cast<T>(std::numbers::pi *
                                   (2 * Random(seed, Purpose::initial_parameters, 1, i).uniform() - 1));
  return parameters;
}

template <class T>
void VectorField<T>::prepare(std::span<const T> parameters, T* working) const {
  for (const InputBlock<T>& block : inputs_) prepare_input(block, config_.width, parameters.data(), working);
  // The dense layers follow each other in both vectors, in the same order.
  std::copy(parameters.begin() + static_cast<std::ptrdiff_t>(input_dense_.parameters), parameters.end(),
            working + input_dense_.weight);
}

template <class T>
void VectorField<T>::pull_back(std::span<const T> parameters, const T* working_bar,
                               std::span<T> gradient) const {
  for (const InputBlock<T>& block : inputs_)
    pull_back_input(block, config_.width, parameters.data(), working_bar, gradient.data());
  std::copy(working_bar + input_dense_.weight, working_bar + working_size_,
            gradient.begin() + static_cast<std::ptrdiff_t>(input_dense_.parameters));
}

template <class T>
double VectorField<T>::flops(int k) const {
  double products = static_cast<double>(config_.width) * features_;
  for (const DenseLayer& layer : hidden_) products += static_cast<double>(layer.rows) * layer.columns;
  products += static_cast<double>(output_.rows) * output_.columns;
  return 2 * products * (1 + k);
}

template class VectorField<float>;
template class VectorField<double>;

}  // namespace riemflow
