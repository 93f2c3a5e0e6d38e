#pragma once
// What the manifolds share: the checks at the public door, and |x| for any finite x.

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/pack.hpp"

namespace riemflow {

/// Throws Error unless d ≥ 1.
inline void require_dimension(const std::string& kind, int d) {
  require(d >= 1, fmt::format("{}: dimension {} is not positive", kind, d),
          "give a dimension of 1 or more, as in " + kind + ":2");
}
/// Throws Error unless sign·K is within [1e-12, 1e12], where K and 1/K square safely in float.
inline void require_curvature(const std::string& kind, double K, int sign) {
  const double size = sign * K;
  const char* wanted = sign > 0 ? "positive" : "negative";
  require(std::isfinite(K) && size > 0, fmt::format("{}: curvature K = {} is not {}", kind, K, wanted),
          fmt::format("give a finite {} K, such as {}, or use euclidean for K = 0", wanted, sign));
  require(1e-12 <= size && size <= 1e12, fmt::format("{}: curvature K = {} is out of range", kind, K),
          "keep |K| between 1e-12 and 1e12, and rescale the data instead");
}

/// "²": d as a power, "^4" from 4 on.
inline std::string as_power(int d) {
  static constexpr const char* kPowers[] = {"⁰", "¹", "²", "³"};
  return d <= 3 ? kPowers[d] : "^" + std::to_string(d);
}

/// Of d dimensions, as in "nats per …".
inline std::string unit_of_size(int d) {
  return d == 1 ? "unit of length" : d == 2 ? "unit of area" : "unit of volume";
}

/// "rad³ × unit of volume"; equal ones beside each other as a power.
inline std::string product_of_units(const std::vector<std::string>& units) {
  std::string all;
  for (std::size_t i = 0, next = 0; i < units.size(); i = next) {
    while (next < units.size() && units[next] == units[i]) ++next;
    const int times = static_cast<int>(next - i);
    const bool word = units[i].find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
    all += all.empty() ? "" : " × ";
    all += times == 1 ? units[i] : (word ? units[i] : "(" + units[i] + ")") + as_power(times);
  }
  return all;
}

/// Why `point` cannot be one of `expected` finite numbers, counting coordinates from 1; nothing if it can.
template <class T>
std::optional<std::string> coordinate_defect(std::span<const T> point, int expected) {
  if (point.size() != static_cast<std::size_t>(expected))
    return fmt::format("{} coordinates where {} are expected", point.size(), expected);
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!std::isfinite(point[i])) return fmt::format("coordinate {} of {} is {}", i + 1, expected, point[i]);
  return std::nullopt;
}

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
