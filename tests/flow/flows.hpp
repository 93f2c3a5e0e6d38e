#pragma once
// Flows to test on: small random networks, strong enough for a density far from the base.

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "riemflow/flow/flow.hpp"

namespace riemflow::test {

inline FlowConfig small_config(const std::string& manifold, double tolerance = 1e-6) {
  FlowConfig config;
  config.manifold = manifold;
  config.field.width = 16;
  config.field.depth = 2;
  config.solver.rtol = config.solver.atol = tolerance;
  return config;
}

/// With `strength` times the usual parameters.
template <class T>
std::unique_ptr<Flow<T>> random_flow(const FlowConfig& config, std::uint64_t seed, int threads = 1,
                                     double strength = 2) {
  auto flow = std::make_unique<Flow<T>>(config, seed, threads);
  for (T& p : flow->parameters()) p *= static_cast<T>(strength);
  return flow;
}

/// ε of T, or the tolerance where that is larger: what a solve can be held to.
template <class T>
double attainable(double tolerance) {
  return std::max(tolerance, 8 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// The distance of each point of a from its counterpart in b.
template <class T>
std::vector<double> distances(const Manifold<T>& manifold, const Points<T>& a, const Points<T>& b) {
  std::vector<double> r;
  std::vector<Pack<T>> x(static_cast<std::size_t>(a.dimension)), y = x;
  for (std::size_t t = 0; t < a.tiles(); ++t) {
    a.load_tile(t, x.data());
    b.load_tile(t, y.data());
    const Pack<T> distance = manifold.distance(x.data(), y.data());
    r.insert(r.end(), distance.lane, distance.lane + a.lanes(t));
  }
  return r;
}

template <class T>
double largest_distance(const Manifold<T>& manifold, const Points<T>& a, const Points<T>& b) {
  double largest = 0;
  for (const double d : distances(manifold, a, b)) largest = d <= largest ? largest : d;  // NaN wins
  return largest;
}

/// Points first..first+n−1 of a.
template <class T>
Points<T> slice(const Points<T>& a, std::size_t first, std::size_t n) {
  Points<T> r(n, a.dimension);
  for (std::size_t i = 0; i < n; ++i) std::copy(a[first + i].begin(), a[first + i].end(), r[i].begin());
  return r;
}

inline const std::vector<std::string>& all_manifolds() {
  static const std::vector<std::string> names = {
      "euclidean:2",         "sphere:2",         "sphere:3,K=0.5", "ball:2",      "ball:3,K=-0.5", "torus:2",
      "sphere:2 x sphere:1", "ball:2 x torus:1", "stiefel:3,2",    "stiefel:4,3", "grassmann:4,2"};
  return names;
}

/// Whether there is a geodesic input layer.
inline bool has_geodesic_input(const std::string& manifold) {
  const Space space(manifold);
  try {
    for (const Factor<double>& factor : space->factors()) factor.manifold->geodesic_neurons();
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace riemflow::test
