#pragma once
// A distribution over whole batches of points.

#include <cstdint>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/distribution/distribution.hpp"

namespace riemflow {

/// n draws, those numbered `first` on: each has a stream of its own, so that any piece of a sample can be
/// drawn alone.
template <class T>
Points<T> draws_of(const Distribution<T>& distribution, std::size_t n, std::uint64_t seed,
                   std::uint64_t iteration = 0, std::uint64_t first = 0,
                   Purpose purpose = Purpose::base_sample) {
  Points<T> points(n, distribution.ambient());
  std::vector<Pack<T>> tile(static_cast<std::size_t>(points.dimension));
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    for (int l = 0; l < points.lanes(t); ++l) {
      Random random(seed, purpose, iteration, first + t * kLanes + static_cast<std::size_t>(l));
      distribution.sample(random, tile.data(), l);
    }
    points.store_tile(t, tile.data());
  }
  return points;
}

/// log p in nats, a point.
template <class T>
std::vector<double> log_densities_of(const Distribution<T>& distribution, const Points<T>& points) {
  std::vector<double> values;
  values.reserve(points.size());
  std::vector<Pack<T>> tile(static_cast<std::size_t>(points.dimension));
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    points.load_tile(t, tile.data());
    const Pack<T> value = distribution.log_density(tile.data());
    for (int l = 0; l < points.lanes(t); ++l) values.push_back(static_cast<double>(value[l]));
  }
  return values;
}

}  // namespace riemflow
