#pragma once
// The mean velocity of the paths that come by a point of a sphere (flow/flow_matching.hpp, core/simd/sphere_paths).

#include "riemflow/flow/cuda/solve.cuh"

namespace riemflow::cuda {

/// Ends of paths: unit vectors, [ambient][n]; some may be too far away to count.
struct Ends {
  const float* values;
  int n, ambient;
  float radius;
};

/// targets[point] = E(ẋ_t | x_t = x[point]); left as it is where no path comes by.
cudaError_t run_mean_velocities(const Ends& ends, int points, const float* x, const float* times, float* targets,
                                cudaStream_t stream);

}  // namespace riemflow::cuda
