#pragma once
// The size of a gradient, and a limit to it.

#include <cmath>
#include <span>

namespace riemflow {

/// Euclidean norm, summed in double.
template <class T>
double gradient_norm(std::span<const T> gradient) {
  double squares = 0;
  for (T g : gradient) squares += static_cast<double>(g) * static_cast<double>(g);
  return std::sqrt(squares);
}

/// Scales the gradient down to `limit` if its norm (given) is larger; limit 0 means no limit.
template <class T>
void clip_gradient(std::span<T> gradient, double norm, double limit) {
  if (limit <= 0 || norm <= limit) return;
  const auto factor = static_cast<T>(limit / norm);
  for (T& g : gradient) g *= factor;
}

}  // namespace riemflow
