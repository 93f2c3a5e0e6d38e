#include "riemflow/flow/field/input_layer.hpp"

#include <cmath>
#include <string>

namespace riemflow {
namespace {

Embedding embedding_of(Geometry geometry, InputLayer input) {
  switch (geometry) {
    case Geometry::euclidean:
      return Embedding::coordinates;
    case Geometry::sphere:
      return Embedding::unit_vector;
    case Geometry::torus:
      return Embedding::circles;
    case Geometry::ball:
    case Geometry::covered:
      break;
  }
  return input == InputLayer::geodesic ? Embedding::hyperboloid : Embedding::coordinates;
}

std::optional<simd::Function> distance_of(Geometry geometry, InputLayer input) {
  if (input != InputLayer::geodesic) return std::nullopt;
  if (geometry == Geometry::sphere) return simd::Function::asin;
  if (geometry == Geometry::ball) return simd::Function::asinh;
  return std::nullopt;
}

/// |a|, kept off zero: a direction of a null vector is arbitrary but must not be NaN.
double length(int n, const double* a) {
  double s = 0;
  for (int i = 0; i < n; ++i) s += a[i] * a[i];
  return std::max(std::sqrt(s), 1e-12);
}

template <class T>
std::vector<double> row_of(const T* matrix, int i, int columns) {
  const T* from = matrix + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns);
  return {from, from + columns};
}

}  // namespace

template <class T>
InputBlock make_input_block(const Factor<T>& factor, int index, const FieldConfig& config, int first_feature,
                            ParameterLayout& layout, std::size_t& working_size) {
  InputBlock block;
  block.embedding = embedding_of(factor.geometry, config.input);
  block.distance = distance_of(factor.geometry, config.input);
  block.curvature = factor.curvature;
  block.row = factor.row;
  block.rows = factor.manifold->ambient();
  block.feature = first_feature;
  block.features = embedding_size(block.embedding, block.rows);
  // On the ball a geodesic neuron has d parameters for d + 1 weights.
  block.parameter_columns = block.embedding == Embedding::hyperboloid ? block.rows : block.features;
  block.parameters =
      layout.add("input." + std::to_string(index) + ".weight", config.width, block.parameter_columns);
  block.weights = working_size;
  working_size += static_cast<std::size_t>(config.width) * static_cast<std::size_t>(block.features);
  block.scales = working_size;
  if (block.distance) working_size += static_cast<std::size_t>(config.width);
  return block;
}

template <class T>
void prepare_input(const InputBlock& block, int width, const T* parameters, T* working) {
  const T* from = parameters + block.parameters;
  T* weights = working + block.weights;
  T* scales = working + block.scales;
  const int n = block.parameter_columns, m = block.features;
  if (!block.distance) {
    std::copy(from, from + width * n, weights);
    return;
  }
  const double root = std::sqrt(std::abs(block.curvature));
  for (int i = 0; i < width; ++i) {
    const std::vector<double> a = row_of(from, i, n);
    const double norm = length(n, a.data());
    T* row = weights + i * m;
    if (block.distance == simd::Function::asin) {
      for (int j = 0; j < n; ++j) row[j] = static_cast<T>(a[static_cast<std::size_t>(j)] / norm);
      scales[i] = static_cast<T>(norm);
    } else {
      const double eta = 2 * root * norm;
      for (int j = 0; j < n; ++j)
        row[j] = static_cast<T>(std::cosh(eta) * a[static_cast<std::size_t>(j)] / norm);
      row[n] = static_cast<T>(-std::sinh(eta));
      scales[i] = static_cast<T>(1 / root);
    }
  }
}

template <class T>
void pull_back_input(const InputBlock& block, int width, const T* parameters, const T* working_bar,
                     T* gradient) {
  const T* from = parameters + block.parameters;
  const T* weights_bar = working_bar + block.weights;
  const T* scales_bar = working_bar + block.scales;
  T* to = gradient + block.parameters;
  const int n = block.parameter_columns, m = block.features;
  if (!block.distance) {
    std::copy(weights_bar, weights_bar + width * n, to);
    return;
  }
  const double root = std::sqrt(std::abs(block.curvature));
  for (int i = 0; i < width; ++i) {
    const std::vector<double> a = row_of(from, i, n), bar = row_of(weights_bar, i, m);
    const double norm = length(n, a.data());
    double along = 0;  // ⟨bar, â⟩
    for (std::size_t j = 0; j < a.size(); ++j) along += bar[j] * a[j] / norm;
    // The row is scale(|a|)·â (and a last entry that depends on |a| alone).
    double stretch = 1, norm_bar = 0;
    if (block.distance == simd::Function::asin) {
      norm_bar = static_cast<double>(scales_bar[i]);
    } else {
      const double eta = 2 * root * norm;
      stretch = std::cosh(eta);
      norm_bar = 2 * root * (std::sinh(eta) * along - std::cosh(eta) * bar.back());
    }
    for (std::size_t j = 0; j < a.size(); ++j) {
      const double unit = a[j] / norm;
      to[static_cast<std::size_t>(i) * a.size() + j] =
          static_cast<T>(stretch * (bar[j] - along * unit) / norm + norm_bar * unit);
    }
  }
}

#define RIEMFLOW_INSTANTIATE(T)                                                                          \
  template InputBlock make_input_block(const Factor<T>&, int, const FieldConfig&, int, ParameterLayout&, \
                                       std::size_t&);                                                    \
  template void prepare_input(const InputBlock&, int, const T*, T*);                                     \
  template void pull_back_input(const InputBlock&, int, const T*, const T*, T*);
RIEMFLOW_INSTANTIATE(float)
RIEMFLOW_INSTANTIATE(double)
#undef RIEMFLOW_INSTANTIATE

}  // namespace riemflow
