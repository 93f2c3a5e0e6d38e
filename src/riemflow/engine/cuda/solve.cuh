#pragma once
// Solves of a flow on the GPU, as the host sees them: plain numbers in device memory.

#include <cstddef>
#include <cstdint>

#include "riemflow/engine/cuda/geometry.cuh"
#include "riemflow/engine/cuda/network.cuh"

namespace riemflow::cuda {

constexpr int kMostWidth = 256;  // of the network
constexpr int kMostDepth = 8;    // hidden layers
constexpr int kMostWarps = 8;    // of a block
constexpr int kStages = 6;       // of dopri5
constexpr int kRing = 24;        // evaluations whose weights' gradients are added up together
enum SolveStatus { kOk, kTooMany, kUnderflow, kNonFinite, kOutside };

/// Where a matrix of the network stands in the working vector, and its two packings (pack.cuh). Columns come in parts,
/// each a matrix of its own: the factors of a product.
struct Matrix {
  int rows, columns, parts;
  int first[kMostFactors], source[kMostFactors];  ///< column; place
  int forward, backward;                          ///< float4s into the packed weights

  __host__ __device__ int row_tiles() const { return (rows + kUnits - 1) / kUnits; }
  __host__ __device__ int steps() const { return (columns + kSteps - 1) / kSteps; }
  __device__ int place(int r, int c) const {
    int part = 0;
    while (part + 1 < parts && c >= first[part + 1]) ++part;
    const int end = part + 1 < parts ? first[part + 1] : columns;
    return source[part] + r * (end - first[part]) + c - first[part];
  }
};

enum Mode {
  kDensity,   ///< log p (or motion, without jets)
  kGradient,  ///< log p and the gradient of its mean
  kKeep,      ///< motion and density, with all that kBackward needs
  kBackward   ///< the gradient, from the cotangents of the last state
};

struct Problem {
  int size;                   ///< of the kernel, which of kSizes
  int ambient, jets, depth;
  int width;                  ///< units, of which there are row_tiles() · 16
  int groups;                 ///< of points in a tile
  int warps;                  ///< of a block
  int stride;                 ///< floats from row to row of activations
  int output_splits, input_splits;  ///< parts into which sums over units are divided among warps
  int activation, distance;   ///< Function; distance: of a geodesic input, else −1
  int points, working_size, max_evaluations, most_steps;
  bool mean_square;
  double from, to, rtol, atol;
  float log_base;             ///< its constant
  float kinetic;              ///< weight of the regulariser
  float bound;                ///< of the network's output; 0: none
  Frame frame;
  Matrix input, output, hidden[kMostDepth];  ///< hidden[l]: into layer l + 1
  int scales, bias[kMostDepth], time[kMostDepth], output_bias, output_time;

  __host__ __device__ int tile() const { return groups * kGroup; }  ///< points
  __host__ __device__ int tiles() const { return (points + tile() - 1) / tile(); }
  __host__ __device__ int unit_tiles() const { return (width + kUnits - 1) / kUnits; }
  __host__ __device__ int columns() const { return groups * kGroup * jets; }
  /// Floats of one layer's jets, as lanes hold them.
  __host__ __device__ int layer_floats() const { return unit_tiles() * groups * jets * 128; }
  /// Floats an evaluation keeps: layers, the distances of a geodesic input, and what the driving lanes keep.
  __host__ __device__ int tape_floats(int most_coordinates, int lanes) const {
    return (depth + 1) * layer_floats() + 2 * most_coordinates * lanes * tile();
  }
  /// Floats of the cotangents of one evaluation: layers, features, output.
  __host__ __device__ int ring_floats() const {
    return (depth + 1) * layer_floats() + (8 * input.steps() + ambient) * columns();
  }
};

/// The kernels: most coordinates, most jets, lanes a point.
struct Size {
  int coordinates, jets, lanes;
};
constexpr Size kSizes[] = {{3, 3, 8}, {6, 6, 8}, {17, 17, 32}};
constexpr int kSizeCount = 3;

struct Report {
  int status, accepted, rejected, evaluations;
  double first_step;
};

/// Of a call; null where its mode has no use for it.
struct Buffers {
  const float *working, *points, *noise;
  const float4* packed;
  const std::uint32_t* picks;  ///< which of the points; null: all, in their order
  const double* first_step;    ///< to try; null: none is known
  float* values;               ///< log p, or ∫ div f dt in mode kKeep
  float* energy;               ///< ∫‖f‖² dt with the sign of dt
  float* ends;                 ///< where the points end
  const float* bars;           ///< kBackward: [point][ambient + 2] cotangents of the last state
  float* gradients;            ///< [block][working_size]
  float *tape, *unprojected, *ring;
  double2* steps;
  Report* reports;   ///< a tile
  size_t tape_size;  ///< floats a block
};

/// Shared memory of a block.
std::size_t shared_bytes(const Problem& problem);
cudaError_t run_solve(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream);

}  // namespace riemflow::cuda
