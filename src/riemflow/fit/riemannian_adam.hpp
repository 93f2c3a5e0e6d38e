#pragma once
// Riemannian Adam (Bécigneul & Ganea 2019) on a product of unit spheres.
//
// A factor x with Euclidean gradient h, step t:
//   g = h − ⟨h, x⟩x                              the Riemannian gradient
//   m ← β₁m + (1−β₁)g,   v ← β₂v + (1−β₂)|g|²     one second moment a factor: coordinates mean nothing here
//   u = −rate·m̂/(√v̂ + ε)                          hats as in Adam
//   x ← exp_x(u) = cos θ·x + sin θ·e,   e = u/θ, θ = |u|
//   m ← its parallel transport along that geodesic. m is a multiple of e, so that is the same multiple of
//       e′ = cos θ·e − sin θ·x.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "riemflow/fit/optimizer.hpp"

namespace riemflow {

template <class T>
class RiemannianAdam {
 public:
  /// `factors` unit vectors of `ambient` numbers.
  RiemannianAdam(std::size_t factors, std::size_t ambient, const AdamConfig& config)
      : ambient_(ambient),
        config_(config),
        state_{0, std::vector<T>(factors * ambient), std::vector<T>(factors)} {}

  /// points: one unit vector after another; gradient: the Euclidean one, in the same layout, whose part along
  /// the points is not used. Points are brought back to length 1 against rounding.
  void step(std::span<T> points, std::span<const T> gradient, double rate) {
    const auto steps = static_cast<double>(++state_.steps);
    const auto b1 = static_cast<T>(config_.beta1), b2 = static_cast<T>(config_.beta2);
    const auto scale = static_cast<T>(rate / (1 - std::pow(config_.beta1, steps)));
    const auto root = static_cast<T>(1 / std::sqrt(1 - std::pow(config_.beta2, steps)));
    const auto epsilon = static_cast<T>(config_.epsilon);
    for (std::size_t f = 0; f < state_.square.size(); ++f) {
      T* x = points.data() + f * ambient_;
      T* m = state_.mean.data() + f * ambient_;
      const T* h = gradient.data() + f * ambient_;
      const T along = dot(h, x);
      T g_square = 0, m_square = 0;
      for (std::size_t i = 0; i < ambient_; ++i) {
        const T g = h[i] - along * x[i];
        g_square += g * g;
        m[i] = b1 * m[i] + (1 - b1) * g;
        m_square += m[i] * m[i];
      }
      T& v = state_.square[f] = b2 * state_.square[f] + (1 - b2) * g_square;
      const T m_norm = std::sqrt(m_square);
      if (!(m_norm > 0)) continue;
      const T theta = scale * m_norm / (std::sqrt(v) * root + epsilon);
      const T cosine = std::cos(theta), sine = std::sin(theta);
      for (std::size_t i = 0; i < ambient_; ++i) {
        const T e = -m[i] / m_norm, x_i = x[i];
        x[i] = cosine * x_i + sine * e;
        m[i] = -m_norm * (cosine * e - sine * x_i);
      }
      // Rounding: |x| = 1 and ⟨m, x⟩ = 0 again.
      const T length = std::sqrt(dot(x, x));
      for (std::size_t i = 0; i < ambient_; ++i) x[i] /= length;
      const T off = dot(m, x);
      for (std::size_t i = 0; i < ambient_; ++i) m[i] -= off * x[i];
    }
  }

  /// What it remembers: `mean` as the points, tangent to them, and `square` one a factor.
  const AdamState<T>& state() const { return state_; }

 private:
  T dot(const T* a, const T* b) const {
    T sum = 0;
    for (std::size_t i = 0; i < ambient_; ++i) sum += a[i] * b[i];
    return sum;
  }

  std::size_t ambient_;
  AdamConfig config_;
  AdamState<T> state_;
};

}  // namespace riemflow
