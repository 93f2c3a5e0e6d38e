#pragma once
// Flow matching: the field at given points and times, and the gradient of its mean squared distance from given
// velocities, by one block a tile, tile after tile. One evaluation and its way back, and no solve.

#include "riemflow/flow/cuda/driver.cuh"

namespace riemflow::cuda {
namespace {

template <int D, int G, int S, bool kWaves>
__global__ void __launch_bounds__(32 * kMostWarps, 2)
    match_kernel(const __grid_constant__ Problem problem, const __grid_constant__ Buffers buffers) {
  extern __shared__ float4 raw_memory[];
  const int home = static_cast<int>(blockIdx.x), stride = static_cast<int>(gridDim.x);
  const Block<1, S == kAny, kWaves, true> block = make_block<1, S == kAny, kWaves, true>(problem, buffers, raw_memory, true);
  block.clear(true);
  Driver<D, 1, G, S, kWaves, true> driver{block, {problem.frame}, nullptr};
  const Lane<G>& lane = driver.lane;
  const auto n = static_cast<size_t>(driver.ambient());
  float* tape = buffers.tape + static_cast<size_t>(home) * buffers.tape_size;
  for (int tile = home; tile < problem.tiles; tile += stride) {
    const int point = min(tile * problem.tile + min(lane.point, problem.tile - 1), problem.points - 1);
    const bool real = driver.drives && tile * problem.tile + lane.point < problem.points;
    const bool counts = lane.jet < driver.ambient();
    const size_t at = static_cast<size_t>(point) * n + static_cast<size_t>(counts ? lane.jet : 0);
    float* kept = tape + static_cast<size_t>(driver.pending) * static_cast<size_t>(problem.tape_floats(D, G));
    const float x = driver.projected(counts ? buffers.points[at] : 0.0f);
    Moment moment;
    moment.first = tile * problem.tile;
    const float rate = driver.evaluate(moment, x, kept);
    float z[D];
    lane.gather(x, z);
    const float error = counts ? rate - buffers.targets[at] : 0.0f, lowered = error * driver.geometry.metric(z, lane.jet);
    const float square = lane.sum(error * lowered);
    if (real && lane.jet == 0) {
      buffers.values[point] = -square;
      buffers.energy[point] = 0;
    }
    if (lane.thread == 0) buffers.reports[tile] = {kOk, 0, 0, 1, 0};
    driver.pull_back(moment, kept, real ? 2 * lowered / static_cast<float>(problem.points) : 0.0f);
    if (driver.pending == kRing || tile + stride >= problem.tiles) driver.learn();
  }
}

template <int D, int G, int S, bool kWaves>
cudaError_t launch_match(const Problem& problem, const Buffers& buffers, int blocks, cudaStream_t stream) {
  const std::size_t bytes = shared_bytes(problem);
  const auto kernel = match_kernel<D, G, S, kWaves>;
  static const cudaError_t ready[] = {allow_shared_memory(kernel), divide_alike(kernel)};
  for (const cudaError_t code : ready)
    if (code != cudaSuccess) return code;
  kernel<<<blocks, 32 * problem.warps, bytes, stream>>>(problem, buffers);
  return cudaGetLastError();
}

}  // namespace
}  // namespace riemflow::cuda
