#include "riemflow/flow/cuda/update.cuh"

namespace riemflow::cuda {
namespace {

constexpr int kThreads = 512;
constexpr int kColumns = 32, kSegments = 16;  // of a block that sums gradients

/// A thread sums every 16th block's gradient, and then 16 such sums are added in order.
__global__ void reduce_kernel(const float* gradients, int blocks, int size, float* sum, int first, double* squares) {
  __shared__ float part[kSegments][kColumns];
  const int i = static_cast<int>(blockIdx.x) * kColumns + static_cast<int>(threadIdx.x);
  float total = 0;
  if (i < size)
    for (int b = static_cast<int>(threadIdx.y); b < blocks; b += kSegments)
      total += gradients[static_cast<size_t>(b) * static_cast<size_t>(size) + static_cast<size_t>(i)];
  part[threadIdx.y][threadIdx.x] = total;
  __syncthreads();
  if (threadIdx.y != 0) return;
  for (int s = 1; s < kSegments; ++s) total += part[s][threadIdx.x];
  if (i < size) sum[i] = total;
  if (squares == nullptr) return;
  double square = i < size && i >= first ? static_cast<double>(total) * static_cast<double>(total) : 0.0;
  for (int step = 16; step > 0; step /= 2) square += __shfl_xor_sync(0xffffffffu, square, step);
  if (threadIdx.x == 0) squares[blockIdx.x] = square;
}

/// N sums over the block, the same tree each time; every thread has the results.
template <int N>
__device__ void block_sum(double (&own)[N]) {
  __shared__ double partial[kThreads / 32][N];
#pragma unroll
  for (int n = 0; n < N; ++n)
    for (int step = 16; step > 0; step /= 2) own[n] += __shfl_xor_sync(0xffffffffu, own[n], step);
  if (threadIdx.x % 32 == 0)
    for (int n = 0; n < N; ++n) partial[threadIdx.x / 32][n] = own[n];
  __syncthreads();
#pragma unroll
  for (int n = 0; n < N; ++n) {
    own[n] = threadIdx.x % 32 < kThreads / 32 ? partial[threadIdx.x % 32][n] : 0.0;
    for (int step = 16; step > 0; step /= 2) own[n] += __shfl_xor_sync(0xffffffffu, own[n], step);
  }
}

__device__ double length(const float* a, int n) {
  double square = 0;
  for (int j = 0; j < n; ++j) square += static_cast<double>(a[j]) * static_cast<double>(a[j]);
  return ::sqrt(square);
}

/// One row of the first layer, from parameters to the working vector (prepare_input).
__device__ void prepare_row(const InputRows& rows, int i, const float* parameters, float* working) {
  const float* a = parameters + i * rows.columns;
  float* row = working + i * rows.features;
  if (rows.distance < 0) {
    for (int j = 0; j < rows.columns; ++j) row[j] = a[j];
    return;
  }
  float* scale = working + rows.width * rows.features + i;
  const double norm = length(a, rows.columns);
  if (rows.distance == kAsin) {
    for (int j = 0; j < rows.columns; ++j) row[j] = static_cast<float>(static_cast<double>(a[j]) / norm);
    *scale = static_cast<float>(norm);
  } else {
    const double eta = 2 * rows.root * norm;
    for (int j = 0; j < rows.columns; ++j) row[j] = static_cast<float>(::cosh(eta) * static_cast<double>(a[j]) / norm);
    row[rows.columns] = static_cast<float>(-::sinh(eta));
    *scale = static_cast<float>(1 / rows.root);
  }
}

/// And its cotangent back (pull_back_input): `to`, the row's.
__device__ void pull_back_row(const InputRows& rows, int i, const float* parameters, const float* working_bar,
                              float* to) {
  const float *a = parameters + i * rows.columns, *bar = working_bar + i * rows.features;
  if (rows.distance < 0) {
    for (int j = 0; j < rows.columns; ++j) to[j] = bar[j];
    return;
  }
  const double norm = length(a, rows.columns);
  double along = 0, stretch = 1, norm_bar = 0;
  for (int j = 0; j < rows.columns; ++j) along += static_cast<double>(bar[j]) * static_cast<double>(a[j]) / norm;
  if (rows.distance == kAsin) {
    norm_bar = static_cast<double>(working_bar[rows.width * rows.features + i]);
  } else {
    const double eta = 2 * rows.root * norm;
    stretch = ::cosh(eta);
    norm_bar = 2 * rows.root * (::sinh(eta) * along - ::cosh(eta) * static_cast<double>(bar[rows.columns]));
  }
  for (int j = 0; j < rows.columns; ++j) {
    const double unit = static_cast<double>(a[j]) / norm;
    to[j] = static_cast<float>(stretch * (static_cast<double>(bar[j]) - along * unit) / norm + norm_bar * unit);
  }
}

/// How far behind its parameters the rest of the working vector stands.
__device__ int shift_of(const InputRows& rows) {
  return rows.width * (rows.features + (rows.distance < 0 ? 0 : 1) - rows.columns);
}

__global__ void __launch_bounds__(kThreads) prepare_kernel(const __grid_constant__ Update u) {
  const int at = static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x);
  const int inputs = u.rows.width * u.rows.columns;
  if (at < u.rows.width) prepare_row(u.rows, at, u.parameters, u.working);
  if (at >= inputs && at < u.size) u.working[at + shift_of(u.rows)] = u.parameters[at];
}

/// Adam and the moving average of one parameter.
struct Stepper {
  float scale, root, epsilon, b1, b2, keep_weight, keep;
  __device__ void operator()(const Update& u, int i, float g) const {
    const float m = b1 * u.mean[i] + (1 - b1) * g, v = b2 * u.square[i] + (1 - b2) * g * g;
    const float p = keep_weight * u.parameters[i] - scale * m / (sqrtf(v) * root + epsilon);
    u.mean[i] = m;
    u.square[i] = v;
    u.parameters[i] = p;
    if (u.average != nullptr) u.average[i] = keep * u.average[i] + (1 - keep) * p;
  }
};

constexpr int kMostColumns = 36;  // of a row of the first layer
constexpr int kMostRows = 512;

/// Block 0 has the first layer and the report, the others a stretch of the rest each. All of them find the norm and
/// the means for themselves, which is cheaper than to wait for each other.
__global__ void __launch_bounds__(kThreads)
    update_kernel(const __grid_constant__ Update u, const __grid_constant__ Problem problem,
                  const __grid_constant__ Buffers buffers, const double* rate, const Carry* before, Carry* after,
                  ResidentOutcome* outcome) {
  const int at = static_cast<int>(threadIdx.x), points = problem.points, tiles = problem.tiles;
  enum { kLikelihood, kKinetic, kCounted, kEvaluations, kAccepted, kRejected, kStepped, kFirst, kSquares, kRowSquares, kSums };
  double sums[kSums] = {};
  // Points of tiles that failed are left out of the means.
  for (int i = at; i < points; i += kThreads) {
    if (buffers.reports[i / problem.tile].status != kOk) continue;
    sums[kLikelihood] -= static_cast<double>(buffers.values[i]);
    if (u.offsets != nullptr) sums[kLikelihood] += static_cast<double>(u.offsets[buffers.picks[i]]);
    sums[kKinetic] -= static_cast<double>(buffers.energy[i]);
    sums[kCounted] += 1;
  }
  for (int i = at; i < tiles; i += kThreads) {
    const Report& r = buffers.reports[i];
    sums[kEvaluations] += r.evaluations;
    sums[kAccepted] += r.accepted;
    sums[kRejected] += r.rejected;
    sums[kStepped] += r.first_step > 0 ? 1 : 0;
    sums[kFirst] += r.first_step;
  }
  const int reduced = (problem.working_size + kColumns - 1) / kColumns;
  for (int i = at; i < reduced; i += kThreads) sums[kSquares] += u.squares[i];
  float row[kMostColumns] = {};
  if (at < u.rows.width) {
    pull_back_row(u.rows, at, u.parameters, u.sum, row);
    for (int j = 0; j < u.rows.columns; ++j) sums[kRowSquares] += static_cast<double>(row[j]) * static_cast<double>(row[j]);
  }
  block_sum(sums);

  const double counted = sums[kCounted], likelihood = sums[kLikelihood] / counted, kinetic = sums[kKinetic] / counted;
  const double rescale = points / counted, norm = rescale * ::sqrt(sums[kSquares] + sums[kRowSquares]);
  constexpr double kLargest = 1.8446743e19;  // Adam squares the gradient in float
  const bool good = norm < kLargest && isfinite(likelihood + u.kinetic * kinetic);
  const long long steps = before->adam_steps + 1, averaged = before->average_steps + 1;
  if (good) {
    const auto n = static_cast<double>(steps);
    const double warm = (1 + static_cast<double>(averaged)) / (10 + static_cast<double>(averaged));
    const Stepper step{static_cast<float>(*rate / (1 - ::pow(u.beta1, n))),
                       static_cast<float>(1 / ::sqrt(1 - ::pow(u.beta2, n))),
                       static_cast<float>(u.epsilon),
                       static_cast<float>(u.beta1),
                       static_cast<float>(u.beta2),
                       static_cast<float>(1 - *rate * u.weight_decay),
                       static_cast<float>(::fmin(u.decay, warm))};
    const auto factor = static_cast<float>(rescale * (u.clip > 0 && norm > u.clip ? u.clip / norm : 1));
    if (blockIdx.x == 0) {
      if (at < u.rows.width) {
        for (int j = 0; j < u.rows.columns; ++j) step(u, at * u.rows.columns + j, factor * row[j]);
        prepare_row(u.rows, at, u.parameters, u.working);
      }
    } else {
      const int i = u.rows.width * u.rows.columns + (static_cast<int>(blockIdx.x) - 1) * kThreads + at;
      if (i < u.size) {
        const int working = i + shift_of(u.rows);
        step(u, i, factor * u.sum[working]);
        u.working[working] = u.parameters[i];
      }
    }
  }
  if (blockIdx.x != 0 || at != 0) return;
  const double first_step = sums[kStepped] > 0 ? sums[kFirst] / sums[kStepped] : 0;
  *after = {good ? steps : before->adam_steps, good && u.average != nullptr ? averaged : before->average_steps, first_step};
  *outcome = {likelihood,
              kinetic,
              norm,
              first_step,
              static_cast<long>(sums[kEvaluations]),
              static_cast<long>(sums[kAccepted]),
              static_cast<long>(sums[kRejected]),
              tiles,
              points - static_cast<int>(counted),
              good ? 0 : 1};
}

}  // namespace

int reduce_blocks(int working_size) { return (working_size + kColumns - 1) / kColumns; }

cudaError_t run_reduce(const float* gradients, int blocks, int size, float* sum, int first, double* squares,
                       cudaStream_t stream) {
  static const cudaError_t alike = divide_alike(reduce_kernel);
  if (alike != cudaSuccess) return alike;
  reduce_kernel<<<reduce_blocks(size), dim3(kColumns, kSegments), 0, stream>>>(gradients, blocks, size, sum, first, squares);
  return cudaGetLastError();
}

cudaError_t run_update(const Update& update, const Problem& problem, const Buffers& buffers, const double* rate,
                       const Carry* before, Carry* after, ResidentOutcome* outcome, cudaStream_t stream) {
  if (update.rows.columns > kMostColumns || update.rows.width > kMostRows) return cudaErrorInvalidValue;
  const int rest = update.size - update.rows.width * update.rows.columns;
  static const cudaError_t alike = divide_alike(update_kernel);
  if (alike != cudaSuccess) return alike;
  update_kernel<<<1 + (rest + kThreads - 1) / kThreads, kThreads, 0, stream>>>(update, problem, buffers, rate, before, after,
                                                                               outcome);
  return cudaGetLastError();
}

cudaError_t run_prepare(const Update& update, cudaStream_t stream) {
  prepare_kernel<<<(update.size + kThreads - 1) / kThreads, kThreads, 0, stream>>>(update);
  return cudaGetLastError();
}

}  // namespace riemflow::cuda
