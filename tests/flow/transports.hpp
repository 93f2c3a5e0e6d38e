#pragma once
// Models of every kind to test on: small random networks.

#include <memory>

#include "riemflow/flow/transport.hpp"
#include "tests/flow/flows.hpp"

namespace riemflow::test {

inline FlowConfig small_model(ModelKind kind, const std::string& manifold, double tolerance = 1e-6) {
  FlowConfig config = small_config(manifold, tolerance);
  config.model = kind;
  return config;
}

/// With `strength` times the usual parameters.
template <class T>
std::unique_ptr<Transport<T>> random_transport(const FlowConfig& config, std::uint64_t seed,
                                               double strength = 2, int threads = 2) {
  auto transport = make_transport<T>(config, seed, threads);
  for (T& p : transport->parameters()) p *= static_cast<T>(strength);
  return transport;
}

/// Largest difference of the gradient of the likelihood from central differences of the mean of −log p,
/// relative to the largest component, over every `stride`-th parameter; and of the loss from that mean.
struct GradientErrors {
  double gradient = 0, value = 0;
};
inline GradientErrors gradient_errors(Transport<double>& model, const Points<double>& points,
                                      std::size_t stride, const NoiseKey& key = {}) {
  constexpr double kStep = 1e-5;
  const auto loss = [&] { return -model.log_prob(points, key).mean(); };
  std::vector<double> gradient(model.parameters().size());
  const double claimed = model.gradient_of(LikelihoodBatch{points}, gradient, {key, 0}).total;
  double largest = 0;
  for (const double g : gradient) largest = std::max(largest, std::abs(g));
  GradientErrors errors;
  errors.value = std::abs(claimed - loss());
  for (std::size_t i = 0; i < gradient.size(); i += stride) {
    double& p = model.parameters()[i];
    const double kept = p;
    p = kept + kStep;
    const double up = loss();
    p = kept - kStep;
    const double down = loss();
    p = kept;
    errors.gradient = std::max(errors.gradient, std::abs((up - down) / (2 * kStep) - gradient[i]) / largest);
  }
  return errors;
}

}  // namespace riemflow::test
