#pragma once
// What warp 0 of a block does: the equation's state of four points, its geometry, and the solver of ode/solver.cpp
// (dopri5 with error control and projection), constant for constant; forward and backward.

#include "riemflow/engine/cuda/network_pass.cuh"

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
  __device__ void solve(float& y, double first_step, Report& report, double2* steps, float* unprojected, float* tape) {
    const Problem& p = block.problem;
    const double direction = p.to < p.from ? -1 : 1, span = fabs(p.to - p.from);
    double t = p.from, h = direction * fmin(fabs(first_step), span), before = 1;
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

}  // namespace
}  // namespace riemflow::cuda
