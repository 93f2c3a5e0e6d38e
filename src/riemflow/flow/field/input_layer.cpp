#include "riemflow/flow/field/input_layer.hpp"

#include <algorithm>
#include <string>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

template <class T>
std::vector<double> row_of(const T* matrix, int i, int columns) {
  const T* from = matrix + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns);
  return {from, from + columns};
}

}  // namespace

template <class T>
InputBlock<T> make_input_block(const Factor<T>& factor, int index, const FieldConfig& config,
                               int first_feature, ParameterLayout& layout, std::size_t& working_size) {
  InputBlock<T> block;
  block.embedding = factor.manifold->features();
  require(block.embedding != nullptr, factor.manifold->name() + " has no vector fields",
          "use a kernel density, or a flow on another manifold");
  if (config.input == InputLayer::geodesic) block.neurons = factor.manifold->geodesic_neurons();
  if (block.neurons) {
    block.embedding = block.neurons->features();
    block.distance = block.neurons->distance();
  }
  block.row = factor.row;
  block.rows = factor.manifold->ambient();
  block.feature = first_feature;
  block.features = block.embedding->size();
  block.parameter_columns = block.neurons ? block.neurons->parameters() : block.features;
  block.parameters =
      layout.add("input." + std::to_string(index) + ".weight", config.width, block.parameter_columns);
  block.weights = working_size;
  working_size += static_cast<std::size_t>(config.width) * static_cast<std::size_t>(block.features);
  block.scales = working_size;
  if (block.distance) working_size += static_cast<std::size_t>(config.width);
  return block;
}

template <class T>
void prepare_input(const InputBlock<T>& block, int width, const T* parameters, T* working) {
  const T* from = parameters + block.parameters;
  T* weights = working + block.weights;
  T* scales = working + block.scales;
  const int n = block.parameter_columns, m = block.features;
  if (!block.neurons) {
    std::copy(from, from + width * n, weights);
    return;
  }
  std::vector<double> row(static_cast<std::size_t>(m));
  for (int i = 0; i < width; ++i) {
    double scale = 1;
    block.neurons->prepare(row_of(from, i, n).data(), row.data(), scale);
    std::transform(row.begin(), row.end(), weights + i * m, [](double w) { return static_cast<T>(w); });
    scales[i] = static_cast<T>(scale);
  }
}

template <class T>
void pull_back_input(const InputBlock<T>& block, int width, const T* parameters, const T* working_bar,
                     T* gradient) {
  const T* from = parameters + block.parameters;
  const T* weights_bar = working_bar + block.weights;
  const T* scales_bar = working_bar + block.scales;
  T* to = gradient + block.parameters;
  const int n = block.parameter_columns, m = block.features;
  if (!block.neurons) {
    std::copy(weights_bar, weights_bar + width * n, to);
    return;
  }
  std::vector<double> bar(static_cast<std::size_t>(n));
  for (int i = 0; i < width; ++i) {
    block.neurons->pull_back(row_of(from, i, n).data(), row_of(weights_bar, i, m).data(),
                             static_cast<double>(scales_bar[i]), bar.data());
    std::transform(bar.begin(), bar.end(), to + i * n, [](double b) { return static_cast<T>(b); });
  }
}

#define RIEMFLOW_INSTANTIATE(T)                                                                             \
  template InputBlock<T> make_input_block(const Factor<T>&, int, const FieldConfig&, int, ParameterLayout&, \
                                          std::size_t&);                                                    \
  template void prepare_input(const InputBlock<T>&, int, const T*, T*);                                     \
  template void pull_back_input(const InputBlock<T>&, int, const T*, const T*, T*);
RIEMFLOW_INSTANTIATE(float)
RIEMFLOW_INSTANTIATE(double)
#undef RIEMFLOW_INSTANTIATE

}  // namespace riemflow
