#pragma once
// A whole solve of a tile of points by one block, tile after tile, and its gradient.

#include "riemflow/flow/cuda/match_kernel.cuh"

namespace riemflow::cuda {
namespace {

template <int D, int J, int G, int S, bool kWaves, bool kLearns>
__global__ void __launch_bounds__(32 * kMostWarps, J > 6 ? 1 : 2)
    solve_kernel(const __grid_constant__ Problem problem, const __grid_constant__ Buffers buffers, Mode mode) {
  extern __shared__ float4 raw_memory[];
  const int home = static_cast<int>(blockIdx.x);
  const Block<J, S == kAny, kWaves, false> block = make_block<J, S == kAny, kWaves, false>(problem, buffers, raw_memory, kLearns);
  block.clear(kLearns && mode != kKeep);

  Driver<D, J, G, S, kWaves> driver{block, {problem.frame}, nullptr};
  const Lane<G>& lane = driver.lane;
  const int n = driver.ambient();
  const auto block_index = static_cast<size_t>(home);
  float* tape = kLearns ? buffers.tape + block_index * buffers.tape_size : nullptr;
  double2* steps = kLearns ? buffers.steps + block_index * static_cast<size_t>(problem.most_steps) : nullptr;
  float* raws = kLearns ? buffers.unprojected +
                              block_index * static_cast<size_t>(problem.most_steps) * static_cast<size_t>(problem.tile * G)
                        : nullptr;
  for (int tile = home; tile < problem.tiles; tile += static_cast<int>(gridDim.x)) {
    const int point = min(tile * problem.tile + min(lane.point, problem.tile - 1), problem.points - 1);
    const bool real = driver.drives && tile * problem.tile + lane.point < problem.points;
    driver.noise = buffers.noise + static_cast<size_t>(point) * static_cast<size_t>(n * (problem.jets - 1));
    Report report;
    float y_bar = 0;
    const int row = lane.jet < n ? lane.jet : lane.jet == D ? n : lane.jet == D + 1 ? n + 1 : -1;  // of [ambient + 2]
    if (mode == kBackward) {
      report = buffers.reports[tile];
      if (real && row >= 0) y_bar = buffers.bars[static_cast<size_t>(point) * static_cast<size_t>(n + 2) + static_cast<size_t>(row)];
    } else {
      const auto from = static_cast<size_t>(buffers.picks == nullptr ? point : static_cast<int>(buffers.picks[point]));
      float y = driver.projected(lane.jet < n ? buffers.points[from * static_cast<size_t>(n) + static_cast<size_t>(lane.jet)] : 0.0f);
      driver.solve(y, buffers.first_step == nullptr ? 0 : *buffers.first_step, report, steps, raws, tape);
      const bool good = report.status == kOk;
      float x[D], slope[D];
      lane.gather(y, x);
      const float volume = lane.from(y, D), energy = lane.from(y, D + 1);
      const float log_base = driver.geometry.log_base(x, slope) + problem.log_base;
      if (real && lane.jet < n) buffers.ends[static_cast<size_t>(point) * static_cast<size_t>(n) + static_cast<size_t>(lane.jet)] = good ? y : nanf("");
      if (real && lane.jet == 0) {
        buffers.values[point] = !good ? nanf("") : mode == kKeep ? volume : log_base + volume;
        buffers.energy[point] = good ? energy : nanf("");
      }
      if (lane.thread == 0) buffers.reports[tile] = report;
      if (mode == kGradient) {
        // Of −log p and of the energy, whose row is −∫‖f‖² dt when solved from 1 to 0.
        const float weight = real ? 1.0f / static_cast<float>(problem.points) : 0.0f;
#pragma unroll
        for (int i = 0; i < D; ++i) y_bar = lane.jet == i ? -weight * slope[i] : y_bar;
        y_bar = lane.jet == D ? -weight : lane.jet == D + 1 ? -problem.kinetic * weight : y_bar;
      }
    }
    if constexpr (kLearns)
      if (report.status == kOk && (mode == kGradient || mode == kBackward))
        driver.backward(report.accepted, steps, raws, tape, y_bar);
  }
}

template <int D, int J, int G, int S, bool kWaves, bool kLearns>
cudaError_t launch(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  const std::size_t bytes = shared_bytes(problem);
  const auto kernel = solve_kernel<D, J, G, S, kWaves, kLearns>;
  static const cudaError_t ready[] = {allow_shared_memory(kernel), kLearns ? divide_alike(kernel) : cudaSuccess};
  for (const cudaError_t code : ready)
    if (code != cudaSuccess) return code;
  kernel<<<blocks, 32 * problem.warps, bytes, stream>>>(problem, buffers, mode);
  return cudaGetLastError();
}

/// The kernels of one size.
template <int kSize>
cudaError_t run_size(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  constexpr Size s = kSizes[kSize];
  if (mode == kMatch) return launch_match<s.coordinates, s.lanes, s.shape, s.waves>(problem, buffers, blocks, stream);
  return mode == kDensity ? launch<s.coordinates, s.jets, s.lanes, s.shape, s.waves, false>(problem, buffers, mode, blocks, stream)
                          : launch<s.coordinates, s.jets, s.lanes, s.shape, s.waves, true>(problem, buffers, mode, blocks, stream);
}

}  // namespace
}  // namespace riemflow::cuda
