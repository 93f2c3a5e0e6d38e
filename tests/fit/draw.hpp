#pragma once
// Draws of a known distribution, as data; what a fit has learned.

#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/distribution/distribution.hpp"
#include "riemflow/flow/flow.hpp"

namespace riemflow {

template <class T>
Points<T> draw(const Distribution<T>& distribution, std::size_t n, std::uint64_t seed) {
  Points<T> points(n, distribution.ambient());
  std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::target_sample, 0, i);
    distribution.sample(random, x.data(), 0);
    for (std::size_t j = 0; j < x.size(); ++j) points[i][j] = x[j][0];
  }
  return points;
}

inline std::vector<float> parameters_of(const Flow<float>& flow) {
  return {flow.parameters().begin(), flow.parameters().end()};
}

}  // namespace riemflow
