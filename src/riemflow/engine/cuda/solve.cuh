#pragma once
// Solves of a flow on the GPU, as the host sees them: plain numbers in device memory.

#include <cstddef>
#include <cstdint>

#include "riemflow/engine/cuda/geometry.cuh"

namespace riemflow::cuda {

constexpr int kWidth = 64;      // of the network
constexpr int kMostDepth = 4;   // hidden layers
constexpr int kStages = 6;      // of dopri5
enum SolveStatus { kOk, kTooMany, kUnderflow, kNonFinite, kOutside };

/// Where the parts of the field stand in the working vector; scales < 0: the input layer is linear.
struct Offsets {
  int input_weight, scales, hidden[kMostDepth], bias[kMostDepth], time[kMostDepth], output_weight, output_bias,
      output_time;
};

enum Mode {
  kDensity,   ///< log p (or motion, without jets)
  kGradient,  ///< log p and the gradient of its mean
  kKeep,      ///< motion and density, with all that kBackward needs
  kBackward   ///< the gradient, from the cotangents of the last state
};

struct Problem {
  int shape, ambient, jets, features, depth;
  int activation, distance;  ///< Function; distance: of a geodesic input
  int points, working_size, max_evaluations, most_steps;
  int base;  ///< BaseKind
  bool mean_square;
  double from, to, rtol, atol;
  float log_base;           ///< its constant
  float kinetic;            ///< weight of the regulariser
  Frame frame;
  Offsets offsets;
};

struct Report {
  int status, accepted, rejected, evaluations;
  double first_step;
};

/// Of a call; null where its mode has no use for it.
struct Buffers {
  const float *working, *points, *noise;
  const std::uint32_t* picks;  ///< which of the points; null: all, in their order
  const double* first_step;    ///< to try; null: none is known
  float *values;      ///< log p, or ∫ div f dt in mode kKeep
  float *energy;      ///< ∫‖f‖² dt with the sign of dt
  float *ends;        ///< where the points end
  const float* bars;  ///< kBackward: [point][ambient + 2] cotangents of the last state
  float *gradients;   ///< [block][working_size]
  float *tape, *unprojected;
  double2* steps;
  Report* reports;  ///< a tile
  size_t tape_size;  ///< floats a block
};

/// Floats an evaluation keeps.
__host__ __device__ constexpr int tape_floats(int jets, int ambient) {
  return (kMostDepth + 1) * jets * kPoints * kWidth + 64 * ambient;
}

/// False if there is no kernel of this shape, size and number of jets.
bool can_solve(int shape, int ambient, int jets);
cudaError_t run_solve(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream);

}  // namespace riemflow::cuda
