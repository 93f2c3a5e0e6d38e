#pragma once
// A whole solve of four points by one block: weights into shared memory, tile after tile, gradients out.

#include "riemflow/engine/cuda/driver.cuh"

namespace riemflow::cuda {
namespace {

/// Calls use(parameter index, shared place) for each number of the field.
template <int D, int F, int J, class Use>
__device__ void each_weight(Block<D, F, J>& block, bool gradients, const Use& use) {
  constexpr int W = kWidth;
  auto& m = block.m;
  const Problem& p = block.problem;
  const Offsets& o = p.offsets;
  const int at = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = at; i < F * W; i += threads) {
    const int f = i / W, r = i % W;
    use(f < p.features ? o.input_weight + r * p.features + f : -1, (gradients ? m.input_gradient : m.input_weight)[i]);
  }
  for (int i = at; i < D * W; i += threads)
    use(o.output_weight + i, (gradients ? m.output_gradient : m.output_weight)[i]);
  for (int i = at; i < p.depth * W; i += threads) {
    use(o.bias[i / W] + i % W, (gradients ? m.bias_gradient : m.bias)[i]);
    use(o.time[i / W] + i % W, (gradients ? m.time_gradient : m.time)[i]);
  }
  for (int i = at; i < W; i += threads)
    use(o.scales < 0 ? -1 : o.scales + i, (gradients ? m.scale_gradient : m.scale)[i]);
  for (int i = at; i < D; i += threads) {
    use(o.output_bias + i, (gradients ? m.output_bias_gradient : m.output_bias)[i]);
    use(o.output_time + i, (gradients ? m.output_time_gradient : m.output_time)[i]);
  }
}

/// Row and k of an entry of a packed matrix.
__device__ inline int2 unpacked(int at) {
  return {at / kWidth, at / 4 % 8 + 8 * (4 * (at / 32 % (kWidth / 32)) + at % 4)};
}

template <int G, int D, int J, bool kLearns>
__global__ void __launch_bounds__(4 * kWidth, kLearns ? 2 : 4)
    solve_kernel(const __grid_constant__ Problem problem, const __grid_constant__ Buffers buffers, Mode mode) {
  constexpr int W = kWidth, F = kFeatures<G, D>;
  extern __shared__ float4 raw_memory[];
  using Memory = Shared<D, F, J>;
  Memory& m = *reinterpret_cast<Memory*>(raw_memory);
  float* matrices = reinterpret_cast<float*>(raw_memory + (sizeof(Memory) + 15) / 16);
  const int hidden = problem.depth - 1, all = hidden * W * W;
  Block<D, F, J> block{m, problem, matrices, matrices + all, matrices + 2 * all, {}};

  each_weight(block, false, [&](int i, float& place) { place = i < 0 ? 0.0f : buffers.working[i]; });
  if (kLearns) each_weight(block, true, [&](int, float& place) { place = 0; });
  for (int i = static_cast<int>(threadIdx.x); i < all; i += static_cast<int>(blockDim.x)) {
    const int2 at = unpacked(i % (W * W));
    const float* matrix = buffers.working + problem.offsets.hidden[i / (W * W)];
    block.packed[i] = matrix[at.x * W + at.y];
    if (kLearns) {
      block.transposed[i] = matrix[at.y * W + at.x];
      block.gradient[i] = 0;
    }
  }
  __syncthreads();

  const int tiles = (problem.points + kPoints - 1) / kPoints, home = static_cast<int>(blockIdx.x);
  if (threadIdx.x >= 32) {
    block.serve();
  } else {
    Driver<G, D, J> driver{block, {problem.frame}, nullptr};
    const Lane& lane = driver.lane;
    float* tape = kLearns ? buffers.tape + static_cast<size_t>(home) * buffers.tape_size : nullptr;
    double2* steps = kLearns ? buffers.steps + static_cast<size_t>(home) * problem.most_steps : nullptr;
    float* raws = kLearns ? buffers.unprojected + static_cast<size_t>(home) * problem.most_steps * 32 : nullptr;
    for (int tile = home; tile < tiles; tile += static_cast<int>(gridDim.x)) {
      const int point = min(tile * kPoints + lane.point, problem.points - 1);
      const bool real = tile * kPoints + lane.point < problem.points;
      driver.noise = buffers.noise + static_cast<size_t>(point) * D * (J - 1);
      Report report;
      float y_bar = 0;
      if (mode == kBackward) {
        report = buffers.reports[tile];
        if (real && lane.jet < D + 2) y_bar = buffers.bars[point * (D + 2) + lane.jet];
      } else {
        const auto row = static_cast<size_t>(buffers.picks == nullptr ? point : buffers.picks[point]);
        float y = driver.projected(lane.jet < D ? buffers.points[row * D + lane.jet] : 0.0f);
        driver.solve(y, buffers.first_step == nullptr ? 0 : *buffers.first_step, report, steps, raws, tape);
        const bool good = report.status == kOk;
        float x[D], slope[D];
        lane.gather(y, x);
        const float volume = lane.from(y, D), energy = lane.from(y, D + 1);
        const float log_base = driver.geometry.log_base(problem.base, x, slope) + problem.log_base;
        if (real && lane.jet < D) buffers.ends[point * D + lane.jet] = good ? y : nanf("");
        if (real && lane.jet == 0) {
          buffers.values[point] = !good ? nanf("") : mode == kKeep ? volume : log_base + volume;
          buffers.energy[point] = good ? energy : nanf("");
        }
        if (driver.warp_lane() == 0) buffers.reports[tile] = report;
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
    block.call(kExit, 0, nullptr);
  }
  if (!kLearns || mode == kKeep) return;
  __syncthreads();
  float* out = buffers.gradients + static_cast<size_t>(home) * static_cast<size_t>(problem.working_size);
  each_weight(block, true, [&](int i, float& place) {
    if (i >= 0) out[i] = place;
  });
  for (int i = static_cast<int>(threadIdx.x); i < all; i += static_cast<int>(blockDim.x)) {
    const int2 at = unpacked(i % (W * W));
    out[problem.offsets.hidden[i / (W * W)] + at.x * W + at.y] = block.gradient[i];
  }
}

template <int G, int D, int J, bool kLearns>
cudaError_t launch(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  const std::size_t bytes = (sizeof(Shared<D, kFeatures<G, D>, J>) + 15) / 16 * 16 +
                            static_cast<std::size_t>(problem.depth - 1) * kWidth * kWidth * sizeof(float) * (kLearns ? 3 : 1);
  const cudaError_t code = cudaFuncSetAttribute(solve_kernel<G, D, J, kLearns>,
                                                cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (code != cudaSuccess) return code;
  solve_kernel<G, D, J, kLearns><<<blocks, 4 * kWidth, bytes, stream>>>(problem, buffers, mode);
  return cudaGetLastError();
}

/// The kernels of one shape and size.
template <int G, int D, int... J>
bool run_shape(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream,
               cudaError_t& code) {
  const auto one = [&]<int kJets>() {
    if (problem.jets != kJets) return false;
    if (mode == kDensity)
      code = launch<G, D, kJets, false>(problem, buffers, mode, blocks, stream);
    else if constexpr (kJets > 1)
      code = launch<G, D, kJets, true>(problem, buffers, mode, blocks, stream);
    else
      code = cudaErrorInvalidValue;
    return true;
  };
  return (one.template operator()<J>() || ...);
}

}  // namespace
}  // namespace riemflow::cuda
