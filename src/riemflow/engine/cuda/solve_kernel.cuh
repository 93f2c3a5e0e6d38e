#pragma once
// A whole solve of four points by one block: dopri5 with error control and projection, forward and backward.
// Warp 0 drives: the equation's state, the geometry, the step control; all warps are the network. The solver is
// that of ode/solver.cpp, constant for constant.

#include "riemflow/engine/cuda/solve.cuh"

namespace riemflow::cuda {
namespace {

__constant__ double kA[6][5] = {{0, 0, 0, 0, 0},
                                {1.0 / 5, 0, 0, 0, 0},
                                {3.0 / 40, 9.0 / 40, 0, 0, 0},
                                {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0},
                                {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0},
                                {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656}};
__constant__ double kB[6] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
__constant__ double kC[6] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
__constant__ double kE[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double kSafety = 0.9, kShrink = 0.2, kGrow = 10, kAlpha = 0.85, kBeta = 0.2, kStretch = 1.08;

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

/// State of a point: lane i of its group has row i of it; row D is ∫ div f dt, row D + 1 ∫‖f‖² dt.
template <int G, int D, int J>
struct Driver {
  static constexpr int F = kFeatures<G, D>, k = J - 1;
  Block<D, F, J>& block;
  Geometry<G, D> geometry;
  const float* noise;  // of the lane's point
  Lane lane = {};
  float stage[kStages + 1] = {};  // rates, of the lane's row

  __device__ int warp_lane() const { return static_cast<int>(threadIdx.x) & 31; }
  __device__ float* point_tape(float* tape) const { return tape + (kMostDepth + 1) * J * 4 * kWidth; }

  /// The rate of the lane's row at the state `own`; tape null: nothing is kept.
  __device__ float evaluate(float t, float own, float* tape) {
    auto& m = block.m;
    float x[D], v[D], features[F], u[D], velocity[D];
    lane.gather(own, x);
    if (tape != nullptr) {
#pragma unroll
      for (int i = 0; i < D; ++i) point_tape(tape)[32 * i + warp_lane()] = x[i];
    }
    geometry.project(x);
    geometry.seed(lane, x, k, noise, v);
    geometry.embed(lane, x, v, features);
    if (lane.jet < J) {
#pragma unroll
      for (int i = 0; i < F; ++i) m.features[i * block.S + lane.point * J + lane.jet] = features[i];
    }
    block.call(kForwardPass, t, tape);
#pragma unroll
    for (int i = 0; i < D; ++i) {
      u[i] = lane.jet == 0 ? m.output_bias[i] + t * m.output_time[i] : 0.0f;
      if (lane.jet < J) {
#pragma unroll
        for (int w = 0; w < kWidth / 8; ++w) u[i] += m.partial[w][lane.point][i * J + lane.jet];
      }
      if (tape != nullptr) point_tape(tape)[32 * (D + i) + warp_lane()] = u[i];
    }
    const auto rates = geometry.rates(lane, x, v, u, velocity);
    float mine = lane.jet == D ? (J > 1 ? rates.divergence : 0.0f) : lane.jet == D + 1 ? rates.kinetic : 0.0f;
#pragma unroll
    for (int i = 0; i < D; ++i) mine = lane.jet == i ? velocity[i] : mine;
    return mine;
  }

  /// What an evaluation sends back to the lane's coordinate, given the cotangent of its row's rate.
  __device__ float pull_back(float t, float* tape, float rate_bar) {
    auto& m = block.m;
    float z[D], x[D], v[D], u[D], f_bar[D], u_bar[D], in_bar[D], features[F];
#pragma unroll
    for (int i = 0; i < D; ++i) {
      x[i] = z[i] = point_tape(tape)[32 * i + warp_lane()];
      u[i] = point_tape(tape)[32 * (D + i) + warp_lane()];
    }
    geometry.project(x);
    geometry.seed(lane, x, k, noise, v);
    geometry.embed(lane, x, v, features);
    lane.gather(rate_bar, f_bar);
    geometry.rates_backward(lane, x, v, u, f_bar, lane.from(rate_bar, D), lane.from(rate_bar, D + 1), u_bar, in_bar);
    if (lane.jet < J) {
#pragma unroll
      for (int i = 0; i < F; ++i) m.features[i * block.S + lane.point * J + lane.jet] = features[i];
    }
#pragma unroll
    for (int i = 0; i < D; ++i) {
      if (lane.jet < J) m.u_bar[i * block.S + lane.point * J + lane.jet] = u_bar[i];
      float own = lane.jet == 0 ? u_bar[i] : 0.0f;
      own += __shfl_xor_sync(0xffffffffu, own, 8);
      own += __shfl_xor_sync(0xffffffffu, own, 16);
      if (warp_lane() == 0) {
        m.output_bias_gradient[i] += own;
        m.output_time_gradient[i] += t * own;
      }
    }
    block.call(kBackwardPass, t, tape);
#pragma unroll
    for (int i = 0; i < F; ++i) {
      features[i] = 0;
      if (lane.jet < J) {
#pragma unroll
        for (int w = 0; w < kWidth / 8; ++w) features[i] += m.feature_bar[w][lane.point][i * J + lane.jet];
      }
    }
    if (lane.jet >= J) {
#pragma unroll
      for (int i = 0; i < D; ++i) in_bar[i] = 0;
    }
    geometry.embed_backward(lane, x, v, features, in_bar);
    float x_bar[D];
#pragma unroll
    for (int i = 0; i < D; ++i) x_bar[i] = lane.from(in_bar[i], 0);
    geometry.seed_backward(lane, x, k, noise, v, in_bar, x_bar);
    geometry.project_backward(z, x_bar);
    float mine = 0;
#pragma unroll
    for (int i = 0; i < D; ++i) mine = lane.jet == i ? x_bar[i] : mine;
    return mine;
  }

  __device__ float projected(float own) const {
    float z[D];
    lane.gather(own, z);
    geometry.project(z);
#pragma unroll
    for (int i = 0; i < D; ++i) own = lane.jet == i ? z[i] : own;
    return own;
  }
  __device__ bool all_inside(float own) const {
    float z[D];
    lane.gather(own, z);
    return __all_sync(0xffffffffu, geometry.inside(z)) != 0;
  }
  __device__ float weight_at(float own) const {
    float z[D];
    lane.gather(own, z);
    return lane.jet < D ? geometry.error_weight(z) : 1.0f;
  }

  /// Root mean square over rows of weight·v/(atol + rtol·|y|), over points as asked.
  __device__ double norm(float v, float y, float other) const {
    const Problem& p = block.problem;
    constexpr int kControlled = J > 1 ? D + 1 : D;
    const double size = fmax(fabs(static_cast<double>(y)), fabs(static_cast<double>(other)));
    const double w = fmaxf(weight_at(y), weight_at(other));
    const double e = lane.jet < kControlled ? w * static_cast<double>(v) / (p.atol + p.rtol * size) : 0.0;
    double sum = e * e;
    for (int step = 1; step < 8; step *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    double most = sum;
    bool finite = isfinite(sum);
    for (int step = 8; step < 32; step *= 2) {
      sum += __shfl_xor_sync(0xffffffffu, sum, step);
      most = fmax(most, __shfl_xor_sync(0xffffffffu, most, step));
    }
    finite = __all_sync(0xffffffffu, finite) != 0;
    if (!finite) return nan("");
    return sqrt((p.mean_square ? sum / kPoints : most) / kControlled);
  }

  __device__ double guess(double t, double direction, double span, float y) {
    const double slope = norm(stage[0], y, y), size = norm(y, y, y);
    double h = size < 1e-5 || slope < 1e-5 ? 1e-6 : 0.01 * size / slope;
    h = fmin(h, span);
    const float trial = y + static_cast<float>(direction * h) * stage[0];
    if (!all_inside(trial)) return direction * h;
    const float after = evaluate(static_cast<float>(t + direction * h), trial, nullptr);
    const double bend = norm(after - stage[0], y, y) / h, steepest = fmax(slope, bend);
    if (!isfinite(steepest)) return direction * h;
    const double proposed = steepest <= 1e-15 ? fmax(1e-6, h * 1e-3) : pow(0.01 / steepest, 1.0 / 5);
    return direction * fmin(fmin(100 * h, proposed), span);
  }

  /// A step: `next` and its unprojected `raw`, with the error's norm. False where it leaves the domain.
  __device__ bool try_step(double t, double step, double t_next, float y, float* tape, float& raw, float& next,
                           double& error) {
    const auto slot = [&](int i) {
      return tape == nullptr ? nullptr : tape + static_cast<size_t>(i) * tape_floats(J, D);
    };
#pragma unroll
    for (int i = 1; i < kStages; ++i) {
      float trial = y;
      if (lane.jet < D) {
#pragma unroll
        for (int j = 0; j < i; ++j) trial += static_cast<float>(step * kA[i][j]) * stage[j];
      }
      if (!all_inside(trial)) return false;
      stage[i] = evaluate(static_cast<float>(t + kC[i] * step), trial, slot(i));
    }
    raw = y;
#pragma unroll
    for (int i = 0; i < kStages; ++i) raw += static_cast<float>(step * kB[i]) * stage[i];
    if (!all_inside(raw)) return false;
    next = projected(raw);
    stage[kStages] = evaluate(static_cast<float>(t_next), next, slot(kStages));
    float estimate = 0;
#pragma unroll
    for (int i = 0; i <= kStages; ++i) estimate += static_cast<float>(step * kE[i]) * stage[i];
    error = norm(estimate, y, next);
    return true;
  }

  /// y from p.from to p.to; steps and tape kept if tape is not null.
  __device__ void solve(float& y, Report& report, double2* steps, float* unprojected, float* tape) {
    const Problem& p = block.problem;
    const double direction = p.to < p.from ? -1 : 1, span = fabs(p.to - p.from);
    double t = p.from, h = direction * fmin(fabs(p.first_step), span), before = 1;
    report = {kOk, 0, 0, 1, 0};
    if (!all_inside(y)) {
      report.status = kOutside;
      return;
    }
    stage[0] = evaluate(static_cast<float>(t), y, tape);
    if (!isfinite(norm(stage[0], y, y))) {
      report.status = kNonFinite;
      return;
    }
    if (h == 0) {
      h = guess(t, direction, span, y);
      ++report.evaluations;
    }
    int blame = kUnderflow;
    while (t != p.to) {
      if (report.evaluations + kStages > p.max_evaluations || (tape != nullptr && report.accepted >= p.most_steps)) {
        report.status = kTooMany;
        return;
      }
      const double remaining = p.to - t, count = ceil(remaining / (kStretch * h));
      const double step = count <= 4 ? remaining / count : h;
      const double t_next = step == remaining ? p.to : t + step;
      float raw = 0, next = 0;
      double error = 0;
      const bool stayed = try_step(
          t, step, t_next, y,
          tape == nullptr ? nullptr : tape + static_cast<size_t>(report.accepted) * kStages * tape_floats(J, D), raw, next,
          error);
      report.evaluations += kStages;
      if (!stayed || !(error <= 1)) {
        ++report.rejected;
        const bool measured = stayed && isfinite(error);
        if (!measured) blame = stayed ? kNonFinite : kOutside;
        h = step * (measured ? fmax(kShrink, kSafety * pow(error, -1.0 / 5)) : kShrink);
        if (fabs(h) < 4 * 1.1920929e-7) {
          report.status = blame;
          return;
        }
        continue;
      }
      if (tape != nullptr) {
        if (warp_lane() == 0) steps[report.accepted] = {t, step};
        unprojected[report.accepted * 32 + warp_lane()] = raw;
      }
      const double err = fmax(error, 1e-10);
      if (report.accepted == 0)
        report.first_step = fabs(step) * fmin(fmax(kSafety * pow(err, -1.0 / 5), kShrink), kGrow);
      const double planned =
          fabs(step) * fmin(fmax(kSafety * pow(err, -kAlpha / 5) * pow(before, kBeta / 5), kShrink), kGrow);
      h = direction * (fabs(step) < fabs(h) ? fmax(fabs(h), planned) : planned);
      before = fmax(error, 1e-4);
      blame = kUnderflow;
      ++report.accepted;
      t = t_next;
      y = next;
      stage[0] = stage[kStages];
    }
  }

  __device__ void backward(int taken, const double2* steps, const float* unprojected, float* tape, float y_bar) {
    __syncwarp();
    for (int s = taken; s-- > 0;) {
      const double t = steps[s].x, h = steps[s].y;
      float z[D], bar[D];
      lane.gather(unprojected[s * 32 + warp_lane()], z);
      lane.gather(y_bar, bar);
      geometry.project_backward(z, bar);
#pragma unroll
      for (int i = 0; i < D; ++i) y_bar = lane.jet == i ? bar[i] : y_bar;
#pragma unroll
      for (int i = 0; i < kStages; ++i) stage[i] = static_cast<float>(h * kB[i]) * y_bar;
#pragma unroll
      for (int i = kStages - 1; i >= 0; --i) {
        const float sent = pull_back(static_cast<float>(t + kC[i] * h),
                                     tape + static_cast<size_t>(s * kStages + i) * tape_floats(J, D), stage[i]);
        if (lane.jet < D) {
          y_bar += sent;
#pragma unroll
          for (int j = 0; j < i; ++j) stage[j] += static_cast<float>(h * kA[i][j]) * sent;
        }
      }
    }
  }
};

/// Calls use(parameter index, shared place) for each number of the field.
template <int D, int F, int J, class Use>
__device__ void each_weight(Block<D, F, J>& block, bool gradients, const Use& use) {
  constexpr int W = kWidth;
  auto& m = block.m;
  const Problem& p = block.problem;
  const Offsets& o = p.offsets;
  const int at = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int i = at; i < F * W; i += threads) {
    const int f = i / W, r = i % W;
    use(f < p.features ? o.input_weight + r * p.features + f : -1, (gradients ? m.input_gradient : m.input_weight)[i]);
  }
  for (int i = at; i < D * W; i += threads)
    use(o.output_weight + i, (gradients ? m.output_gradient : m.output_weight)[i]);
  for (int i = at; i < p.depth * W; i += threads) {
    use(o.bias[i / W] + i % W, (gradients ? m.bias_gradient : m.bias)[i]);
    use(o.time[i / W] + i % W, (gradients ? m.time_gradient : m.time)[i]);
  }
  for (int i = at; i < W; i += threads)
    use(o.scales < 0 ? -1 : o.scales + i, (gradients ? m.scale_gradient : m.scale)[i]);
  for (int i = at; i < D; i += threads) {
    use(o.output_bias + i, (gradients ? m.output_bias_gradient : m.output_bias)[i]);
    use(o.output_time + i, (gradients ? m.output_time_gradient : m.output_time)[i]);
  }
}

/// Row and k of an entry of a packed matrix.
__device__ inline int2 unpacked(int at) {
  return {at / kWidth, at / 4 % 8 + 8 * (4 * (at / 32 % (kWidth / 32)) + at % 4)};
}

template <int G, int D, int J, bool kLearns>
__global__ void __launch_bounds__(4 * kWidth, kLearns ? 1 : 2)
    solve_kernel(const __grid_constant__ Problem problem, const __grid_constant__ Buffers buffers, Mode mode) {
  constexpr int W = kWidth, F = kFeatures<G, D>;
  extern __shared__ float4 raw_memory[];
  using Memory = Shared<D, F, J>;
  Memory& m = *reinterpret_cast<Memory*>(raw_memory);
  float* matrices = reinterpret_cast<float*>(raw_memory + (sizeof(Memory) + 15) / 16);
  const int hidden = problem.depth - 1, all = hidden * W * W;
  Block<D, F, J> block{m, problem, matrices, matrices + all, matrices + 2 * all, {}};

  each_weight(block, false, [&](int i, float& place) { place = i < 0 ? 0.0f : buffers.working[i]; });
  if (kLearns) each_weight(block, true, [&](int, float& place) { place = 0; });
  for (int i = static_cast<int>(threadIdx.x); i < all; i += static_cast<int>(blockDim.x)) {
    const int2 at = unpacked(i % (W * W));
    const float* matrix = buffers.working + problem.offsets.hidden[i / (W * W)];
    block.packed[i] = matrix[at.x * W + at.y];
    if (kLearns) {
      block.transposed[i] = matrix[at.y * W + at.x];
      block.gradient[i] = 0;
    }
  }
  __syncthreads();

  const int tiles = (problem.points + kPoints - 1) / kPoints, home = static_cast<int>(blockIdx.x);
  if (threadIdx.x >= 32) {
    block.serve();
  } else {
    Driver<G, D, J> driver{block, {problem.frame}, nullptr};
    const Lane& lane = driver.lane;
    float* tape = kLearns ? buffers.tape + static_cast<size_t>(home) * buffers.tape_size : nullptr;
    double2* steps = kLearns ? buffers.steps + static_cast<size_t>(home) * problem.most_steps : nullptr;
    float* raws = kLearns ? buffers.unprojected + static_cast<size_t>(home) * problem.most_steps * 32 : nullptr;
    for (int tile = home; tile < tiles; tile += static_cast<int>(gridDim.x)) {
      const int point = min(tile * kPoints + lane.point, problem.points - 1);
      const bool real = tile * kPoints + lane.point < problem.points;
      driver.noise = buffers.noise + static_cast<size_t>(point) * D * (J - 1);
      Report report;
      float y_bar = 0;
      if (mode == kBackward) {
        report = buffers.reports[tile];
        if (real && lane.jet < D + 2) y_bar = buffers.bars[point * (D + 2) + lane.jet];
      } else {
        float y = driver.projected(lane.jet < D ? buffers.points[point * D + lane.jet] : 0.0f);
        driver.solve(y, report, steps, raws, tape);
        const bool good = report.status == kOk;
        float x[D], slope[D];
        lane.gather(y, x);
        const float volume = lane.from(y, D), energy = lane.from(y, D + 1);
        const float log_base = driver.geometry.log_base(problem.base, x, slope) + problem.log_base;
        if (real && lane.jet < D) buffers.ends[point * D + lane.jet] = good ? y : nanf("");
        if (real && lane.jet == 0) {
          buffers.values[point] = !good ? nanf("") : mode == kKeep ? volume : log_base + volume;
          buffers.energy[point] = good ? energy : nanf("");
        }
        if (driver.warp_lane() == 0) buffers.reports[tile] = report;
        if (mode == kGradient) {
          // Of −log p and of the energy, whose row is −∫‖f‖² dt when solved from 1 to 0.
          const float weight = real ? 1.0f / static_cast<float>(problem.points) : 0.0f;
#pragma unroll
          for (int i = 0; i < D; ++i) y_bar = lane.jet == i ? -weight * slope[i] : y_bar;
          y_bar = lane.jet == D ? -weight : lane.jet == D + 1 ? -problem.kinetic * weight : y_bar;
        }
      }
      if constexpr (kLearns)
        if (report.status == kOk && (mode == kGradient || mode == kBackward))
          driver.backward(report.accepted, steps, raws, tape, y_bar);
    }
    block.call(kExit, 0, nullptr);
  }
  if (!kLearns || mode == kKeep) return;
  __syncthreads();
  float* out = buffers.gradients + static_cast<size_t>(home) * static_cast<size_t>(problem.working_size);
  each_weight(block, true, [&](int i, float& place) {
    if (i >= 0) out[i] = place;
  });
  for (int i = static_cast<int>(threadIdx.x); i < all; i += static_cast<int>(blockDim.x)) {
    const int2 at = unpacked(i % (W * W));
    out[problem.offsets.hidden[i / (W * W)] + at.x * W + at.y] = block.gradient[i];
  }
}

template <int G, int D, int J, bool kLearns>
cudaError_t launch(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream) {
  const std::size_t bytes = (sizeof(Shared<D, kFeatures<G, D>, J>) + 15) / 16 * 16 +
                            static_cast<std::size_t>(problem.depth - 1) * kWidth * kWidth * sizeof(float) * (kLearns ? 3 : 1);
  const cudaError_t code = cudaFuncSetAttribute(solve_kernel<G, D, J, kLearns>,
                                                cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (code != cudaSuccess) return code;
  solve_kernel<G, D, J, kLearns><<<blocks, 4 * kWidth, bytes, stream>>>(problem, buffers, mode);
  return cudaGetLastError();
}

/// The kernels of one shape and size.
template <int G, int D, int... J>
bool run_shape(const Problem& problem, const Buffers& buffers, Mode mode, int blocks, cudaStream_t stream,
               cudaError_t& code) {
  const auto one = [&]<int kJets>() {
    if (problem.jets != kJets) return false;
    if (mode == kDensity)
      code = launch<G, D, kJets, false>(problem, buffers, mode, blocks, stream);
    else if constexpr (kJets > 1)
      code = launch<G, D, kJets, true>(problem, buffers, mode, blocks, stream);
    else
      code = cudaErrorInvalidValue;
    return true;
  };
  return (one.template operator()<J>() || ...);
}

}  // namespace
}  // namespace riemflow::cuda
