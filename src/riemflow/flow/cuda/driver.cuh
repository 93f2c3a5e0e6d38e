#pragma once
// The solver of flow/ode/solver.cpp (dopri5 with error control and projection), constant for constant, forward and backward,
// for a tile of points. All warps of a block run it; the first of them, those that drive, hold the points' state and
// know the geometry.

#include <math_constants.h>

#include "riemflow/flow/cuda/network_pass.cuh"

namespace riemflow::cuda {
namespace {

__constant__ float kA[6][6] = {{0, 0, 0, 0, 0, 0},
                               {1.0 / 5, 0, 0, 0, 0, 0},
                               {3.0 / 40, 9.0 / 40, 0, 0, 0, 0},
                               {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0},
                               {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0},
                               {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0}};
__constant__ float kB[6] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84};
__constant__ double kC[6] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1};
__constant__ float kE[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr float kSafety = 0.9f, kShrink = 0.2f, kGrow = 10, kAlpha = 0.85f, kBeta = 0.2f;
constexpr double kStretch = 1.08;

/// State of a point: lane i of its group has row i of it; row D is ∫ div f dt, row D + 1 ∫‖f‖² dt.
template <int D, int J, int G, int S, bool kWaves, bool kMatching = false>
struct Driver {
  const Block<J, S == kAny, kWaves, kMatching>& block;
  Geometry<D, G, S> geometry;
  const float* noise;  // of the lane's point
  Lane<G> lane = {};
  bool drives = lane.point < block.p.tile;
  float stage[kStages + 1] = {};  // rates, of the lane's row
  int turn = 0;                   // of the shared sums
  int pending = 0;                // evaluations in the ring

  __device__ const Problem& p() const { return block.p; }
  __device__ int k() const { return p().jets - 1; }
  /// Of the lane's point and jet.
  __device__ int column() const {
    return block.column(lane.point / kGroup) + lane.jet * kGroup + lane.point % kGroup;
  }
  __device__ bool has_jet() const { return lane.jet < p().jets; }
  __device__ int ambient() const { return S == kAny ? p().ambient : D; }
  __device__ bool has_row(int i) const { return i < ambient(); }
  /// What the lane itself keeps of an evaluation, number n of 2D.
  __device__ float& own_tape(float* tape, int n) const {
    return tape[(p().depth + 1) * p().layer_floats + n * p().tile * G + lane.thread];
  }

  /// raw, the lane's jet of the network's output, becomes bounded: u = b·tanh(raw/b).
  __device__ void bound(float (&raw)[D]) const {
    const float b = p().bound;
    if (b <= 0) return;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      const float h = tanhf(lane.from(raw[i], 0) / b);
      raw[i] = lane.jet == 0 ? b * h : (1 - h * h) * raw[i];
    }
  }
  __device__ void bound_backward(const float (&raw)[D], float (&bar)[D]) const {
    const float b = p().bound;
    if (b <= 0) return;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      const float h = tanhf(lane.from(raw[i], 0) / b), slope = 1 - h * h;
      const float bend = lane.sum(lane.jet > 0 && has_jet() ? -2 * h * slope / b * raw[i] * bar[i] : 0.0f);
      bar[i] = slope * bar[i] + (lane.jet == 0 ? bend : 0.0f);
    }
  }

  /// The rate of the lane's row at the state `own`; tape null: nothing is kept.
  __device__ float evaluate(Moment at, float own, float* tape) {
    float x[D], v[D], u[D], velocity[D];
    if (drives) {
      lane.gather(own, x);
      if (tape != nullptr) {
#pragma unroll
        for (int i = 0; i < D; ++i) own_tape(tape, i) = x[i];
      }
      geometry.project(x);
      geometry.seed(lane, x, k(), ambient(), noise, v);
      if (has_jet())
        geometry.embed(lane, x, v, [&](int i, float value) { block.features[i * p().stride + column()] = Cells<J>::make(value); });
    }
    __syncthreads();
    block.forward(at, tape);
    __syncthreads();
    if (!drives) return 0;
    const float* parts = block.parts(block.layer(p().depth));
    const float t = block.time(at, lane.point);
#pragma unroll
    for (int i = 0; i < D; ++i) {
      u[i] = 0;
      if (has_row(i) && has_jet()) {
        if (lane.jet == 0) u[i] = block.b.working[p().output_bias + i] + t * block.b.working[p().output_time + i];
#pragma unroll 4
        for (int s = 0; s < p().output_splits; ++s) u[i] += parts[(s * ambient() + i) * p().stride + column()];
      }
      if (tape != nullptr) own_tape(tape, D + i) = u[i];
    }
    bound(u);
    const auto rates = geometry.rates(lane, x, v, u, velocity);
    float mine = lane.jet == D ? (k() > 0 ? rates.divergence : 0.0f) : lane.jet == D + 1 ? rates.kinetic : 0.0f;
#pragma unroll
    for (int i = 0; i < D; ++i) mine = lane.jet == i ? velocity[i] : mine;
    return mine;
  }

  /// What an evaluation sends back to the lane's coordinate, given the cotangent of its row's rate; of matching nothing.
  __device__ float pull_back(Moment at, float* tape, float rate_bar) {
    float z[D], x[D], v[D], raw[D], u[D], f_bar[D], u_bar[D], in_bar[D];
    const int e = pending++;
    if (drives) {
#pragma unroll
      for (int i = 0; i < D; ++i) {
        x[i] = z[i] = own_tape(tape, i);
        u[i] = raw[i] = own_tape(tape, D + i);
      }
      geometry.project(x);
      geometry.seed(lane, x, k(), ambient(), noise, v);
      bound(u);
      lane.gather(rate_bar, f_bar);
      geometry.rates_backward(lane, x, v, u, f_bar, lane.from(rate_bar, D), lane.from(rate_bar, D + 1), u_bar, in_bar);
      bound_backward(raw, u_bar);
      if (has_jet()) {
        float *features = block.ring_features(e), *outputs = block.ring_outputs(e);
        geometry.embed(lane, x, v, [&](int i, float value) { features[i * p().columns + column()] = value; });
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has_row(i)) continue;
          outputs[i * p().columns + column()] = u_bar[i];
          block.u_bar[i * p().stride + column()] = Cells<J>::make(u_bar[i]);
        }
      } else {
#pragma unroll
        for (int i = 0; i < D; ++i) in_bar[i] = 0;
      }
      if (lane.thread == 0) {
        block.m.moments[e] = at;
        block.m.tapes[e] = tape;
      }
    }
    __syncthreads();
    block.backward(tape, e);
    __syncthreads();
    if (kMatching || !drives) return 0;
    const float* parts = block.parts(block.layer(1));
    geometry.embed_backward(lane, x, v, [&](int i) {
      float sum = 0;
      if (has_jet())
        for (int s = 0; s < p().input_splits; ++s) sum += parts[(s * p().input.columns + i) * p().stride + column()];
      return sum;
    }, in_bar);
    float x_bar[D];
#pragma unroll
    for (int i = 0; i < D; ++i) x_bar[i] = lane.from(in_bar[i], 0);
    geometry.seed_backward(lane, x, k(), ambient(), noise, v, in_bar, x_bar);
    geometry.project_backward(z, x_bar);
    float mine = 0;
#pragma unroll
    for (int i = 0; i < D; ++i) mine = lane.jet == i ? x_bar[i] : mine;
    return mine;
  }
  /// Adds what the ring holds to the gradients of the weights.
  __device__ void learn() {
    block.learn(pending);
    pending = 0;
    __syncthreads();
  }

  __device__ float projected(float own) const {
    float z[D];
    lane.gather(own, z);
    geometry.project(z);
#pragma unroll
    for (int i = 0; i < D; ++i) own = lane.jet == i ? z[i] : own;
    return own;
  }
  __device__ bool inside(float own) const {
    float z[D];
    lane.gather(own, z);
    return geometry.inside(z);
  }
  __device__ float weight_at(float own) const {
    float z[D];
    lane.gather(own, z);
    return geometry.error_weight(z, lane.jet);
  }

  struct Measured {
    float norm;  ///< NaN if not finite
    bool good;   ///< at all points
  };
  /// Root mean square over rows of weight·v/(atol + rtol·|y|), over points as asked; for all warps.
  __device__ Measured measure(float v, float y, float other, bool good) {
    Shared& m = block.m;
    const int controlled = ambient() + (k() > 0 ? 1 : 0), warps = p().tile * G / 32;
    turn ^= 1;
    if (drives) {
      const float size = fmaxf(fabsf(y), fabsf(other)), w = fmaxf(weight_at(y), weight_at(other));
      const bool counts = has_row(lane.jet) || (lane.jet == D && k() > 0);
      const float e = counts ? w * v / (static_cast<float>(p().atol) + static_cast<float>(p().rtol) * size) : 0.0f;
      float sum = lane.sum(e * e), most = isfinite(sum) ? sum : CUDART_INF_F;
#pragma unroll
      for (int step = G; step < 32; step *= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, step));
      }
      good = __all_sync(0xffffffffu, good) != 0;
      if (lane.thread % 32 == 0) {
        m.sums[turn][lane.thread / 32] = sum;
        m.mosts[turn][lane.thread / 32] = most;
        m.goods[turn][lane.thread / 32] = good;
      }
    }
    __syncthreads();
    float sum = 0, most = 0;
    good = true;
    for (int i = 0; i < warps; ++i) {
      sum += m.sums[turn][i];
      most = fmaxf(most, m.mosts[turn][i]);
      good &= m.goods[turn][i] != 0;
    }
    if (!isfinite(most)) return {CUDART_NAN_F, good};
    return {sqrtf((p().mean_square ? sum / static_cast<float>(p().tile) : most) / static_cast<float>(controlled)), good};
  }

  /// Where stage i of a step from y is evaluated; i = kStages: the end of the step, unprojected.
  __device__ float trial_of(int i, float step, float y) const {
    const bool last = i == kStages;
    if (lane.jet >= D && !last) return y;
    float trial = y;
#pragma unroll
    for (int j = 0; j < kStages; ++j) trial += j < i ? step * (last ? kB[j] : kA[last ? 0 : i][j]) * stage[j] : 0.0f;
    return trial;
  }
  __device__ static float factor_of(float power) { return fminf(fmaxf(kSafety * power, kShrink), kGrow); }

  /// y from p.from to p.to; steps and tape kept if tape is not null. One loop around one evaluation, so that the network
  /// is compiled once.
  __device__ void solve(float& y, double first_step, Report& report, double2* steps, float* unprojected, float* tape) {
    const double direction = p().to < p().from ? -1 : 1, span = fabs(p().to - p().from);
    const auto evaluation = static_cast<size_t>(p().tape_floats(D, G));
    double t = p().from, h = direction * fmin(fabs(first_step), span), step = 0, t_next = t;
    float before = 1, guess = 0, slope = 0;
    report = {kOk, 0, 0, 0, 0};
    enum { kStart, kGuess, kStage } phase = kStart;
    int i = 0, blame = kUnderflow;  // i: stage
    bool stays = !drives || inside(y);
    float trial = y, raw = 0;
    double at = t;
    for (;;) {
      float* slot = tape == nullptr || phase == kGuess
                        ? nullptr
                        : tape + static_cast<size_t>(report.accepted * kStages + i) * evaluation;
      const float rate = evaluate({static_cast<float>(at)}, trial, slot);
      ++report.evaluations;
      if (phase == kStart) {
        stage[0] = rate;
        const Measured start = measure(rate, y, y, stays);
        if (!start.good || !isfinite(start.norm)) {
          report.status = start.good ? kNonFinite : kOutside;
          return;
        }
        if (h == 0) {
          slope = start.norm;
          const float size = measure(y, y, y, true).norm;
          guess = fminf(size < 1e-5f || slope < 1e-5f ? 1e-6f : 0.01f * size / slope, static_cast<float>(span));
          trial = y + static_cast<float>(direction) * guess * rate;
          stays = !drives || inside(trial);
          at = t + direction * static_cast<double>(guess);
          phase = kGuess;
          continue;
        }
      } else if (phase == kGuess) {
        const Measured change = measure(rate - stage[0], y, y, stays);
        const float steepest = fmaxf(slope, change.norm / guess);
        const float proposed = steepest <= 1e-15f ? fmaxf(1e-6f, guess * 1e-3f) : powf(0.01f / steepest, 0.2f);
        h = change.good && isfinite(change.norm) ? fmin(static_cast<double>(fminf(100 * guess, proposed)), span)
                                                 : static_cast<double>(guess);
        h *= direction;
      } else {
#pragma unroll
        for (int j = 0; j <= kStages; ++j) stage[j] = j == i ? rate : stage[j];
        if (i < kStages) {
          ++i;
          trial = trial_of(i, static_cast<float>(step), y);
          stays &= !drives || inside(trial);
          at = i < kStages ? t + kC[i < kStages ? i : 0] * step : t_next;
          if (i == kStages) {
            raw = trial;
            if (drives) trial = projected(raw);
          }
          continue;
        }
        float estimate = 0;
#pragma unroll
        for (int j = 0; j <= kStages; ++j) estimate += static_cast<float>(step) * kE[j] * stage[j];
        const Measured tried = measure(estimate, y, trial, stays);
        const float error = tried.norm;
        if (!tried.good || !(error <= 1)) {
          ++report.rejected;
          const bool measured = tried.good && isfinite(error);
          if (!measured) blame = tried.good ? kNonFinite : kOutside;
          h = step * static_cast<double>(measured ? fmaxf(kShrink, kSafety * powf(error, -0.2f)) : kShrink);
          if (fabs(h) < 4 * 1.1920929e-7) {
            report.status = blame;
            return;
          }
        } else {
          if (tape != nullptr) {
            if (lane.thread == 0) steps[report.accepted] = {t, step};
            if (drives) unprojected[report.accepted * p().tile * G + lane.thread] = raw;
          }
          const float err = fmaxf(error, 1e-10f);
          if (report.accepted == 0)
            report.first_step = fabs(step) * static_cast<double>(factor_of(powf(err, -0.2f)));
          const double planned =
              fabs(step) * static_cast<double>(factor_of(powf(err, -kAlpha / 5) * powf(before, kBeta / 5)));
          h = direction * (fabs(step) < fabs(h) ? fmax(fabs(h), planned) : planned);
          before = fmaxf(error, 1e-4f);
          blame = kUnderflow;
          ++report.accepted;
          t = t_next;
          y = trial;
          stage[0] = rate;
          if (t == p().to) return;
        }
      }
      // The next step.
      if (report.evaluations + kStages > p().max_evaluations || (tape != nullptr && report.accepted >= p().most_steps)) {
        report.status = kTooMany;
        return;
      }
      const double remaining = p().to - t, count = ceil(remaining / (kStretch * h));
      step = count <= 4 ? remaining / count : h;
      t_next = step == remaining ? p().to : t + step;
      phase = kStage;
      i = 1;
      trial = trial_of(1, static_cast<float>(step), y);
      stays = !drives || inside(trial);
      at = t + kC[1] * step;
    }
  }

  __device__ void backward(int taken, const double2* steps, const float* unprojected, float* tape, float y_bar) {
    __syncthreads();  // the steps are in memory
    double t = 0, h = 0;
    for (int e = taken * kStages; e-- > 0;) {
      const int s = e / kStages, i = e % kStages;
      if (i == kStages - 1) {
        t = steps[s].x;
        h = steps[s].y;
        if (drives) {
        float z[D], bar[D];
        lane.gather(unprojected[s * p().tile * G + lane.thread], z);
        lane.gather(y_bar, bar);
        geometry.project_backward(z, bar);
#pragma unroll
        for (int n = 0; n < D; ++n) y_bar = lane.jet == n ? bar[n] : y_bar;
#pragma unroll
        for (int j = 0; j < kStages; ++j) stage[j] = static_cast<float>(h) * kB[j] * y_bar;
        }
      }
      float rate_bar = 0;
#pragma unroll
      for (int j = 0; j < kStages; ++j) rate_bar = j == i ? stage[j] : rate_bar;
      const float sent = pull_back({static_cast<float>(t + kC[i] * h)},
                                   tape + static_cast<size_t>(e) * static_cast<size_t>(p().tape_floats(D, G)), rate_bar);
      if (lane.jet < D) {
        y_bar += sent;
#pragma unroll
        for (int j = 0; j < kStages - 1; ++j) stage[j] += j < i ? static_cast<float>(h) * kA[i][j] * sent : 0.0f;
      }
      if (pending == kRing || e == 0) learn();
    }
  }
};

}  // namespace
}  // namespace riemflow::cuda
