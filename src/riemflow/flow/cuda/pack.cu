#include "riemflow/flow/cuda/pack.cuh"

namespace riemflow::cuda {
namespace {

constexpr int kThreads = 256;

__host__ __device__ int tiles_up(int n, int tile) { return (n + tile - 1) / tile; }

/// Bias and time of every unit, layer by layer, and the scales; 0 for units that are none.
__device__ void pack_vectors(const Problem& p, const float* working, float4* packed) {
  const int units = tiles_up(p.width, kUnits) * kUnits;
  for (int i = static_cast<int>(threadIdx.x); i < (p.depth + 1) * units; i += kThreads) {
    const int l = i / units, unit = i % units;
    const bool real = unit < p.width;
    if (l < p.depth)
      reinterpret_cast<float2*>(packed + p.vectors)[i] =
          real ? float2{working[p.bias[l] + unit], working[p.time[l] + unit]} : float2{0, 0};
    else
      reinterpret_cast<float*>(packed + p.scale_vector)[unit] = real && p.distance >= 0 ? working[p.scales + unit] : 0.0f;
  }
}

/// blockIdx.y: the matrix, and whether it is transposed; behind them the vectors.
__global__ void pack_kernel(const __grid_constant__ Problem p, const float* working, float4* packed) {
  const int which = static_cast<int>(blockIdx.y) / 2;
  if (which == p.depth + 1) {
    if (blockIdx.x == 0) pack_vectors(p, working, packed);
    return;
  }
  const bool transposed = blockIdx.y % 2 == 1;
  const Matrix& m = which == 0 ? p.input : which == 1 ? p.output : p.hidden[which - 2];
  const int rows = transposed ? m.columns : m.rows, columns = transposed ? m.rows : m.columns;
  const int steps = tiles_up(columns, kSteps), all = tiles_up(rows, kUnits) * steps * 32;
  const int at = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  if (at >= all) return;
  const int lane = at % 32, step = at / 32 % steps, tile = at / 32 / steps;
  const int row = tile * kUnits + lane / 4, column = step * kSteps + lane % 4;
  const auto entry = [&](int r, int c) {
    if (r >= rows || c >= columns) return 0.0f;
    return working[transposed ? m.place(c, r) : m.place(r, c)];
  };
  const Left left(float4{entry(row, column), entry(row + 8, column), entry(row, column + 4), entry(row + 8, column + 4)});
  float4* to = packed + (transposed ? m.backward : m.forward) + 2 * at;
  to[0] = left.hi;
  to[1] = left.lo;
}

/// Lanes' shares of a packing.
int size_of(int rows, int columns) { return tiles_up(rows, kUnits) * tiles_up(columns, kSteps) * 32; }

}  // namespace

int place_packed(Problem& problem) {
  int next = 0;
  const auto place = [&](Matrix& m) {
    m.forward = next;
    next += 2 * size_of(m.rows, m.columns);
    m.backward = next;
    next += 2 * size_of(m.columns, m.rows);
  };
  place(problem.input);
  place(problem.output);
  for (int l = 0; l + 1 < problem.depth; ++l) place(problem.hidden[l]);
  problem.hidden_pitch = 4 * size_of(problem.width, problem.width);
  const int units = tiles_up(problem.width, kUnits) * kUnits;
  problem.vectors = next;
  next += problem.depth * units / 2;
  problem.scale_vector = next;
  next += units / 4;
  return next;
}

cudaError_t run_pack(const Problem& problem, const float* working, float4* packed, cudaStream_t stream) {
  int most = 0;
  const auto count = [&](const Matrix& m) {
    for (const int size : {size_of(m.rows, m.columns), size_of(m.columns, m.rows)}) most = size > most ? size : most;
  };
  count(problem.input);
  count(problem.output);
  for (int l = 0; l + 1 < problem.depth; ++l) count(problem.hidden[l]);
  const dim3 grid(static_cast<unsigned>(tiles_up(most, kThreads)), static_cast<unsigned>(2 * (problem.depth + 1) + 1));
  static const cudaError_t alike = divide_alike(pack_kernel);
  if (alike != cudaSuccess) return alike;
  pack_kernel<<<grid, kThreads, 0, stream>>>(problem, working, packed);
  return cudaGetLastError();
}

}  // namespace riemflow::cuda
