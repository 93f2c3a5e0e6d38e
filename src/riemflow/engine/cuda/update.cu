#include "riemflow/engine/cuda/update.cuh"

namespace riemflow::cuda {
namespace {

constexpr int kThreads = 1024;

__global__ void reduce_kernel(const float* gradients, int blocks, int size, float* sum) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= size) return;
  float total = 0;
  for (int b = 0; b < blocks; ++b) total += gradients[static_cast<size_t>(b) * static_cast<size_t>(size) + i];
  sum[i] = total;
}

/// Over the block, the same tree each time; every thread has the result.
__device__ double block_sum(double own) {
  __shared__ double partial[kThreads / 32];
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xffffffffu, own, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = own;
  __syncthreads();
  own = partial[threadIdx.x % 32];
  for (int step = 16; step > 0; step /= 2) own += __shfl_xor_sync(0xffffffffu, own, step);
  return own;
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

/// And its cotangent back (pull_back_input).
__device__ void pull_back_row(const InputRows& rows, int i, const float* parameters, const float* working_bar,
                              float* gradient) {
  const float *a = parameters + i * rows.columns, *bar = working_bar + i * rows.features;
  float* to = gradient + i * rows.columns;
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

__device__ void prepare(const Update& u) {
  const int inputs = u.rows.width * u.rows.columns, shift = shift_of(u.rows);
  for (int i = static_cast<int>(threadIdx.x); i < u.rows.width; i += kThreads)
    prepare_row(u.rows, i, u.parameters, u.working);
  for (int i = inputs + static_cast<int>(threadIdx.x); i < u.size; i += kThreads) u.working[i + shift] = u.parameters[i];
}

__global__ void __launch_bounds__(kThreads) prepare_kernel(const __grid_constant__ Update u) { prepare(u); }

__global__ void __launch_bounds__(kThreads)
    update_kernel(const __grid_constant__ Update u, const __grid_constant__ Problem problem,
                  const __grid_constant__ Buffers buffers, const float* sum, const double* rate,
                  ResidentOutcome* outcome) {
  const int at = static_cast<int>(threadIdx.x), points = problem.points;
  // What the solves said. Points of tiles that failed are left out of the means.
  double likelihood = 0, kinetic = 0, counted = 0;
  for (int i = at; i < points; i += kThreads) {
    if (buffers.reports[i / kPoints].status != kOk) continue;
    likelihood -= static_cast<double>(buffers.values[i]);
    if (u.offsets != nullptr) likelihood += static_cast<double>(u.offsets[buffers.picks[i]]);
    kinetic -= static_cast<double>(buffers.energy[i]);
    counted += 1;
  }
  double evaluations = 0, accepted = 0, rejected = 0, stepped = 0, first = 0;
  const int tiles = (points + kPoints - 1) / kPoints;
  for (int i = at; i < tiles; i += kThreads) {
    const Report& r = buffers.reports[i];
    evaluations += r.evaluations;
    accepted += r.accepted;
    rejected += r.rejected;
    if (r.first_step > 0) {
      stepped += 1;
      first += r.first_step;
    }
  }
  counted = block_sum(counted);
  likelihood = block_sum(likelihood) / counted;
  kinetic = block_sum(kinetic) / counted;
  evaluations = block_sum(evaluations);
  accepted = block_sum(accepted);
  rejected = block_sum(rejected);
  stepped = block_sum(stepped);
  first = block_sum(first);

  // The gradient of the parameters, a mean over the points that count.
  const int inputs = u.rows.width * u.rows.columns, shift = shift_of(u.rows);
  const auto rescale = counted < points ? static_cast<float>(points / counted) : 1.0f;
  for (int i = at; i < u.rows.width; i += kThreads) pull_back_row(u.rows, i, u.parameters, sum, u.gradient);
  for (int i = inputs + at; i < u.size; i += kThreads) u.gradient[i] = sum[i + shift];
  __syncthreads();
  double squares = 0;
  for (int i = at; i < u.size; i += kThreads) {
    const auto g = static_cast<double>(u.gradient[i] * rescale);
    squares += g * g;
  }
  const double norm = ::sqrt(block_sum(squares));
  constexpr double kLargest = 1.8446743e19;  // Adam squares the gradient in float
  const bool good = norm < kLargest && isfinite(likelihood + u.kinetic * kinetic);

  const long long steps = u.carry->adam_steps + 1, averaged = u.carry->average_steps + 1;
  if (good) {
    const auto shrink = u.clip > 0 && norm > u.clip ? static_cast<float>(u.clip / norm) : 1.0f;
    const auto b1 = static_cast<float>(u.beta1), b2 = static_cast<float>(u.beta2);
    const auto n = static_cast<double>(steps);
    const auto scale = static_cast<float>(*rate / (1 - ::pow(u.beta1, n)));
    const auto root = static_cast<float>(1 / ::sqrt(1 - ::pow(u.beta2, n)));
    const auto epsilon = static_cast<float>(u.epsilon);
    const double warm = (1 + static_cast<double>(averaged)) / (10 + static_cast<double>(averaged));
    const auto keep = static_cast<float>(::fmin(u.decay, warm));
    for (int i = at; i < u.size; i += kThreads) {
      const float g = u.gradient[i] * rescale * shrink;
      const float m = b1 * u.mean[i] + (1 - b1) * g, v = b2 * u.square[i] + (1 - b2) * g * g;
      const float p = u.parameters[i] - scale * m / (sqrtf(v) * root + epsilon);
      u.mean[i] = m;
      u.square[i] = v;
      u.parameters[i] = p;
      if (u.average != nullptr) u.average[i] = keep * u.average[i] + (1 - keep) * p;
    }
    __syncthreads();
    prepare(u);
  }
  __syncthreads();  // all have read the counters
  if (at != 0) return;
  u.carry->first_step = stepped > 0 ? first / stepped : 0;
  if (good) {
    u.carry->adam_steps = steps;
    if (u.average != nullptr) u.carry->average_steps = averaged;
  }
  *outcome = {likelihood,
              kinetic,
              norm,
              u.carry->first_step,
              static_cast<long>(evaluations),
              static_cast<long>(accepted),
              static_cast<long>(rejected),
              tiles,
              points - static_cast<int>(counted),
              good ? 0 : 1};
}

}  // namespace

cudaError_t run_reduce(const float* gradients, int blocks, int size, float* sum, cudaStream_t stream) {
  reduce_kernel<<<(size + 63) / 64, 64, 0, stream>>>(gradients, blocks, size, sum);
  return cudaGetLastError();
}

cudaError_t run_update(const Update& update, const Problem& problem, const Buffers& buffers, const float* sum,
                       const double* rate, ResidentOutcome* outcome, cudaStream_t stream) {
  update_kernel<<<1, kThreads, 0, stream>>>(update, problem, buffers, sum, rate, outcome);
  return cudaGetLastError();
}

cudaError_t run_prepare(const Update& update, cudaStream_t stream) {
  prepare_kernel<<<1, kThreads, 0, stream>>>(update);
  return cudaGetLastError();
}

}  // namespace riemflow::cuda
