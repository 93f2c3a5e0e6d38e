#pragma once
// What the manifolds share: the checks at the public door, and |x| for any finite x.

#include <cmath>
#include <optional>
#include <span>
#include <string>

#include "riemflow/core/pack.hpp"

namespace riemflow {

/// Throws Error unless d ≥ 1.
void require_dimension(const std::string& kind, int d);
/// Throws Error unless sign·K is within [1e-12, 1e12], where K and 1/K square safely in float.
void require_curvature(const std::string& kind, double K, int sign);

/// Why `point` cannot be one of `expected` finite numbers, counting coordinates from 1; nothing if it can.
template <class T>
std::optional<std::string> coordinate_defect(std::span<const T> point, int expected);

/// |point|, summed in double.
template <class T>
double euclidean_norm(std::span<const T> point) {
  double square = 0;
  for (T x : point) square += static_cast<double>(x) * static_cast<double>(x);
  return std::sqrt(square);
}

/// Lanes whose n coordinates are all finite.
template <class T>
LaneMask finite(int n, const Pack<T>* x) {
  LaneMask m;
  m.lane.fill(true);
  for (int i = 0; i < n; ++i)
    for (int l = 0; l < kLanes; ++l)
      m.lane[static_cast<std::size_t>(l)] = m.lane[static_cast<std::size_t>(l)] && std::isfinite(x[i][l]);
  return m;
}

/// |x| = m |x/m| with m = max |x_i|, so that no square over- or underflows; 0 for x = 0.
template <class T>
Pack<T> scaled_norm(int n, const Pack<T>* x) {
  Pack<T> m = abs(x[0]);
  for (int i = 1; i < n; ++i) m = max(m, abs(x[i]));
  Pack<T> square = 0;
  for (int i = 0; i < n; ++i) square += (x[i] / m) * (x[i] / m);
  return select(Pack<T>(0) < m, m * sqrt(square), m);
}

}  // namespace riemflow
