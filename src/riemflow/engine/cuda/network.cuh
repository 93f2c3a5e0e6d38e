#pragma once
// Products of a network's matrices with jets, on tensor cores in single precision: every number is split into two
// of TF32, v = hi + lo, and three of the four products are added up, which leaves an error of 2⁻²².
//
// Points come in groups of 8, the width of a tensor core's product; the columns of a group are [jet][point]. A warp
// computes 16 units of all jets of a group, so that the value and the derivatives of a unit at a point are in one
// thread: lane (g, t) holds units g and g + 8 at points 2t and 2t + 1. The same four numbers of a lane are an operand
// of the product that makes the gradient of a matrix, which sums over columns and does not mind their order.

#include <cuda_runtime.h>

#include <cstdint>

namespace riemflow::cuda {

constexpr int kGroup = 8;   // points
constexpr int kUnits = 16;  // rows of a tile of a matrix
constexpr int kSteps = 8;   // columns of it

/// [unit 16][point 8] a jet, as the lanes of a warp hold it: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1).
template <int J>
using Tile = float[J][4];

struct Thread {
  int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
  int warps = static_cast<int>(blockDim.x) >> 5;
  int g = lane >> 2, t = lane & 3;
};

struct Parts {
  std::uint32_t hi, lo;
};
__device__ inline Parts split(float v) {
  const std::uint32_t hi = (__float_as_uint(v) + 0x1000u) & 0xffffe000u;  // to nearest
  return {hi, __float_as_uint(v - __uint_as_float(hi))};
}

/// sum += a·b of a 16 × 8 and an 8 × 8 tile.
__device__ inline void multiply_add(float (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3,
                                    std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

struct Left {
  Parts v[4];
  /// Of (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4).
  __device__ explicit Left(float4 w) : v{split(w.x), split(w.y), split(w.z), split(w.w)} {}
};
struct Right {
  Parts v[2];
  /// Of (t, g), (t + 4, g).
  __device__ Right(float first, float second) : v{split(first), split(second)} {}
};
/// sum + rest += a·b; rest may be sum.
__device__ inline void multiply_add(float (&sum)[4], float (&rest)[4], const Left& a, const Right& b) {
  multiply_add(rest, a.v[0].lo, a.v[1].lo, a.v[2].lo, a.v[3].lo, b.v[0].hi, b.v[1].hi);
  multiply_add(rest, a.v[0].hi, a.v[1].hi, a.v[2].hi, a.v[3].hi, b.v[0].lo, b.v[1].lo);
  multiply_add(sum, a.v[0].hi, a.v[1].hi, a.v[2].hi, a.v[3].hi, b.v[0].hi, b.v[1].hi);
}

/// out = the 16 rows `packed` (float4 a lane, step after step) times the columns x of a group, [row][jet · 8 + point] with
/// `stride` floats a row, over the steps of 8 rows from `from` to `to`.
template <int J>
__device__ inline void multiply(const Thread& me, const float4* __restrict__ packed, int from, int to, const float* x, int stride,
                                int jets, Tile<J>& out) {
  constexpr bool kApart = J <= 6;  // two chains of products are quicker than one; registers permitting
  Tile<kApart ? J : 1> rest;
#pragma unroll
  for (int j = 0; j < J; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      out[j][e] = 0;
      if constexpr (kApart) rest[j][e] = 0;
    }
#pragma unroll kApart ? 4 : 1
  for (int k = from; k < to; ++k) {
    const Left a(__ldg(packed + k * 32 + me.lane));
    const float* row = x + (8 * k + me.t) * stride + me.g;
#pragma unroll
    for (int j = 0; j < J; ++j) {
      if (j >= jets) continue;
      const Right b(row[8 * j], row[4 * stride + 8 * j]);
      if constexpr (kApart)
        multiply_add(out[j], rest[j], a, b);
      else
        multiply_add(out[j], out[j], a, b);
    }
  }
  if constexpr (kApart) {
#pragma unroll
    for (int j = 0; j < J; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) out[j][e] += rest[j][e];
  }
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

/// pre becomes the function's jets.
template <int J>
__device__ inline void through(int function, Tile<J>& pre) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const Bent at = bent(function, pre[0][e]);
    pre[0][e] = at.value;
#pragma unroll
    for (int j = 1; j < J; ++j) pre[j][e] *= at.slope;
  }
}
/// bar of the function's jets becomes bar of its argument's, pre.
template <int J>
__device__ inline void back_through(int function, const Tile<J>& pre, Tile<J>& bar) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const Bent at = bent(function, pre[0][e]);
    float value = bar[0][e] * at.slope;
#pragma unroll
    for (int j = 1; j < J; ++j) {
      value += bar[j][e] * at.bend * pre[j][e];
      bar[j][e] *= at.slope;
    }
    bar[0][e] = value;
  }
}

}  // namespace riemflow::cuda
