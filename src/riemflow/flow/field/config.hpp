#pragma once
// What a vector field is made of.

#include "riemflow/core/enum_names.hpp"
#include "riemflow/manifold/output_jet.hpp"

namespace riemflow {

enum class Activation { tanh, swish };
constexpr auto names_of(Activation) { return std::to_array<std::string_view>({"tanh", "swish"}); }

/// How the network sees a point. On the torus all are of sin and cos of the angles; on R^d geodesic is
/// linear.
enum class InputLayer {
  linear,    ///< coordinates (unit vector on the sphere)
  geodesic,  ///< signed geodesic distances to learned hyperplanes: angles on the sphere, lengths on the ball
  fourier    ///< linear, and the first layer's activation is the sine: waves of learned frequencies
};
constexpr auto names_of(InputLayer) {
  return std::to_array<std::string_view>({"linear", "geodesic", "fourier"});
}

struct FieldConfig {
  int width = 64;
  int depth = 3;  ///< hidden layers, the input layer's one included
  Activation activation = Activation::tanh;
  InputLayer input = InputLayer::linear;
  BallScaling scaling = BallScaling::unit;
  double frequency = 8;  ///< of fourier: the deviation of the first frequencies, in radians a unit of length
  double bound = 0;      ///< > 0: u = bound·tanh(raw/bound), a bounded field; 0: no bound
  /// Leading coordinates that are given: the field sees them and does not move them, so that a flow over the
  /// others is a conditional one. Whole factors, or leading angles of a torus. Not a user's setting:
  /// flow/autoregressive.hpp sets it.
  int given = 0;
};

enum class DivergenceEstimator { exact, hutchinson };
constexpr auto names_of(DivergenceEstimator) {
  return std::to_array<std::string_view>({"exact", "hutchinson"});
}
enum class Noise { rademacher, gaussian };
constexpr auto names_of(Noise) { return std::to_array<std::string_view>({"rademacher", "gaussian"}); }

struct DivergenceConfig {
  DivergenceEstimator estimator = DivergenceEstimator::exact;
  Noise noise = Noise::rademacher;
  int probes = 1;  ///< Hutchinson's, averaged
};

}  // namespace riemflow
