#include "riemflow/flow/cuda/solve.cuh"

#include "riemflow/flow/cuda/network_pass.cuh"

namespace riemflow::cuda {

using Run = cudaError_t(const Problem&, const Buffers&, Mode, int, cudaStream_t);
Run run_sphere, run_ball, run_torus, run_plane, run_sphere_waves, run_torus_waves, run_medium, run_large;

std::size_t shared_bytes(const Problem& p) {
  const int cells = (feature_rows(p) + output_rows(p)) * p.stride + 2 * p.layer_cells;
  return header_bytes() + static_cast<std::size_t>(cells) * (most_jets(p) <= 6 ? sizeof(float2) : sizeof(float));
}

cudaError_t run_solve(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  constexpr Run* kRun[kSizeCount] = {run_sphere,       run_ball,        run_torus,  run_plane,
                                     run_sphere_waves, run_torus_waves, run_medium, run_large};
  return kRun[problem.size](problem, buffers, mode, blocks, stream);
}

}  // namespace riemflow::cuda
