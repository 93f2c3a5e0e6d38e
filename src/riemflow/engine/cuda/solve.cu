#include "riemflow/engine/cuda/solve.cuh"

#include "riemflow/engine/cuda/network_pass.cuh"

namespace riemflow::cuda {

cudaError_t run_small(const Problem&, const Buffers&, Mode, int, cudaStream_t);
cudaError_t run_medium(const Problem&, const Buffers&, Mode, int, cudaStream_t);
cudaError_t run_large(const Problem&, const Buffers&, Mode, int, cudaStream_t);

std::size_t shared_bytes(const Problem& p) {
  const int rows = feature_rows(p) + output_rows(p) + 2 * layer_rows(p);
  return (sizeof(Shared) + 15) / 16 * 16 + static_cast<std::size_t>(rows * p.stride) * sizeof(float);
}

cudaError_t run_solve(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  constexpr decltype(&run_small) kRun[kSizeCount] = {run_small, run_medium, run_large};
  return kRun[problem.size](problem, buffers, mode, blocks, stream);
}

}  // namespace riemflow::cuda
