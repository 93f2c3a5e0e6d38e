#pragma once
// Solves of a flow on the GPU, as the host sees them: plain numbers in device memory.

#include <cstddef>
#include <cstdint>

#include "riemflow/flow/cuda/geometry.cuh"
#include "riemflow/flow/cuda/network.cuh"

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
  kBackward,  ///< the gradient, from the cotangents of the last state
  kMatch      ///< no solve: the gradient of the field's mean squared distance from targets
};

struct Problem {
  bool matching;              ///< for mode kMatch, else for all others
  int size;                   ///< of the kernel, which of kSizes
  int ambient, jets, depth;
  int width;                  ///< units of a hidden layer
  int groups;                 ///< of points in a tile
  int warps;                  ///< of a block
  int stride;                 ///< floats from row to row of activations
  int output_splits, input_splits;  ///< parts into which sums over units are divided among warps
  int first_activation, activation;  ///< Function: of the first layer, of others
  int distance;               ///< Function, of a geodesic input, else −1
  int points, working_size, max_evaluations, most_steps;
  bool mean_square;
  double from, to, rtol, atol;
  float log_base;             ///< its constant
  float kinetic;              ///< weight of the regulariser
  float bound;                ///< of the network's output; 0: none
  Frame frame;
  Matrix input, output, hidden[kMostDepth];  ///< hidden[l]: into layer l + 1
  int scales, bias[kMostDepth], time[kMostDepth], output_bias, output_time;

  // What follows from these (arrange), so that no thread has to work it out.
  int tile, tiles;     ///< points of a tile; tiles
  int unit_tiles;      ///< of 16
  int columns;         ///< of a tile: its points' jets
  int input_steps, hidden_steps, output_steps;  ///< of products with features, units, and the output's cotangents
  int output_each, input_each;  ///< steps of a split
  int hidden_pitch;             ///< float4s from one packed hidden matrix to the next
  int layer_cells;     ///< of shared memory for the jets of a layer
  int layer_floats;    ///< of the same as lanes hold it
  int vectors, scale_vector;  ///< float4s into the packed weights: bias and time of a unit, layer by layer; scales

  /// Floats an evaluation keeps: layers, the distances of a geodesic input, and what the driving lanes keep.
  __host__ __device__ int tape_floats(int most_coordinates, int lanes) const {
    return (depth + 1) * layer_floats + 2 * most_coordinates * lanes * tile;
  }
  /// Floats of the cotangents of one evaluation: layers, features, output.
  __host__ __device__ int ring_floats() const {
    return (depth + 1) * layer_floats + (8 * input.steps() + ambient) * columns;
  }
};

/// Rows of the shared matrices.
__host__ __device__ inline int feature_rows(const Problem& p) { return kSteps * p.input.steps(); }
__host__ __device__ inline int output_rows(const Problem& p) { return (p.ambient + kSteps - 1) / kSteps * kSteps; }
__host__ __device__ inline int layer_rows(const Problem& p) {
  const int units = p.unit_tiles * kUnits, out = p.output_splits * p.ambient, in = p.input_splits * p.input.columns;
  return units > out ? (units > in ? units : in) : (out > in ? out : in);
}

/// The kernels: coordinates (at most, where the shape is any), most jets, lanes a point, shape, whether the first layer may
/// be waves. With them in every kernel large batches took half as long again.
struct Size {
  int coordinates, jets, lanes, shape;
  bool waves;
};
constexpr Size kSizes[] = {{3, 3, 8, kSphere, false},   {2, 3, 8, kBall, false},    {2, 3, 8, kTorus, false},
                           {2, 3, 8, kEuclidean, false}, {3, 3, 8, kSphere, true},  {2, 3, 8, kTorus, true},
                           {6, 6, 8, kAny, true},        {17, 17, 32, kAny, true}};
constexpr int kSizeCount = 8;
/// What the kernel is compiled for. Matching has no derivatives.
inline int most_jets(const Problem& p) { return p.matching ? 1 : kSizes[p.size].jets; }

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
  const float* times;          ///< kMatch: a point, to the end of its tile
  const float* targets;        ///< kMatch: [point][ambient], as points
  float* gradients;            ///< [block][working_size]
  float *tape, *unprojected, *ring;
  double2* steps;
  Report* reports;   ///< a tile
  size_t tape_size;  ///< floats a block
};

/// A multiprocessor divides its fast memory anew only when it is idle, so kernels that want it divided otherwise wait for
/// each other: all that training uses ask for the same, in percent. What three blocks of a solve need; more is taken from
/// the cache that holds the weights.
template <class Kernel>
cudaError_t divide_alike(Kernel* kernel) {
  return cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 44);
}

/// Lets a kernel have all the shared memory that a block can have. Once, and not as much as a launch needs: runs side by side
/// need different amounts, and the last word would count for all.
template <class Kernel>
cudaError_t allow_shared_memory(Kernel* kernel) {
  cudaFuncAttributes own{};
  int most = 0;
  cudaError_t code = cudaFuncGetAttributes(&own, kernel);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (code != cudaSuccess) return code;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most - static_cast<int>(own.sharedSizeBytes));
}

/// Shared memory of a block.
std::size_t shared_bytes(const Problem& problem);
cudaError_t run_solve(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream);

}  // namespace riemflow::cuda
