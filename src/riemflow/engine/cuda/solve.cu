#include "riemflow/engine/cuda/solve.cuh"

namespace riemflow::cuda {

bool run_sphere(const Problem&, const Buffers&, Mode, int, cudaStream_t, cudaError_t&);
bool run_ball(const Problem&, const Buffers&, Mode, int, cudaStream_t, cudaError_t&);
bool run_torus(const Problem&, const Buffers&, Mode, int, cudaStream_t, cudaError_t&);
bool run_euclidean(const Problem&, const Buffers&, Mode, int, cudaStream_t, cudaError_t&);

bool can_solve(int shape, int ambient, int jets) {
  if (jets < 1 || jets > 3) return false;
  if (shape == kSphere) return (ambient == 3) || (ambient == 2 && jets <= 2);
  return ambient == 2;
}

cudaError_t run_solve(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  cudaError_t code = cudaErrorInvalidValue;
  switch (problem.shape) {
    case kSphere:
      run_sphere(problem, buffers, mode, blocks, stream, code);
      break;
    case kBall:
      run_ball(problem, buffers, mode, blocks, stream, code);
      break;
    case kTorus:
      run_torus(problem, buffers, mode, blocks, stream, code);
      break;
    default:
      run_euclidean(problem, buffers, mode, blocks, stream, code);
  }
  return code;
}

}  // namespace riemflow::cuda
