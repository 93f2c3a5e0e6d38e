#pragma once
// Matrices as the tensor cores want them: the four numbers that a lane needs of a tile of 16 × 8 side by side, first
// their high and then their low parts, tile after tile along a row of tiles. Each matrix is packed twice, as it is and transposed for the backward pass; what fills up
// the last tiles is 0.

#include "riemflow/flow/cuda/solve.cuh"

namespace riemflow::cuda {

/// Gives every matrix of the problem its two places; returns the float4s of all.
int place_packed(Problem& problem);
cudaError_t run_pack(const Problem& problem, const float* working, float4* packed, cudaStream_t stream);

}  // namespace riemflow::cuda
