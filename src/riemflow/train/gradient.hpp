#pragma once
// Small operations on gradient and parameter vectors.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

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

/// Exponential moving average of the parameters: a ← decay·a + (1 − decay)·θ, with the start's bias removed
/// by letting the decay grow from 0 as (1 + t)/(10 + t) until it reaches its value.
template <class T>
class MovingAverage {
 public:
  MovingAverage(std::span<const T> parameters, double decay)
      : decay_(decay), average_(parameters.begin(), parameters.end()) {}

  void add(std::span<const T> parameters) {
    ++steps_;
    const double warm = (1 + static_cast<double>(steps_)) / (10 + static_cast<double>(steps_));
    const auto keep = static_cast<T>(std::min(decay_, warm));
    for (std::size_t i = 0; i < average_.size(); ++i)
      average_[i] = keep * average_[i] + (1 - keep) * parameters[i];
  }
  std::span<const T> parameters() const { return average_; }

 private:
  double decay_;
  long steps_ = 0;
  std::vector<T> average_;
};

}  // namespace riemflow
