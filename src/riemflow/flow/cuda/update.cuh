#pragma once
// What follows a gradient in training, on the GPU: loss, clipping, Adam, the moving average and the working vector
// of the next step; fit/trainer.cpp, formula for formula.

#include "riemflow/flow/cuda/solve.cuh"
#include "riemflow/flow/resident.hpp"

namespace riemflow::cuda {

/// The first layer's part of the two vectors (flow/field/input_layer.hpp). The rest of both is the same.
struct InputRows {
  int width, columns, features;  ///< of a row of parameters, and of a row of the working vector
  int distance;                  ///< Function, or −1: rows are as they are
  double root;                   ///< √|K|
};

/// Counters that steps carry along.
struct Carry {
  long long adam_steps, average_steps;
  double first_step;
};

struct Update {
  InputRows rows;
  int size;  ///< of the parameters
  double beta1, beta2, epsilon, clip, weight_decay, decay, kinetic;  ///< decay: of the average
  float *parameters, *mean, *square, *average;  ///< average: null if there is none
  float* working;
  float* sum;            ///< of the gradients of the working vector
  double* squares;       ///< a block of run_reduce
  const float* offsets;  ///< a point of the data; null: none
};

/// Entries of Update::squares.
int reduce_blocks(int working_size);

/// sum[i] = Σ_block gradients[block][i], the same order each time. squares (or null): Σ sum[i]² over the i ≥ first
/// of each block.
cudaError_t run_reduce(const float* gradients, int blocks, int size, float* sum, int first, double* squares,
                       cudaStream_t stream);

/// From the summed gradient of the working vector to the next one. before, after: what the step carries along.
cudaError_t run_update(const Update& update, const Problem& problem, const Buffers& buffers, const double* rate,
                       const Carry* before, Carry* after, ResidentOutcome* outcome, cudaStream_t stream);

/// The working vector of the parameters.
cudaError_t run_prepare(const Update& update, cudaStream_t stream);

}  // namespace riemflow::cuda
