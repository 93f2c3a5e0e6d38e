#pragma once
// The geometry of a field for the warps that drive: a point has a group of G lanes; all of them hold the point x,
// lane j ≥ 1 the seed v_j and the network's derivative in its direction. The formulas are those of
// manifold/*.hpp. They are compiled for one factor of a known shape and D
// coordinates, which takes a tenth of the instructions, and for any product of up to D; coordinates that a manifold does
// not have are 0.

#include <cuda_runtime.h>

#include "riemflow/flow/cuda/matrices.hpp"

namespace riemflow::cuda {

/// kMatrices in products and alone are computed as any shape.
enum Shape { kEuclidean, kSphere, kBall, kTorus, kMatrices, kAny };
constexpr int kMostFactors = 4;

/// One factor of the manifold and the layers at its ends.
struct Factor {
  int shape;
  int first, count;   ///< coordinates
  int feature;        ///< the first
  int seed;           ///< the first of an exact frame
  int dimension;
  int power;          ///< p of λ^−p on the ball
  bool hyperboloid;   ///< features of the geodesic layer on the ball
  float K, root;      ///< curvature, √|K|
  Matrices matrices;  ///< of shape kMatrices
};

struct Frame {
  Factor factor[kMostFactors];
  int factors;
  bool exact;   ///< seeds are a basis; else probes, or
  bool axes;    ///< the projections of all coordinate directions, whose trace is exact too: where there are matrices
  float share;  ///< of a seed in the trace
};

template <int G>
struct Lane {
  int thread = static_cast<int>(threadIdx.x), point = thread / G, jet = thread % G;

  /// Over the lanes of the point.
  __device__ float sum(float v) const {
#pragma unroll
    for (int step = 1; step < G; step *= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
  }
  __device__ float from(float v, int which) const { return __shfl_sync(0xffffffffu, v, which, G); }
  template <int D>
  __device__ void gather(float own, float (&all)[D]) const {
#pragma unroll
    for (int i = 0; i < D; ++i) all[i] = from(own, i);
  }
};

/// S: the shape, or kAny.
template <int D, int G, int S>
struct Geometry {
  const Frame& frame;
  using Row = float[D];
  static constexpr bool kKnown = S != kAny;

  __device__ static bool is(const Factor& f, int shape) { return kKnown ? S == shape : f.shape == shape; }
  __device__ static bool has(const Factor& f, int i) {
    return kKnown || static_cast<unsigned>(i - f.first) < static_cast<unsigned>(f.count);
  }
  __device__ static int first(const Factor& f) { return kKnown ? 0 : f.first; }
  __device__ static int count(const Factor& f) { return kKnown ? D : f.count; }
  __device__ static int dimension(const Factor& f) { return kKnown ? D - (S == kSphere ? 1 : 0) : f.dimension; }
  __device__ static int feature(const Factor& f) { return kKnown ? 0 : f.feature; }

  __device__ static float dot(const Factor& f, const Row& a, const Row& b) {
    float s = 0;
#pragma unroll
    for (int i = 0; i < D; ++i) s += has(f, i) ? a[i] * b[i] : 0.0f;
    return s;
  }
  /// The factor's coordinates where an index need not be known beforehand, and back.
  __device__ static void take(const Factor& f, const Row& row, float* own) {
#pragma unroll
    for (int i = 0; i < D; ++i)
      if (has(f, i)) own[i - f.first] = row[i];
  }
  __device__ static void put(const Factor& f, const float* own, Row& row) {
#pragma unroll
    for (int i = 0; i < D; ++i)
      if (has(f, i)) row[i] = own[i - f.first];
  }
  /// row = Π_x row
  __device__ static void tangent(const Factor& f, const Row& x, Row& row) {
    float at[kMostEntries], u[kMostEntries], w[kMostEntries];
    take(f, x, at);
    take(f, row, u);
    f.matrices.tangent(at, u, w);
    put(f, w, row);
  }
  /// x_bar = the derivative of ⟨c, Π_x u⟩ by x
  __device__ static void tangent_backward(const Factor& f, const Row& x, const Row& u, const Row& c, Row& x_bar) {
    float at[kMostEntries], a[kMostEntries], b[kMostEntries], bar[kMostEntries];
    take(f, x, at);
    take(f, u, a);
    take(f, c, b);
    for (int i = 0; i < kMostEntries; ++i) bar[i] = 0;
    f.matrices.tangent_backward(at, a, b, bar);
    put(f, bar, x_bar);
  }
  /// Entry i of probe j.
  __device__ float probe(const float* noise, int i, int j, int k) const {
    return frame.axes ? (i == j ? 1.0f : 0.0f) : noise[i * k + j];
  }
  /// use(factor) for each.
  template <class Use>
  __device__ void each(const Use& use) const {
    if constexpr (kKnown)
      use(frame.factor[0]);
    else
      for (int n = 0; n < frame.factors; ++n) use(frame.factor[n]);
  }

  __device__ bool inside(const Row& z) const {
    bool good = true;
    each([&](const Factor& f) {
      const float square = dot(f, z, z);
      good &= is(f, kBall) ? -f.K * square < 1 : isfinite(square) && (!is(f, kSphere) || square > 1e-30f);
      if (is(f, kMatrices)) {
        float own[kMostEntries];
        take(f, z, own);
        good &= f.matrices.near(own);
      }
    });
    return good;
  }
  __device__ void project(Row& z) const {
    each([&](const Factor& f) {
      if (is(f, kTorus)) {
        constexpr float kTurn = 6.2831853071795864f;
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) z[i] -= kTurn * floorf(z[i] * (1 / kTurn) + 0.5f);
      } else if (is(f, kMatrices)) {
        float own[kMostEntries];
        take(f, z, own);
        f.matrices.project(own);
        put(f, own, z);
      } else if (!is(f, kEuclidean)) {
        const float square = dot(f, z, z);
        float scale = 1;
        if (is(f, kSphere)) {
          scale = rsqrtf(f.K * square);
        } else {
          const float eta = 4 * sqrtf(static_cast<float>(count(f))) * 1.1920929e-7f, r = sqrtf(-f.K * square);
          if (!(r < 1 - eta)) scale = (1 - 2 * eta) / r;
        }
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) z[i] *= scale;
      }
    });
  }
  /// bar, of the projected point, becomes that of z. (A point clipped at the rim of the ball is not told from one
  /// that was not.)
  __device__ void project_backward(const Row& z, Row& bar) const {
    each([&](const Factor& f) {
      if (is(f, kMatrices)) {
        float own[kMostEntries], own_bar[kMostEntries];
        take(f, z, own);
        take(f, bar, own_bar);
        f.matrices.project_backward(own, own_bar);
        put(f, own_bar, bar);
      }
      if (!is(f, kSphere)) return;
      const float square = dot(f, z, z), scale = rsqrtf(f.K * square), radial = dot(f, z, bar) * (scale * scale * f.K);
#pragma unroll
      for (int i = 0; i < D; ++i)
        if (has(f, i)) bar[i] = scale * (bar[i] - radial * z[i]);
    });
  }
  /// Of the error in coordinate i: λ(x)/λ(0) on a ball.
  __device__ float error_weight(const Row& z, int i) const {
    float weight = 1;
    each([&](const Factor& f) {
      if (is(f, kBall) && has(f, i)) weight = 1 / (1 + f.K * dot(f, z, z));
    });
    return weight;
  }

  /// The metric's factor in the direction of coordinate i: λ(x)² on a ball.
  __device__ float metric(const Row& x, int i) const {
    float g = 1;
    each([&](const Factor& f) {
      const float lambda = 2 / (1 + f.K * dot(f, x, x));
      if (is(f, kBall) && has(f, i)) g = lambda * lambda;
      if (is(f, kMatrices) && has(f, i)) g = f.matrices.metric;
    });
    return g;
  }

  /// v = the lane's column: x itself for jet 0, else seed jet − 1. noise: the point's, [i·k + j] of n coordinates.
  __device__ void seed(const Lane<G>& lane, const Row& x, int k, int n, const float* noise, Row& v) const {
    const int j = lane.jet - 1;
#pragma unroll
    for (int i = 0; i < D; ++i) v[i] = lane.jet == 0 ? x[i] : 0.0f;
    if (lane.jet == 0 || j >= k) return;
    if (!frame.exact) {
#pragma unroll
      for (int i = 0; i < D; ++i) v[i] = (kKnown || i < n) ? probe(noise, i, j, k) : 0.0f;
      each([&](const Factor& f) {
        if (is(f, kMatrices)) tangent(f, x, v);
        if (!is(f, kSphere)) return;
        const float a = dot(f, v, x) * f.K;
#pragma unroll
        for (int i = 0; i < D; ++i) v[i] -= has(f, i) ? a * x[i] : 0.0f;
      });
      return;
    }
    each([&](const Factor& f) {
      const int own = first(f) + j - (kKnown ? 0 : f.seed);
      if (!kKnown && (j < f.seed || j >= f.seed + f.dimension)) return;
      if (!is(f, kSphere)) {
#pragma unroll
        for (int i = 0; i < D; ++i) v[i] = i == own ? 1.0f : 0.0f;
        return;
      }
      const int end = first(f) + count(f) - 1;
      const float root = f.root;
      float at_own = 0, at_end = 0;
#pragma unroll
      for (int i = 0; i < D; ++i) {
        at_own = i == own ? x[i] * root : at_own;
        at_end = i == end ? x[i] * root : at_end;
      }
      const float a = __fdividef(at_own, 1 + fabsf(at_end)), sigma = copysignf(1.0f, at_end);
#pragma unroll
      for (int i = 0; i < D; ++i)
        if (has(f, i)) v[i] = i == end ? -a * (at_end + sigma) : (i == own ? 1.0f : 0.0f) - a * x[i] * root;
    });
  }
  /// x_bar += what the seeds' dependence on x sends back, in_bar the lane's.
  __device__ void seed_backward(const Lane<G>& lane, const Row& x, int k, int n, const float* noise, const Row& v,
                                const Row& in_bar, Row& x_bar) const {
    const bool seeded = lane.jet >= 1 && lane.jet <= k;
    each([&](const Factor& f) {
      if (!is(f, kSphere) && !is(f, kMatrices)) return;
      const float b = dot(f, in_bar, x) * f.K;
      Row eps;
#pragma unroll
      for (int i = 0; i < D; ++i)
        eps[i] = seeded && !frame.exact && (kKnown || i < n) ? probe(noise, i, lane.jet - 1, k) : 0.0f;
      if (is(f, kMatrices)) {
        Row bar;
#pragma unroll
        for (int i = 0; i < D; ++i) bar[i] = 0;
        tangent_backward(f, x, eps, in_bar, bar);
#pragma unroll
        for (int i = 0; i < D; ++i) {
          const float all = lane.sum(seeded ? bar[i] : 0.0f);
          if (has(f, i)) x_bar[i] += all;
        }
        return;
      }
      const float a = frame.exact ? 0.0f : dot(f, eps, x) * f.K;
#pragma unroll
      for (int i = 0; i < D; ++i) {
        const float own = frame.exact ? b * v[i] : b * (eps[i] - 2 * a * x[i]) + a * in_bar[i];
        const float all = lane.sum(seeded ? own : 0.0f);
        if (has(f, i)) x_bar[i] -= all;
      }
    });
  }

  /// The lane's jet of the features: write(feature, value).
  template <class Write>
  __device__ void embed(const Lane<G>& lane, const Row& x, const Row& v, const Write& write) const {
    each([&](const Factor& f) {
      if (is(f, kTorus)) {
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has(f, i)) continue;
          float s, c;
          sincosf(x[i], &s, &c);
          write(feature(f) + i - first(f), lane.jet == 0 ? s : c * v[i]);
          write(feature(f) + count(f) + i - first(f), lane.jet == 0 ? c : -s * v[i]);
        }
      } else if (is(f, kBall) && f.hyperboloid) {
        const float c = -f.K, root = 2 * f.root, r = 1 / (1 - c * dot(f, x, x)), slope = 2 * c * dot(f, x, v) * r * r;
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) write(feature(f) + i - first(f), lane.jet == 0 ? root * x[i] * r : root * (v[i] * r + x[i] * slope));
        write(feature(f) + count(f), lane.jet == 0 ? 2 * r - 1 : 2 * slope);
      } else {
        const float scale = is(f, kSphere) ? f.root : 1.0f;
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) write(feature(f) + i - first(f), scale * v[i]);
      }
    });
  }
  /// in_bar, the lane's, += ; what all lanes send to the value is added to jet 0's. read(feature): 0 for idle lanes.
  template <class Read>
  __device__ void embed_backward(const Lane<G>& lane, const Row& x, const Row& v, const Read& read, Row& in_bar) const {
    each([&](const Factor& f) {
      Row extra;
#pragma unroll
      for (int i = 0; i < D; ++i) extra[i] = 0;
      if (is(f, kTorus)) {
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has(f, i)) continue;
          float s, c;
          sincosf(x[i], &s, &c);
          const float to_s = read(feature(f) + i - first(f)), to_c = read(feature(f) + count(f) + i - first(f));
          in_bar[i] += c * to_s - s * to_c;
          if (lane.jet > 0) extra[i] = -v[i] * (s * to_s + c * to_c);
        }
      } else if (is(f, kBall) && f.hyperboloid) {
        const float c = -f.K, two_c = 2 * c, root = 2 * f.root, r = 1 / (1 - c * dot(f, x, x)), along = dot(f, x, v);
        Row bar;
#pragma unroll
        for (int i = 0; i < D; ++i) bar[i] = has(f, i) ? read(feature(f) + i - first(f)) : 0.0f;
        const float xb = dot(f, x, bar), vb = dot(f, v, bar), to_time = read(feature(f) + count(f));
        const float slope = two_c * along * r * r, to_slope = root * xb + 2 * to_time;
        const float r_bar = lane.jet == 0 ? to_slope : root * vb + 2 * two_c * along * r * to_slope;
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has(f, i)) continue;
          in_bar[i] += root * r * bar[i];
          extra[i] = r_bar * r * r * two_c * x[i];
          if (lane.jet > 0) {
            in_bar[i] += two_c * r * r * to_slope * x[i];
            extra[i] += root * slope * bar[i] + two_c * r * r * to_slope * v[i];
          }
        }
      } else {
        const float scale = is(f, kSphere) ? f.root : 1.0f;
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) in_bar[i] += scale * read(feature(f) + i - first(f));
        return;
      }
#pragma unroll
      for (int i = 0; i < D; ++i) {
        const float all = lane.sum(extra[i]);
        if (lane.jet == 0) in_bar[i] += all;
      }
    });
  }

  struct Rates {
    float divergence, kinetic;
  };
  /// velocity = f; u: the lane's jet of the network's output.
  __device__ Rates rates(const Lane<G>& lane, const Row& x, const Row& v, const Row& u, Row& velocity) const {
    Row u0;
#pragma unroll
    for (int i = 0; i < D; ++i) velocity[i] = u0[i] = lane.from(u[i], 0);
    Rates all{0, 0};
    each([&](const Factor& f) {
      const float trace = frame.share * lane.sum(lane.jet > 0 ? dot(f, v, u) : 0.0f), ux = dot(f, u0, x);
      const auto d = static_cast<float>(dimension(f));
      float lambda = 1;
      if (is(f, kSphere)) {
#pragma unroll
        for (int i = 0; i < D; ++i) velocity[i] -= has(f, i) ? f.K * ux * x[i] : 0.0f;
        all.divergence += trace - d * f.K * ux;
      } else if (is(f, kBall)) {
        lambda = 2 / (1 + f.K * dot(f, x, x));
        const float s = scaling(f, lambda);
#pragma unroll
        for (int i = 0; i < D; ++i) velocity[i] *= has(f, i) ? s : 1.0f;
        all.divergence += s * (trace + (static_cast<float>(f.power) - d) * f.K * lambda * ux);
      } else if (is(f, kMatrices)) {
        all.divergence += trace;
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) all.divergence += u0[i] * f.matrices.mean_curvature(x[i], i - first(f));
        tangent(f, x, velocity);
        all.kinetic += f.matrices.metric * dot(f, velocity, velocity);
        return;
      } else {
        all.divergence += trace;
      }
      all.kinetic += lambda * lambda * dot(f, velocity, velocity);
    });
    return all;
  }
  /// u_bar, in_bar (=), the lane's, from f_bar and the rates' cotangents.
  __device__ void rates_backward(const Lane<G>& lane, const Row& x, const Row& v, const Row& u, Row& f_bar, float div_bar,
                                 float kinetic_bar, Row& u_bar, Row& in_bar) const {
    Row u0;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      u0[i] = lane.from(u[i], 0);
      u_bar[i] = in_bar[i] = 0;
    }
    const bool value = lane.jet == 0;
    each([&](const Factor& f) {
      const float ux = dot(f, u0, x);
      const auto d = static_cast<float>(dimension(f));
      if (is(f, kSphere)) {
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) f_bar[i] += 2 * kinetic_bar * (u0[i] - f.K * ux * x[i]);
        const float ux_bar = f.K * (-dot(f, f_bar, x) - d * div_bar);
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has(f, i)) continue;
          u_bar[i] = value ? f_bar[i] + ux_bar * x[i] : frame.share * div_bar * v[i];
          in_bar[i] = value ? ux_bar * u0[i] - f.K * ux * f_bar[i] : frame.share * div_bar * u[i];
        }
      } else if (is(f, kBall)) {
        const float trace = frame.share * lane.sum(lane.jet > 0 ? dot(f, v, u) : 0.0f);
        const float lambda = 2 / (1 + f.K * dot(f, x, x)), s = scaling(f, lambda);
        const float rest = (static_cast<float>(f.power) - d) * f.K;
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) f_bar[i] += 2 * kinetic_bar * lambda * lambda * s * u0[i];
        float lambda_bar = 2 * kinetic_bar * lambda * s * s * dot(f, u0, u0) + div_bar * s * rest * ux;
        const float s_bar = dot(f, f_bar, u0) + div_bar * (trace + rest * lambda * ux);
        const float ux_bar = div_bar * s * rest * lambda;
        lambda_bar -= s_bar * static_cast<float>(f.power) * s / lambda;
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has(f, i)) continue;
          u_bar[i] = value ? s * f_bar[i] + ux_bar * x[i] : frame.share * s * div_bar * v[i];
          if (value) in_bar[i] = ux_bar * u0[i] - lambda_bar * f.K * lambda * lambda * x[i];
        }
      } else if (is(f, kMatrices)) {
        Row w, bent;
#pragma unroll
        for (int i = 0; i < D; ++i) w[i] = u0[i];
        tangent(f, x, w);
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (has(f, i)) f_bar[i] += 2 * f.matrices.metric * kinetic_bar * w[i];
          w[i] = f_bar[i];
          bent[i] = 0;
        }
        tangent(f, x, w);
        tangent_backward(f, x, u0, f_bar, bent);
#pragma unroll
        for (int i = 0; i < D; ++i) {
          if (!has(f, i)) continue;
          u_bar[i] = value ? w[i] + div_bar * f.matrices.mean_curvature(x[i], i - first(f)) : frame.share * div_bar * v[i];
          in_bar[i] = value ? bent[i] + f.matrices.bend * div_bar * u0[i] : frame.share * div_bar * u[i];
        }
      } else {
#pragma unroll
        for (int i = 0; i < D; ++i)
          if (has(f, i)) u_bar[i] = value ? f_bar[i] + 2 * kinetic_bar * u0[i] : frame.share * div_bar * v[i];
      }
    });
  }

  __device__ static float scaling(const Factor& f, float lambda) {
    float s = 1;
    for (int i = 0; i < f.power; ++i) s /= lambda;
    return s;
  }

  /// log p₀(x) less its constant, and its gradient: uniform, normal, standard wrapped normal.
  __device__ float log_base(const Row& x, Row& slope) const {
    float value = 0;
#pragma unroll
    for (int i = 0; i < D; ++i) slope[i] = 0;
    each([&](const Factor& f) {
      if (is(f, kSphere) || is(f, kTorus) || is(f, kMatrices)) return;
      const float square = dot(f, x, x);
      float along = -1;  // slope = along · x
      if (is(f, kEuclidean)) {
        value -= square / 2;
      } else {
        const float root = f.root, length = sqrtf(square), s = fminf(root * length, 1 - 1e-7f);
        const float rho = 2 * atanhf(s), r = rho / root, n = static_cast<float>(dimension(f) - 1);
        // log(sinh ρ/ρ) and its slope coth ρ − 1/ρ
        const float log_sinhc = rho < 0.1f ? rho * rho / 6 - rho * rho * rho * rho / 180
                                           : rho + log1pf(-expf(-2 * rho)) - logf(2 * rho);
        const float bend = rho < 0.1f ? rho / 3 - rho * rho * rho / 45 : 1 / tanhf(rho) - 1 / rho;
        value += -r * r / 2 - n * log_sinhc;
        along = length > 0 ? (-r - n * root * bend) * 2 / ((1 - s) * (1 + s)) / length : 0.0f;
      }
#pragma unroll
      for (int i = 0; i < D; ++i)
        if (has(f, i)) slope[i] = along * x[i];
    });
    return value;
  }
};

}  // namespace riemflow::cuda
