#pragma once
// The perceptron of a vector field on four points with their jets, by one block: forward, and backward with
// the gradient of its weights. Weights and activations are in shared memory; a thread is one unit of one point.
//
// A warp has 8 units and the 4 points. Its product with a W × W matrix is split over k among 8 lanes: lane
// (g, s) adds up rows 2g and 2g + 1 of the warp over k = s, s + 8, s + 16 … for all columns, and a
// reduce-scatter leaves each lane with the jets of one unit of one point: unit 8·warp + 2g + (s >> 2), point
// s & 3. Matrices are packed so that the lanes' weights are consecutive:
//   packed[((row·W/32 + m)·8 + s)·4 + e] = w[row][s + 8(4m + e)]

#include <cuda_runtime.h>

namespace riemflow::cuda {

constexpr int kPoints = 4;  // of a block

/// Floats from one row of an activation matrix (columns: point · J + jet) to the next: a multiple of 4 whose
/// quarter is odd, so that eight rows read at once meet no bank twice.
template <int J>
constexpr int kStride = (J % 2 == 1) ? 4 * J : 4 * J + 4;

template <int W>
struct Thread {
  int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  int g = lane >> 3, s = lane & 7;
  int row = 8 * warp + 2 * g;         // first of its two rows of a product
  int unit = row + (s >> 2);          // whose jets it holds
  int point = s & 3;
};

/// out[j] = Σ_k w[unit][k]·x[k][point, j], all threads of the block; w packed.
template <int W, int J>
__device__ inline void product(const Thread<W>& me, const float* __restrict__ packed, const float* x, float (&out)[J]) {
  constexpr int S = kStride<J>;
  float sum[2][4 * J];
#pragma unroll
  for (int c = 0; c < 4 * J; ++c) sum[0][c] = sum[1][c] = 0;
#pragma unroll
  for (int m = 0; m < W / 32; ++m) {
    const float4 a = reinterpret_cast<const float4*>(packed)[(me.row * (W / 32) + m) * 8 + me.s];
    const float4 b = reinterpret_cast<const float4*>(packed)[((me.row + 1) * (W / 32) + m) * 8 + me.s];
    const float wa[4] = {a.x, a.y, a.z, a.w}, wb[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float4* row = reinterpret_cast<const float4*>(x + (me.s + 8 * (4 * m + e)) * S);
#pragma unroll
      for (int c = 0; c < J; ++c) {
        const float4 v = row[c];
        const float vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          sum[0][4 * c + q] += wa[e] * vs[q];
          sum[1][4 * c + q] += wb[e] * vs[q];
        }
      }
    }
  }
  // Reduce-scatter over the 8 lanes: rows, then pairs of points, then points.
  float one[4 * J], two[2 * J];
  const bool second_row = me.s & 4, second_pair = me.s & 2, odd = me.s & 1;
#pragma unroll
  for (int c = 0; c < 4 * J; ++c) {
    const float keep = second_row ? sum[1][c] : sum[0][c], send = second_row ? sum[0][c] : sum[1][c];
    one[c] = keep + __shfl_xor_sync(0xffffffffu, send, 4);
  }
#pragma unroll
  for (int c = 0; c < 2 * J; ++c) {
    const float keep = second_pair ? one[2 * J + c] : one[c], send = second_pair ? one[c] : one[2 * J + c];
    two[c] = keep + __shfl_xor_sync(0xffffffffu, send, 2);
  }
#pragma unroll
  for (int j = 0; j < J; ++j) {
    const float keep = odd ? two[J + j] : two[j], send = odd ? two[j] : two[J + j];
    out[j] = keep + __shfl_xor_sync(0xffffffffu, send, 1);
  }
}

/// gradient (packed) += Σ_columns bar[row]·x[k], the thread's own 2 × W/8 entries.
template <int W, int J>
__device__ inline void add_outer(const Thread<W>& me, const float* bar, const float* x, float* gradient) {
  constexpr int S = kStride<J>;
  float a[4 * J], b[4 * J];
#pragma unroll
  for (int c = 0; c < J; ++c) {
    reinterpret_cast<float4*>(a)[c] = reinterpret_cast<const float4*>(bar + me.row * S)[c];
    reinterpret_cast<float4*>(b)[c] = reinterpret_cast<const float4*>(bar + (me.row + 1) * S)[c];
  }
#pragma unroll
  for (int m = 0; m < W / 32; ++m) {
    float4* to_a = reinterpret_cast<float4*>(gradient) + (me.row * (W / 32) + m) * 8 + me.s;
    float4* to_b = reinterpret_cast<float4*>(gradient) + ((me.row + 1) * (W / 32) + m) * 8 + me.s;
    float4 va = *to_a, vb = *to_b;
    float* pa = reinterpret_cast<float*>(&va);
    float* pb = reinterpret_cast<float*>(&vb);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float4* row = reinterpret_cast<const float4*>(x + (me.s + 8 * (4 * m + e)) * S);
#pragma unroll
      for (int c = 0; c < J; ++c) {
        const float4 v = row[c];
        pa[e] += a[4 * c] * v.x + a[4 * c + 1] * v.y + a[4 * c + 2] * v.z + a[4 * c + 3] * v.w;
        pb[e] += b[4 * c] * v.x + b[4 * c + 1] * v.y + b[4 * c + 2] * v.z + b[4 * c + 3] * v.w;
      }
    }
    *to_a = va;
    *to_b = vb;
  }
}

/// Over the lanes of one point: units of the warp.
__device__ inline float sum_over_units(float v) {
  v += __shfl_xor_sync(0xffffffffu, v, 4);
  v += __shfl_xor_sync(0xffffffffu, v, 8);
  return v + __shfl_xor_sync(0xffffffffu, v, 16);
}
/// Over the four points of one unit.
__device__ inline float sum_over_points(float v) {
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  return v + __shfl_xor_sync(0xffffffffu, v, 2);
}

/// A function, its slope and its bend at one place.
struct Bent {
  float value, slope, bend;
};
enum Function { kTanh, kSwish, kAsin, kAsinh };

__device__ inline Bent bent(int function, float u) {
  switch (function) {
    case kTanh: {
      const float h = tanhf(u), s = 1 - h * h;
      return {h, s, -2 * h * s};
    }
    case kSwish: {
      const float p = 1 / (1 + expf(-u)), q = p * (1 - p);
      return {u * p, p + u * q, q * (2 + u * (1 - 2 * p))};
    }
    case kAsin: {  // asin(ρu), rounded off at its ends (field/input_layer.hpp)
      constexpr float kRho = 0.99995000374968753f;
      const float x = kRho * u, root = rsqrtf((1 - x) * (1 + x)), s = kRho * root;
      return {asinf(x), s, kRho * x * s * root * root};
    }
    default: {
      const float root = rsqrtf(1 + u * u);
      return {asinhf(u), root, -u * root * root * root};
    }
  }
}

}  // namespace riemflow::cuda
