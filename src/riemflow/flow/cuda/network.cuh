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

/// v = hi + lo of TF32, which has 10 bits behind the leading one; lo is cut off where the tensor core reads it.
struct Parts {
  float hi, lo;
};
__device__ inline Parts split(float v) {
  const float hi = __uint_as_float((__float_as_uint(v) + 0x1000u) & 0xffffe000u);  // to nearest: cut off, errors add up
  return {hi, v - hi};
}

/// A number of a matrix in shared memory: split where there is room, so that it is done once and not by every warp.
template <int J>
struct Cells {
  static constexpr bool kSplit = false;
  using Cell = float;
  __device__ static Cell make(float v) { return v; }
  __device__ static Parts parts(Cell c) { return split(c); }
  __device__ static float value(Cell c) { return c; }
};
template <int J>
  requires(J <= 6)
struct Cells<J> {
  static constexpr bool kSplit = true;
  using Cell = float2;
  __device__ static Cell make(float v) {
    const Parts p = split(v);
    return {p.hi, p.lo};
  }
  __device__ static Parts parts(Cell c) { return {c.x, c.y}; }
  __device__ static float value(Cell c) { return c.x + c.y; }
};

/// sum += a·b of a 16 × 8 and an 8 × 8 tile.
__device__ inline void multiply_add(float (&sum)[4], const float4& a, float b0, float b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(__float_as_uint(a.x)), "r"(__float_as_uint(a.y)), "r"(__float_as_uint(a.z)), "r"(__float_as_uint(a.w)),
        "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

/// Of (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4).
struct Left {
  float4 hi, lo;
  __device__ Left(float4 h, float4 l) : hi(h), lo(l) {}
  __device__ explicit Left(float4 w) {
    const Parts x = split(w.x), y = split(w.y), z = split(w.z), v = split(w.w);
    hi = {x.hi, y.hi, z.hi, v.hi};
    lo = {x.lo, y.lo, z.lo, v.lo};
  }
};
/// sum + rest += a·b, b of (t, g) and (t + 4, g); rest may be sum.
__device__ inline void multiply_add(float (&sum)[4], float (&rest)[4], const Left& a, Parts first, Parts second) {
  multiply_add(rest, a.lo, first.hi, second.hi);
  multiply_add(rest, a.hi, first.lo, second.lo);
  multiply_add(sum, a.hi, first.hi, second.hi);
}

/// out = the 16 rows `packed` (two float4s a lane, step after step) times the columns x of a group, [row][jet · 8 + point]
/// with `stride` cells a row, over the steps of 8 rows from `from` to `to`.
template <int J>
__device__ inline void multiply(const Thread& me, const float4* __restrict__ packed, int from, int to,
                                const typename Cells<J>::Cell* x, int stride, int jets, Tile<J>& out) {
  constexpr bool kApart = J <= 6;  // two chains of products are quicker than one; registers permitting
  Tile<kApart ? J : 1> rest;
#pragma unroll
  for (int j = 0; j < J; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      out[j][e] = 0;
      if constexpr (kApart) rest[j][e] = 0;
    }
  const float4* a = packed + (from * 32 + me.lane) * 2;
  const typename Cells<J>::Cell* row = x + (8 * from + me.t) * stride + me.g;
#pragma unroll kApart ? 2 : 1
  for (int k = from; k < to; ++k, a += 64, row += 8 * stride) {
    const Left left(__ldg(a), __ldg(a + 1));
#pragma unroll
    for (int j = 0; j < J; ++j) {
      if (j >= jets) continue;
      const Parts first = Cells<J>::parts(row[8 * j]), second = Cells<J>::parts(row[4 * stride + 8 * j]);
      if constexpr (kApart)
        multiply_add(out[j], rest[j], left, first, second);
      else
        multiply_add(out[j], out[j], left, first, second);
    }
  }
  if constexpr (kApart) {
#pragma unroll
    for (int j = 0; j < J; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) out[j][e] += rest[j][e];
  }
}

/// x·P(x²)/Q(x²), as on the CPU (core/simd/activation-inl.h): half the instructions of tanhf.
__device__ inline float fast_tanh(float a) {
  const float x = fminf(fmaxf(a, -9.02f), 9.02f), y = x * x;
  const float p = (((1.33186013e-08f * y + 2.05832093e-05f) * y + 3.49402172e-03f) * y + 1.33797079e-01f) * y + 1.0f;
  const float q = (((7.76184550e-07f * y + 3.28306924e-04f) * y + 2.58710291e-02f) * y + 4.67130244e-01f) * y + 1.0f;
  const float r = fminf(fmaxf(__fdividef(x * p, q), -1.0f), 1.0f);
  return a == a ? r : a;
}

/// A function, its slope and its bend at one place.
struct Bent {
  float value, slope, bend;
};
enum Function { kTanh, kSwish, kSin, kAsin, kAsinh };

/// The distances of a geodesic layer; not inlined, because they are long and used once a pass.
__device__ __noinline__ inline Bent bent_distance(int function, float u) {
  if (function == kAsin) {  // asin(ρu), rounded off at its ends (manifold/sphere.hpp)
    constexpr float kRho = 0.99995000374968753f;
    const float x = kRho * u, root = rsqrtf((1 - x) * (1 + x)), s = kRho * root;
    return {asinf(x), s, kRho * x * s * root * root};
  }
  const float root = rsqrtf(1 + u * u);
  return {asinhf(u), root, -u * root * root * root};
}
/// Of an activation, a wave only if kWaves, or, kDistance, of a distance.
template <bool kWaves, bool kDistance>
__device__ inline Bent bent(int function, float u) {
  if constexpr (kDistance) return bent_distance(function, u);
  if (function == kTanh) {
    const float h = fast_tanh(u), s = 1 - h * h;
    return {h, s, -2 * h * s};
  }
  if (kWaves && function == kSin) {
    // To ±π, and the fast one there, right to 2⁻²¹; sincosf's way for huge arguments takes memory of its own.
    const float turns = rintf(u * 0.15915494f), r = fmaf(-turns, 1.9353072e-3f, fmaf(-turns, 6.28125f, u));
    float s, c;
    __sincosf(r, &s, &c);
    return {s, c, -s};
  }
  const float p = __fdividef(1, 1 + expf(-u)), q = p * (1 - p);
  return {u * p, p + u * q, q * (2 + u * (1 - 2 * p))};
}

/// pre becomes the function's jets.
template <int J, bool kWaves, bool kDistance = false>
__device__ inline void through(int function, Tile<J>& pre) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const Bent at = bent<kWaves, kDistance>(function, pre[0][e]);
    pre[0][e] = at.value;
#pragma unroll
    for (int j = 1; j < J; ++j) pre[j][e] *= at.slope;
  }
}
/// bar of the function's jets becomes bar of its argument's, pre.
template <int J, bool kWaves, bool kDistance = false>
__device__ inline void back_through(int function, const Tile<J>& pre, Tile<J>& bar) {
#pragma unroll
  for (int e = 0; e < 4; ++e) {
    const Bent at = bent<kWaves, kDistance>(function, pre[0][e]);
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
