#pragma once
// What elliptic kernels (kernels.hpp) are computed from: frames at their centres, points seen from there, and
// the moments of the sphere's kernel.

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/kernel/kernel_families.hpp"
#include "riemflow/kernel/kernels.hpp"

namespace riemflow {

/// M_k(α) = value·scaleᵏ and M_{k−1}/M_k, M_k(α) = ∫₀^∞ tᵏ φ(t − α) dt, k ≥ 1, by M₀ = Φ, M₁ = αΦ + φ,
/// M_{k+1} = αM_k + kM_{k−1}; scale = max(α, 1), against overflow. Below −8, where the sum cancels, a
/// kernel is e^−32 of its peak or less and counts as nothing. From 9 on Φ is 1 and φ nothing beside α.
struct ScaledMoment {
  double value, scale, ratio;
};
inline ScaledMoment scaled_moment(int k, double alpha) {
  if (alpha < -8) return {0, 1, 0};
  const bool all = alpha >= 9;
  const double scale = std::max(alpha, 1.0);
  const double whole = all ? 1 : 0.5 * std::erfc(-alpha / std::numbers::sqrt2);
  const double edge = all ? 0 : std::exp(-0.5 * alpha * alpha) / std::sqrt(2 * std::numbers::pi);
  double before = whole, now = (alpha * whole + edge) / scale;
  for (int j = 1; j < k; ++j)
    before = std::exchange(now, (alpha / scale) * now + j * before / (scale * scale));
  if (!(now > 0)) return {0, 1, 0};
  return {now, scale, before / (now * scale)};
}

/// log M_k(α) and M_{k−1}/M_k.
struct NormalMoment {
  double log_value, ratio;
};
inline NormalMoment normal_moment(int k, double alpha) {
  const ScaledMoment moment = scaled_moment(k, alpha);
  if (moment.value == 0) return {-INFINITY, 0};
  return {std::log(moment.value) + k * std::log(moment.scale), moment.ratio};
}

using TangentMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A frame of the tangent space at m (ambient × d), orthonormal; along the axes where there are as many as
/// dimensions.
inline TangentMatrix frame_at(const KernelSpace::Part& part, const double* m) {
  const int D = part.ambient, d = part.dimension;
  if (D == d) return TangentMatrix::Identity(D, d);
  std::vector<Pack<double>> x(static_cast<std::size_t>(D)), e(static_cast<std::size_t>(D * d));
  for (int i = 0; i < D; ++i) x[static_cast<std::size_t>(i)] = Pack<double>(m[i]);
  part.manifold->frame(x.data(), {e.data(), d});
  TangentMatrix frame(D, d);
  for (int i = 0; i < D * d; ++i) frame(i / d, i % d) = e[static_cast<std::size_t>(i)][0];
  return frame;
}

/// The largest deviation that a kernel is given: on the unit sphere and the ball of curvature −1 two, where
/// the widest draws of a ball are 8 from their centre.
inline double most_deviation(const KernelSpace::Part& part) {
  switch (part.family) {
    case KernelForm::Family::circles:
      return kMostTorusDeviation * part.radius;
    case KernelForm::Family::chord:
    case KernelForm::Family::hyperbolic:
      return 2 / std::sqrt(std::abs(part.curvature));
    case KernelForm::Family::normal:
    case KernelForm::Family::none:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

/// v (ambient of the part) = the point seen from the centre: its coordinates in a frame E there are Eᵀv.
/// volume: log of what the kernel's normal density is divided by the volume for; cosine: ⟨m, x⟩ on the unit
/// sphere.
struct Sight {
  double volume = 0, cosine = 0;
};
inline Sight sight(const KernelSpace::Part& part, const KernelQuery& point, const KernelQuery& centre,
                   double* v) {
  const int D = part.ambient, d = part.dimension;
  const double *e = point.embedded + part.column, *m = centre.embedded + part.column;
  Sight seen;
  switch (part.family) {
    case KernelForm::Family::circles:
      for (int c = 0; c < d; ++c)
        v[c] = std::remainder(point.x[part.row + c] - centre.x[part.row + c],
                              2 * std::numbers::pi * part.radius);
      break;
    case KernelForm::Family::chord:
      for (int c = 0; c < D; ++c) v[c] = e[c] - m[c];
      for (int c = 0; c < D; ++c) seen.cosine += part.curvature * e[c] * m[c];
      break;
    case KernelForm::Family::hyperbolic: {
      const double b = e[d], q = KernelSpace::ball_q(part, point.embedded, centre.embedded);
      const double h = asinh_ratio(q), root = std::sqrt(1 + q);
      for (int c = 0; c < d; ++c) v[c] = 2 * h / (root * b) * (e[c] - m[c] - q * b * m[c]);
      seen.volume = (d - 1) * std::log(h / root);
      break;
    }
    case KernelForm::Family::normal:
    case KernelForm::Family::none:
      for (int c = 0; c < D; ++c) v[c] = e[c] - m[c];
      break;
  }
  return seen;
}

}  // namespace riemflow
