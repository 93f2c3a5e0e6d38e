#pragma once
// The geometry of a field on one manifold, for one warp that holds four points: lane = point · 8 + jet. All lanes
// of a point hold the point x; lane j ≥ 1 holds the seed v_j and the network's derivative in its direction. The
// formulas are those of field/output_layer.hpp, field/embedding.hpp and manifold/*.cpp.

#include "riemflow/engine/cuda/network.cuh"

namespace riemflow::cuda {

enum Shape { kEuclidean, kSphere, kBall, kTorus };
enum BaseKind { kUniform, kNormal, kWrappedNormal };

struct Lane {
  int point = static_cast<int>(threadIdx.x & 31) >> 3, jet = static_cast<int>(threadIdx.x) & 7;

  /// Over the lanes of the point.
  __device__ float sum(float v) const {
    v += __shfl_xor_sync(0xffffffffu, v, 1);
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    return v + __shfl_xor_sync(0xffffffffu, v, 4);
  }
  __device__ float from(float v, int which) const { return __shfl_sync(0xffffffffu, v, point * 8 + which); }
  template <int D>
  __device__ void gather(float own, float (&all)[D]) const {
#pragma unroll
    for (int i = 0; i < D; ++i) all[i] = from(own, i);
  }
};

template <int D>
__device__ inline float dot(const float (&a)[D], const float (&b)[D]) {
  float s = 0;
#pragma unroll
  for (int i = 0; i < D; ++i) s += a[i] * b[i];
  return s;
}

/// What the manifold and the layers at its ends are.
struct Frame {
  float K;         ///< curvature
  int dimension;   ///< d
  int power;       ///< p of λ^−p on the ball
  bool hyperboloid;  ///< features of the geodesic layer on the ball
  bool exact;      ///< seeds are a basis; else probes
  float share;     ///< of a seed in the trace
};

/// Most features of a point.
template <int G, int D>
constexpr int kFeatures = G == kTorus ? 2 * D : G == kBall ? D + 1 : D;

template <int G, int D>
struct Geometry {
  static constexpr int F = kFeatures<G, D>;
  const Frame& f;

  __device__ bool inside(const float (&z)[D]) const {
    const float square = dot(z, z);
    if constexpr (G == kBall) return -f.K * square < 1;
    if constexpr (G == kSphere) return isfinite(square) && square > 1e-30f;
    return isfinite(square);
  }
  __device__ void project(float (&z)[D]) const {
    if constexpr (G == kSphere) {
      const float scale = rsqrtf(f.K * dot(z, z));
#pragma unroll
      for (int i = 0; i < D; ++i) z[i] *= scale;
    } else if constexpr (G == kTorus) {
      constexpr float kTurn = 6.2831853071795864f;
#pragma unroll
      for (int i = 0; i < D; ++i) z[i] -= kTurn * floorf(z[i] / kTurn + 0.5f);
    } else if constexpr (G == kBall) {
      const float eta = 4 * sqrtf(static_cast<float>(D)) * 1.1920929e-7f, r = sqrtf(-f.K * dot(z, z));
      if (!(r < 1 - eta)) {
#pragma unroll
        for (int i = 0; i < D; ++i) z[i] = z[i] / r * (1 - 2 * eta);
      }
    }
  }
  /// z_bar, of the projected point, becomes that of z. (A point clipped at the rim of the ball is not told from
  /// one that was not.)
  __device__ void project_backward(const float (&z)[D], float (&bar)[D]) const {
    if constexpr (G != kSphere) return;
    const float square = dot(z, z), scale = rsqrtf(f.K * square), radial = dot(z, bar) / square;
#pragma unroll
    for (int i = 0; i < D; ++i) bar[i] = scale * (bar[i] - radial * z[i]);
  }
  /// λ(x)/λ(0) on the ball.
  __device__ float error_weight(const float (&z)[D]) const { return G == kBall ? 1 / (1 + f.K * dot(z, z)) : 1.0f; }

  /// v = the lane's column: x itself for jet 0, else seed jet − 1. noise: the point's, [i·k + j].
  __device__ void seed(const Lane& lane, const float (&x)[D], int k, const float* noise, float (&v)[D]) const {
    const int j = lane.jet - 1;
    if (lane.jet == 0) {
#pragma unroll
      for (int i = 0; i < D; ++i) v[i] = x[i];
    } else if (j >= k) {
#pragma unroll
      for (int i = 0; i < D; ++i) v[i] = 0;
    } else if (!f.exact) {
#pragma unroll
      for (int i = 0; i < D; ++i) v[i] = noise[i * k + j];
      if constexpr (G == kSphere) {
        const float a = dot(v, x) * f.K;
#pragma unroll
        for (int i = 0; i < D; ++i) v[i] -= a * x[i];
      }
    } else if constexpr (G == kSphere) {
      const float root = sqrtf(f.K), last = x[D - 1] * root, sigma = copysignf(1.0f, last);
      float own = 0;
#pragma unroll
      for (int i = 0; i < D - 1; ++i) own = i == j ? x[i] : own;
      const float a = own * root / (1 + fabsf(last));
#pragma unroll
      for (int i = 0; i < D - 1; ++i) v[i] = (i == j ? 1.0f : 0.0f) - a * x[i] * root;
      v[D - 1] = -a * (last + sigma);
    } else {
#pragma unroll
      for (int i = 0; i < D; ++i) v[i] = i == j ? 1.0f : 0.0f;
    }
  }
  /// x_bar += what the seeds' dependence on x sends back, in_bar the lane's.
  __device__ void seed_backward(const Lane& lane, const float (&x)[D], int k, const float* noise, const float (&v)[D],
                                const float (&in_bar)[D], float (&x_bar)[D]) const {
    if constexpr (G != kSphere) return;
    const bool seeded = lane.jet >= 1 && lane.jet <= k;
    const float b = dot(in_bar, x) * f.K;
    float eps[D], a = 0;
#pragma unroll
    for (int i = 0; i < D; ++i) eps[i] = seeded && !f.exact ? noise[i * k + lane.jet - 1] : 0.0f;
    if (!f.exact) a = dot(eps, x) * f.K;
#pragma unroll
    for (int i = 0; i < D; ++i) {
      const float own = f.exact ? b * v[i] : b * (eps[i] - 2 * a * x[i]) + a * in_bar[i];
      x_bar[i] -= lane.sum(seeded ? own : 0.0f);
    }
  }

  /// The lane's jet of the features.
  __device__ void embed(const Lane& lane, const float (&x)[D], const float (&v)[D], float (&out)[F]) const {
    if constexpr (G == kTorus) {
#pragma unroll
      for (int i = 0; i < D; ++i) {
        const float s = sinf(x[i]), c = cosf(x[i]);
        out[i] = lane.jet == 0 ? s : c * v[i];
        out[D + i] = lane.jet == 0 ? c : -s * v[i];
      }
    } else if constexpr (G == kBall) {
      if (!f.hyperboloid) {
#pragma unroll
        for (int i = 0; i < D; ++i) out[i] = v[i];
        out[D] = 0;
        return;
      }
      const float c = -f.K, root = 2 * sqrtf(c), r = 1 / (1 - c * dot(x, x)), slope = 2 * c * dot(x, v) * r * r;
#pragma unroll
      for (int i = 0; i < D; ++i) out[i] = lane.jet == 0 ? root * x[i] * r : root * (v[i] * r + x[i] * slope);
      out[D] = lane.jet == 0 ? 2 * r - 1 : 2 * slope;
    } else {
      const float scale = G == kSphere ? sqrtf(f.K) : 1.0f;
#pragma unroll
      for (int i = 0; i < D; ++i) out[i] = scale * v[i];
    }
  }
  /// in_bar, the lane's, += ; what all lanes send to the value is added to jet 0's. bar: 0 for idle lanes.
  __device__ void embed_backward(const Lane& lane, const float (&x)[D], const float (&v)[D], const float (&bar)[F],
                                 float (&in_bar)[D]) const {
    float extra[D];
#pragma unroll
    for (int i = 0; i < D; ++i) extra[i] = 0;
    if constexpr (G == kTorus) {
#pragma unroll
      for (int i = 0; i < D; ++i) {
        const float s = sinf(x[i]), c = cosf(x[i]);
        in_bar[i] += c * bar[i] - s * bar[D + i];
        if (lane.jet > 0) extra[i] = -v[i] * (s * bar[i] + c * bar[D + i]);
      }
    } else if constexpr (G == kBall) {
      if (!f.hyperboloid) {
#pragma unroll
        for (int i = 0; i < D; ++i) in_bar[i] += bar[i];
        return;
      }
      const float c = -f.K, two_c = 2 * c, root = 2 * sqrtf(c), r = 1 / (1 - c * dot(x, x)), along = dot(x, v);
      float xb = 0, vb = 0;
#pragma unroll
      for (int i = 0; i < D; ++i) {
        xb += x[i] * bar[i];
        vb += v[i] * bar[i];
      }
      const float slope = two_c * along * r * r, to_slope = root * xb + 2 * bar[D];
      const float r_bar = lane.jet == 0 ? to_slope : root * vb + 2 * two_c * along * r * to_slope;
#pragma unroll
      for (int i = 0; i < D; ++i) {
        in_bar[i] += root * r * bar[i];
        extra[i] = r_bar * r * r * two_c * x[i];
        if (lane.jet > 0) {
          in_bar[i] += two_c * r * r * to_slope * x[i];
          extra[i] += root * slope * bar[i] + two_c * r * r * to_slope * v[i];
        }
      }
    } else {
      const float scale = G == kSphere ? sqrtf(f.K) : 1.0f;
#pragma unroll
      for (int i = 0; i < D; ++i) in_bar[i] += scale * bar[i];
      return;
    }
#pragma unroll
    for (int i = 0; i < D; ++i) {
      const float all = lane.sum(extra[i]);
      if (lane.jet == 0) in_bar[i] += all;
    }
  }

  struct Rates {
    float divergence, kinetic;
  };
  /// velocity = f; u: the lane's jet of the network's output.
  __device__ Rates rates(const Lane& lane, const float (&x)[D], const float (&v)[D], const float (&u)[D],
                         float (&velocity)[D]) const {
    float u0[D];
#pragma unroll
    for (int i = 0; i < D; ++i) u0[i] = lane.from(u[i], 0);
    const float trace = f.share * lane.sum(lane.jet > 0 ? dot(v, u) : 0.0f), ux = dot(u0, x);
    const auto d = static_cast<float>(f.dimension);
    if constexpr (G == kSphere) {
#pragma unroll
      for (int i = 0; i < D; ++i) velocity[i] = u0[i] - f.K * ux * x[i];
      return {trace - d * f.K * ux, dot(velocity, velocity)};
    } else if constexpr (G == kBall) {
      const float lambda = 2 / (1 + f.K * dot(x, x)), s = scaling(lambda);
#pragma unroll
      for (int i = 0; i < D; ++i) velocity[i] = s * u0[i];
      return {s * (trace + (static_cast<float>(f.power) - d) * f.K * lambda * ux),
              lambda * lambda * dot(velocity, velocity)};
    } else {
#pragma unroll
      for (int i = 0; i < D; ++i) velocity[i] = u0[i];
      return {trace, dot(velocity, velocity)};
    }
  }
  /// u_bar, in_bar (=), the lane's, from f_bar and the rates' cotangents.
  __device__ void rates_backward(const Lane& lane, const float (&x)[D], const float (&v)[D], const float (&u)[D],
                                 float (&f_bar)[D], float div_bar, float kinetic_bar, float (&u_bar)[D],
                                 float (&in_bar)[D]) const {
    float u0[D];
#pragma unroll
    for (int i = 0; i < D; ++i) {
      u0[i] = lane.from(u[i], 0);
      in_bar[i] = 0;
    }
    const float ux = dot(u0, x);
    const auto d = static_cast<float>(f.dimension);
    if constexpr (G == kSphere) {
#pragma unroll
      for (int i = 0; i < D; ++i) f_bar[i] += 2 * kinetic_bar * (u0[i] - f.K * ux * x[i]);
      const float ux_bar = f.K * (-dot(f_bar, x) - d * div_bar);
#pragma unroll
      for (int i = 0; i < D; ++i) {
        u_bar[i] = lane.jet == 0 ? f_bar[i] + ux_bar * x[i] : f.share * div_bar * v[i];
        in_bar[i] = lane.jet == 0 ? ux_bar * u0[i] - f.K * ux * f_bar[i] : f.share * div_bar * u[i];
      }
    } else if constexpr (G == kBall) {
      const float trace = f.share * lane.sum(lane.jet > 0 ? dot(v, u) : 0.0f);
      const float lambda = 2 / (1 + f.K * dot(x, x)), s = scaling(lambda);
      const float rest = (static_cast<float>(f.power) - d) * f.K;
#pragma unroll
      for (int i = 0; i < D; ++i) f_bar[i] += 2 * kinetic_bar * lambda * lambda * s * u0[i];
      float lambda_bar = 2 * kinetic_bar * lambda * s * s * dot(u0, u0) + div_bar * s * rest * ux;
      const float s_bar = dot(f_bar, u0) + div_bar * (trace + rest * lambda * ux);
      const float ux_bar = div_bar * s * rest * lambda;
      lambda_bar -= s_bar * static_cast<float>(f.power) * s / lambda;
#pragma unroll
      for (int i = 0; i < D; ++i) {
        u_bar[i] = lane.jet == 0 ? s * f_bar[i] + ux_bar * x[i] : f.share * s * div_bar * v[i];
        if (lane.jet == 0) in_bar[i] = ux_bar * u0[i] - lambda_bar * f.K * lambda * lambda * x[i];
      }
    } else {
#pragma unroll
      for (int i = 0; i < D; ++i)
        u_bar[i] = lane.jet == 0 ? f_bar[i] + 2 * kinetic_bar * u0[i] : f.share * div_bar * v[i];
    }
  }

  __device__ float scaling(float lambda) const {
    float s = 1;
    for (int i = 0; i < f.power; ++i) s /= lambda;
    return s;
  }

  /// log p₀(x) less `constant`, and its gradient: uniform, normal, standard wrapped normal.
  __device__ float log_base(int kind, const float (&x)[D], float (&slope)[D]) const {
    if (kind == kUniform) {
#pragma unroll
      for (int i = 0; i < D; ++i) slope[i] = 0;
      return 0;
    }
    if (kind == kNormal) {
#pragma unroll
      for (int i = 0; i < D; ++i) slope[i] = -x[i];
      return -dot(x, x) / 2;
    }
    const float root = sqrtf(-f.K), length = sqrtf(dot(x, x)), s = fminf(root * length, 1 - 1e-7f);
    const float rho = 2 * atanhf(s), r = rho / root, n = static_cast<float>(D - 1);
    // log(sinh ρ/ρ) and its slope coth ρ − 1/ρ
    const float log_sinhc = rho < 0.1f ? rho * rho / 6 - rho * rho * rho * rho / 180
                                       : rho + log1pf(-expf(-2 * rho)) - logf(2 * rho);
    const float bend = rho < 0.1f ? rho / 3 - rho * rho * rho / 45 : 1 / tanhf(rho) - 1 / rho;
    const float by_length = (-r - n * root * bend) * 2 / ((1 - s) * (1 + s));
#pragma unroll
    for (int i = 0; i < D; ++i) slope[i] = length > 0 ? by_length * x[i] / length : 0.0f;
    return -r * r / 2 - n * log_sinhc;
  }
};

}  // namespace riemflow::cuda
