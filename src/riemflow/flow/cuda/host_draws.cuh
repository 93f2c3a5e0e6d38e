#pragma once
// What is random on the GPU, drawn by the host: the same streams, and so the same numbers, as on the CPU.

#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/executor.hpp"
#include "riemflow/distribution/distribution.hpp"
#include "riemflow/flow/flow_config.hpp"
#include "riemflow/flow/tile_flow.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::cuda {

/// The probes of Hutchinson's estimate, [point][coordinate · k + probe]; empty if exact.
std::vector<float> draw_probes(const DivergenceConfig& divergence, int ambient, std::size_t points, const NoiseKey& key);

/// Of flow matching: [step][point] times, to the end of a group of 8; [step][point][ambient] points and velocities.
struct DrawnPaths {
  std::size_t steps, padded;  ///< padded: times of a step
  std::vector<float> times, points, velocities;
};
/// Step s is of the points picks[s·batch …] of the data, key.iteration + s.
DrawnPaths draw_paths(const Manifold<float>& manifold, const Distribution<float>& base, const Points<float>& data,
                      const std::vector<std::uint32_t>& picks, std::size_t batch, const NoiseKey& key, Executor& executor);

}  // namespace riemflow::cuda
