#pragma once
// Exponential moving average of the parameters.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace riemflow {

template <class T>
struct MovingAverageState {
  long steps = 0;
  std::vector<T> average;
};

/// a ← decay·a + (1 − decay)·θ, with the start's bias removed by letting the decay grow from 0 as (1 + t)/(10
/// + t) until it reaches its value.
template <class T>
class MovingAverage {
 public:
  MovingAverage(std::span<const T> parameters, double decay)
      : decay_(decay), state_{0, {parameters.begin(), parameters.end()}} {}

  void add(std::span<const T> parameters) {
    ++state_.steps;
    const double warm = (1 + static_cast<double>(state_.steps)) / (10 + static_cast<double>(state_.steps));
    const auto keep = static_cast<T>(std::min(decay_, warm));
    std::vector<T>& average = state_.average;
    for (std::size_t i = 0; i < average.size(); ++i)
      average[i] = keep * average[i] + (1 - keep) * parameters[i];
  }
  std::span<const T> parameters() const { return state_.average; }

  const MovingAverageState<T>& state() const { return state_; }
  void restore(MovingAverageState<T> state) { state_ = std::move(state); }

 private:
  double decay_;
  MovingAverageState<T> state_;
};

}  // namespace riemflow
