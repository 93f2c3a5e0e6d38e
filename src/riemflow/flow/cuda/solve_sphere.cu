#include "riemflow/flow/cuda/solve_kernel.cuh"

namespace riemflow::cuda {

cudaError_t run_sphere(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  return run_size<0>(problem, buffers, mode, blocks, stream);
}

}  // namespace riemflow::cuda
