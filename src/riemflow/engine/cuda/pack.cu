#include "riemflow/engine/cuda/pack.cuh"

namespace riemflow::cuda {
namespace {

constexpr int kThreads = 256;

__host__ __device__ int tiles_up(int n, int tile) { return (n + tile - 1) / tile; }

/// blockIdx.y: the matrix, and whether it is transposed.
__global__ void pack_kernel(const __grid_constant__ Problem p, const float* working, float4* packed) {
  const int which = static_cast<int>(blockIdx.y) / 2;
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
  packed[(transposed ? m.backward : m.forward) + at] = {entry(row, column), entry(row + 8, column), entry(row, column + 4),
                                                        entry(row + 8, column + 4)};
}

int size_of(int rows, int columns) { return tiles_up(rows, kUnits) * tiles_up(columns, kSteps) * 32; }

}  // namespace

int place_packed(Problem& problem) {
  int next = 0;
  const auto place = [&](Matrix& m) {
    m.forward = next;
    next += size_of(m.rows, m.columns);
    m.backward = next;
    next += size_of(m.columns, m.rows);
  };
  place(problem.input);
  place(problem.output);
  for (int l = 0; l + 1 < problem.depth; ++l) place(problem.hidden[l]);
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
  const dim3 grid(static_cast<unsigned>(tiles_up(most, kThreads)), static_cast<unsigned>(2 * (problem.depth + 1)));
  pack_kernel<<<grid, kThreads, 0, stream>>>(problem, working, packed);
  return cudaGetLastError();
}

}  // namespace riemflow::cuda
