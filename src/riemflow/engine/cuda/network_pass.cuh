#pragma once
// The network of a field by all warps of a block: forward with a tape, and backward. Warp 0 calls, the others serve.

#include "riemflow/engine/cuda/solve.cuh"

namespace riemflow::cuda {
namespace {

enum Command { kForwardPass, kBackwardPass, kExit };

/// What a block shares. D: coordinates; F: features; J: jets.
template <int D, int F, int J>
struct Shared {
  static constexpr int W = kWidth, S = kStride<J>;
  float hidden[2][W * S];  // [unit][column], alternating layers
  float features[F * S];   // [feature][column]
  float u_bar[D * S];
  float partial[W / 8][kPoints][D * J];      // of the network's output, a warp each
  float feature_bar[W / 8][kPoints][F * J];
  float input_weight[F * W], output_weight[D * W];  // [feature][unit], [coordinate][unit]
  float input_gradient[F * W], output_gradient[D * W];
  float scale[W], scale_gradient[W];
  float bias[kMostDepth * W], time[kMostDepth * W];  // [layer][unit]
  float bias_gradient[kMostDepth * W], time_gradient[kMostDepth * W];
  float output_bias[D], output_time[D], output_bias_gradient[D], output_time_gradient[D];
  int command;
  float t;
  float* tape;
  // then, 16-byte aligned: the packed hidden matrices, their transposes, their gradients
};

template <int D, int F, int J>
struct Block {
  using Memory = Shared<D, F, J>;
  static constexpr int W = kWidth, S = kStride<J>, kMatrix = W * W;

  Memory& m;
  const Problem& problem;
  float *packed, *transposed, *gradient;  // of the hidden matrices
  Thread<W> me;

  // --- the network, by all warps --------------------------------------------------------------------------
  __device__ void keep(float* tape, int layer, const float (&pre)[J]) const {
    if (tape == nullptr) return;
#pragma unroll
    for (int j = 0; j < J; ++j) tape[(layer * J + j) * 4 * W + static_cast<int>(threadIdx.x)] = pre[j];
  }
  __device__ void kept(const float* tape, int layer, float (&pre)[J]) const {
#pragma unroll
    for (int j = 0; j < J; ++j) pre[j] = tape[(layer * J + j) * 4 * W + static_cast<int>(threadIdx.x)];
  }
  __device__ static void through(const Bent& at, const float (&pre)[J], float (&h)[J]) {
    h[0] = at.value;
#pragma unroll
    for (int j = 1; j < J; ++j) h[j] = at.slope * pre[j];
  }
  /// bar of the value becomes bar of the argument.
  __device__ static void back_through(const Bent& at, const float (&pre)[J], float (&bar)[J]) {
    float value_bar = bar[0] * at.slope;
#pragma unroll
    for (int j = 1; j < J; ++j) {
      value_bar += bar[j] * at.bend * pre[j];
      bar[j] *= at.slope;
    }
    bar[0] = value_bar;
  }
  __device__ void show(float* to, const float (&v)[J]) const {
#pragma unroll
    for (int j = 0; j < J; ++j) to[me.unit * S + me.point * J + j] = v[j];
  }

  __device__ void forward() {
    const float t = m.t;
    float* tape = m.tape;
    float pre[J], h[J];
#pragma unroll
    for (int j = 0; j < J; ++j) pre[j] = 0;
#pragma unroll
    for (int f = 0; f < F; ++f) {
      const float w = m.input_weight[f * W + me.unit];
#pragma unroll
      for (int j = 0; j < J; ++j) pre[j] += w * m.features[f * S + me.point * J + j];
    }
    if (problem.offsets.scales >= 0) {
      keep(tape, kMostDepth, pre);
      through(bent(problem.distance, pre[0]), pre, h);
#pragma unroll
      for (int j = 0; j < J; ++j) pre[j] = m.scale[me.unit] * h[j];
    }
    pre[0] += m.bias[me.unit] + t * m.time[me.unit];
    keep(tape, 0, pre);
    through(bent(problem.activation, pre[0]), pre, h);
    for (int l = 1; l < problem.depth; ++l) {
      float* x = m.hidden[l & 1];
      show(x, h);
      __syncthreads();
      product<W, J>(me, packed + (l - 1) * kMatrix, x, pre);
      pre[0] += m.bias[l * W + me.unit] + t * m.time[l * W + me.unit];
      keep(tape, l, pre);
      through(bent(problem.activation, pre[0]), pre, h);
    }
#pragma unroll
    for (int i = 0; i < D; ++i) {
      const float w = m.output_weight[i * W + me.unit];
#pragma unroll
      for (int j = 0; j < J; ++j) {
        const float sum = sum_over_units(w * h[j]);
        if (me.lane < 4) m.partial[me.warp][me.point][i * J + j] = sum;
      }
    }
  }

  /// From m.u_bar and m.features to m.feature_bar, adding to the gradients.
  __device__ void backward() {
    const float t = m.t;
    const float* tape = m.tape;
    float pre[J], h[J], bar[J];
    kept(tape, problem.depth - 1, pre);
    Bent at = bent(problem.activation, pre[0]);
    through(at, pre, h);
#pragma unroll
    for (int j = 0; j < J; ++j) bar[j] = 0;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      const float w = m.output_weight[i * W + me.unit];
      float outer = 0;
#pragma unroll
      for (int j = 0; j < J; ++j) {
        const float b = m.u_bar[i * S + me.point * J + j];
        bar[j] += w * b;
        outer += b * h[j];
      }
      outer = sum_over_points(outer);
      if (me.point == 0) m.output_gradient[i * W + me.unit] += outer;
    }
    for (int l = problem.depth - 1;; --l) {
      back_through(at, pre, bar);
      const float sum = sum_over_points(bar[0]);
      if (me.point == 0) {
        m.bias_gradient[l * W + me.unit] += sum;
        m.time_gradient[l * W + me.unit] += t * sum;
      }
      if (l == 0) break;
      kept(tape, l - 1, pre);
      at = bent(problem.activation, pre[0]);
      through(at, pre, h);
      show(m.hidden[0], bar);
      show(m.hidden[1], h);
      __syncthreads();
      add_outer<W, J>(me, m.hidden[0], m.hidden[1], gradient + (l - 1) * kMatrix);
      product<W, J>(me, transposed + (l - 1) * kMatrix, m.hidden[0], bar);
      __syncthreads();
    }
    if (problem.offsets.scales >= 0) {
      kept(tape, kMostDepth, pre);
      at = bent(problem.distance, pre[0]);
      through(at, pre, h);
      float own = 0;
#pragma unroll
      for (int j = 0; j < J; ++j) {
        own += bar[j] * h[j];
        bar[j] *= m.scale[me.unit];
      }
      own = sum_over_points(own);
      if (me.point == 0) m.scale_gradient[me.unit] += own;
      back_through(at, pre, bar);
    }
#pragma unroll
    for (int f = 0; f < F; ++f) {
      const float w = m.input_weight[f * W + me.unit];
      float outer = 0;
#pragma unroll
      for (int j = 0; j < J; ++j) {
        outer += bar[j] * m.features[f * S + me.point * J + j];
        const float sum = sum_over_units(w * bar[j]);
        if (me.lane < 4) m.feature_bar[me.warp][me.point][f * J + j] = sum;
      }
      outer = sum_over_points(outer);
      if (me.point == 0) m.input_gradient[f * W + me.unit] += outer;
    }
  }

  /// Warps that do not drive.
  __device__ void serve() {
    for (;;) {
      __syncthreads();
      if (m.command == kExit) return;
      m.command == kForwardPass ? forward() : backward();
      __syncthreads();
    }
  }
  __device__ void call(Command command, float t, float* tape) {
    if (me.lane == 0) {
      m.command = command;
      m.t = t;
      m.tape = tape;
    }
    __syncthreads();
    if (command == kExit) return;
    command == kForwardPass ? forward() : backward();
    __syncthreads();
  }
};

}  // namespace
}  // namespace riemflow::cuda
