#include "riemflow/flow/cuda/host_draws.cuh"

#include <algorithm>

#include "riemflow/core/random.hpp"
#include "riemflow/flow/flow_matching.hpp"
#include "riemflow/flow/cuda/network.cuh"

namespace riemflow::cuda {

std::vector<float> draw_probes(const DivergenceConfig& divergence, int ambient, std::size_t points, const NoiseKey& key) {
  if (divergence.estimator == DivergenceEstimator::exact) return {};
  const auto size = static_cast<std::size_t>(ambient) * static_cast<std::size_t>(divergence.probes);
  std::vector<float> noise(points * size);
  for (std::size_t i = 0; i < points; ++i) {
    Random random(key.seed, Purpose::divergence_noise, key.iteration, i);
    for (std::size_t c = 0; c < size; ++c)
      noise[i * size + c] =
          static_cast<float>(divergence.noise == Noise::rademacher ? random.rademacher() : random.normal());
  }
  return noise;
}

DrawnPaths draw_paths(const Manifold<float>& manifold, const Distribution<float>& base, const Points<float>& data,
                      const std::vector<std::uint32_t>& picks, std::size_t batch, const NoiseKey& key, Executor& executor) {
  const auto ambient = static_cast<std::size_t>(manifold.ambient());
  DrawnPaths paths;
  paths.steps = picks.size() / batch;
  paths.padded = (batch + kGroup - 1) / kGroup * kGroup;
  paths.times.resize(paths.steps * paths.padded);
  paths.points.resize(paths.steps * batch * ambient);
  paths.velocities.resize(paths.points.size());
  executor.run(paths.steps, [&](std::size_t step, int) {
    PathDraws<float> draws(manifold, base, 0);
    Points<float> own(batch, data.dimension);
    for (std::size_t i = 0; i < batch; ++i) {
      const auto from = data[picks[step * batch + i]];
      std::copy(from.begin(), from.end(), own[i].begin());
    }
    std::vector<Pack<float>> x(ambient), velocity(ambient);
    Pack<float> t;
    float* times = paths.times.data() + step * paths.padded;
    for (std::size_t tile = 0; tile < own.tiles(); ++tile) {
      draws.tile(own, tile, {key.seed, key.iteration + step}, x.data(), t, velocity.data());
      for (int l = 0; l < own.lanes(tile); ++l) {
        const std::size_t point = tile * kLanes + static_cast<std::size_t>(l), at = (step * batch + point) * ambient;
        times[point] = t[l];
        for (std::size_t k = 0; k < ambient; ++k) {
          paths.points[at + k] = x[k][l];
          paths.velocities[at + k] = velocity[k][l];
        }
      }
    }
    std::fill(times + batch, times + paths.padded, 0.5f);
  });
  return paths;
}

}  // namespace riemflow::cuda
