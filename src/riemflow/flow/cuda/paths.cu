#include "riemflow/flow/cuda/paths.cuh"

#include <math_constants.h>

namespace riemflow::cuda {
namespace {

constexpr int kThreads = 128, kMostAmbient = 17;

/// A block a point. A: coordinates, at most.
template <int A>
__global__ void __launch_bounds__(kThreads)
    mean_velocity_kernel(Ends ends, const float* points, const float* times, float* targets) {
  const auto own = static_cast<size_t>(blockIdx.x) * static_cast<size_t>(ends.ambient);
  const int thread = static_cast<int>(threadIdx.x);
  float x[A];
#pragma unroll
  for (int k = 0; k < A; ++k) x[k] = k < ends.ambient ? points[own + static_cast<size_t>(k)] / ends.radius : 0.0f;
  const float remaining = 1 - times[blockIdx.x], speed = 1 / remaining;
  const float half = sinpif(0.5f * fminf(remaining, 1.0f)), limit = half * half;
  double sums[A + 1] = {};
  for (int i = thread; i < ends.n; i += kThreads) {
    float toward[A], square = 0;
#pragma unroll
    for (int k = 0; k < A; ++k) {
      toward[k] = k < ends.ambient ? ends.values[k * ends.n + i] - x[k] : 0.0f;
      square += toward[k] * toward[k];
    }
    const float q = 0.25f * square;
    if (!(q < limit)) continue;
    const float root = sqrtf(fminf(q, 1.0f)), length = fminf(speed * 2 * asinf(root), CUDART_PI_F);
    const float sine = fmaxf(2 * root * sqrtf(fmaxf(1 - q, 1e-30f)), 1e-12f);
    const bool apart = q > 1e-20f;  // sin R/sin θ → R/θ at θ = 0; times θ/R, which all share
    const float ratio = apart ? remaining * sinf(length) / sine : 1.0f;
    float weight = 1;
    for (int k = 0; k < ends.ambient - 2; ++k) weight *= ratio;
    weight = fmaxf(weight, 0.0f);
    const float pull = weight * (apart ? length / sine : speed);
    sums[A] += static_cast<double>(weight);
#pragma unroll
    for (int k = 0; k < A; ++k) sums[k] += static_cast<double>(pull * toward[k]);
  }
  __shared__ double parts[kThreads / 32][A + 1];
#pragma unroll
  for (int k = 0; k <= A; ++k) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) sums[k] += __shfl_down_sync(0xffffffffu, sums[k], step);
    if (thread % 32 == 0) parts[thread / 32][k] = sums[k];
  }
  __syncthreads();
  if (thread != 0) return;
  double normal = 0, square = 0;
#pragma unroll
  for (int k = 0; k <= A; ++k) {
    sums[k] = 0;
    for (int w = 0; w < kThreads / 32; ++w) sums[k] += parts[w][k];
  }
  if (!(sums[A] > 0)) return;
#pragma unroll
  for (int k = 0; k < A; ++k) {
    normal += sums[k] * static_cast<double>(x[k]);
    square += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  }
#pragma unroll
  for (int k = 0; k < A; ++k)
    if (k < ends.ambient)
      targets[own + static_cast<size_t>(k)] = static_cast<float>(
          static_cast<double>(ends.radius) * (sums[k] - normal / square * static_cast<double>(x[k])) / sums[A]);
}

}  // namespace

cudaError_t run_mean_velocities(const Ends& ends, int points, const float* x, const float* times, float* targets,
                                cudaStream_t stream) {
  if (ends.ambient > kMostAmbient) return cudaErrorInvalidValue;
  const auto kernel = ends.ambient == 3 ? mean_velocity_kernel<3> : mean_velocity_kernel<kMostAmbient>;
  static const cudaError_t alike[] = {divide_alike(mean_velocity_kernel<3>), divide_alike(mean_velocity_kernel<kMostAmbient>)};
  for (const cudaError_t code : alike)
    if (code != cudaSuccess) return code;
  kernel<<<points, kThreads, 0, stream>>>(ends, x, times, targets);
  return cudaGetLastError();
}

}  // namespace riemflow::cuda
