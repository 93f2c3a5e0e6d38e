#include "riemflow/engine/cuda/solve_kernel.cuh"

namespace riemflow::cuda {

bool run_torus(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream,
                cudaError_t& code) {
  return (problem.ambient == 2 && run_shape<kTorus, 2, 1, 2, 3>(problem, buffers, mode, blocks, stream, code));
}

}  // namespace riemflow::cuda
