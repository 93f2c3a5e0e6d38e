#pragma once
// The same field for the library and for the reference: names, options, noise, tiles.

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "riemflow/core/random.hpp"
#include "riemflow/flow/flow_config.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/reference/cases.hpp"

namespace riemflow::test {

using reference::FactorSpec;
using reference::FieldSpec;
using reference::Kind;

inline std::string manifold_name(const FieldSpec& spec) {
  std::string name;
  for (const FactorSpec& factor : spec.factors) {
    constexpr const char* kKinds[] = {"euclidean", "sphere", "ball", "torus"};
    name +=
        fmt::format("{}{}:{}", name.empty() ? "" : " x ", kKinds[static_cast<int>(factor.kind)], factor.d);
    if (factor.kind == Kind::sphere || factor.kind == Kind::ball) name += fmt::format(",K={}", factor.K);
  }
  return name;
}

inline FieldConfig field_config(const FieldSpec& spec) {
  FieldConfig config;
  config.width = spec.width;
  config.depth = spec.depth;
  config.activation = spec.activation == reference::Activation::tanh ? Activation::tanh : Activation::swish;
  config.input = spec.fourier    ? InputLayer::fourier
                 : spec.geodesic ? InputLayer::geodesic
                                 : InputLayer::linear;
  config.scaling = spec.scaling == reference::Scaling::none   ? BallScaling::none
                   : spec.scaling == reference::Scaling::unit ? BallScaling::unit
                                                              : BallScaling::paper;
  config.bound = spec.bound;
  return config;
}

/// What FieldPass::draw_noise draws, for the reference; none for an exact divergence.
template <class T>
reference::Noise drawn_noise(const DivergenceConfig& divergence, int ambient, Random random) {
  if (divergence.estimator == DivergenceEstimator::exact) return {};
  const auto probes = static_cast<std::size_t>(divergence.probes);
  reference::Noise noise(probes, std::vector<double>(static_cast<std::size_t>(ambient)));
  for (std::size_t row = 0; row < static_cast<std::size_t>(ambient); ++row)
    for (std::size_t j = 0; j < probes; ++j)
      noise[j][row] = static_cast<double>(
          static_cast<T>(divergence.noise == Noise::rademacher ? random.rademacher() : random.normal()));
  return noise;
}

/// Each number rounded to T, as the library gets it.
template <class T>
std::vector<double> rounded(const std::vector<double>& x) {
  std::vector<double> r;
  for (const double xi : x) r.push_back(static_cast<double>(static_cast<T>(xi)));
  return r;
}

/// Lane l holds points[l mod their number].
template <class T>
std::vector<Pack<T>> tile_of(const std::vector<std::vector<double>>& points) {
  std::vector<Pack<T>> tile(points.front().size());
  for (std::size_t i = 0; i < tile.size(); ++i)
    for (int l = 0; l < kLanes; ++l)
      tile[i][l] = static_cast<T>(points[static_cast<std::size_t>(l) % points.size()][i]);
  return tile;
}

inline std::string described(const FieldSpec& spec) {
  return fmt::format("{}, {}, {}, scaling {}, bound {}", manifold_name(spec),
                     spec.fourier    ? "fourier"
                     : spec.geodesic ? "geodesic"
                                     : "linear",
                     spec.activation == reference::Activation::tanh ? "tanh" : "swish",
                     static_cast<int>(spec.scaling), spec.bound);
}
inline std::string described(const DivergenceConfig& divergence) {
  if (divergence.estimator == DivergenceEstimator::exact) return "exact";
  return fmt::format("{} x {}", divergence.noise == Noise::rademacher ? "Rademacher" : "Gaussian",
                     divergence.probes);
}

/// Exact, and Hutchinson's estimates with one and with two probes.
inline const std::vector<DivergenceConfig>& estimators() {
  static const std::vector<DivergenceConfig> all = {{DivergenceEstimator::exact, Noise::rademacher, 1},
                                                    {DivergenceEstimator::hutchinson, Noise::rademacher, 1},
                                                    {DivergenceEstimator::hutchinson, Noise::gaussian, 2}};
  return all;
}

}  // namespace riemflow::test
