#pragma once
// Adam (Kingma & Ba 2015), with decoupled weight decay (Loshchilov & Hutter 2019).

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace riemflow {

struct AdamConfig {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double decay = 0;  ///< of the weights
};

/// What Adam remembers.
template <class T>
struct AdamState {
  long steps = 0;
  std::vector<T> mean, square;
};

template <class T>
class Adam {
 public:
  Adam(std::size_t size, const AdamConfig& config)
      : config_(config), state_{0, std::vector<T>(size), std::vector<T>(size)} {}

  /// m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,  θ ← (1 − rate·decay)·θ − rate·m̂/(√v̂ + ε), hats
  /// correcting the bias of the zero start.
  void step(std::span<T> parameters, std::span<const T> gradient, double rate) {
    const auto steps = static_cast<double>(++state_.steps);
    std::vector<T>&mean = state_.mean, &square = state_.square;
    const auto b1 = static_cast<T>(config_.beta1), b2 = static_cast<T>(config_.beta2);
    const auto scale = static_cast<T>(rate / (1 - std::pow(config_.beta1, steps)));
    const auto root = static_cast<T>(1 / std::sqrt(1 - std::pow(config_.beta2, steps)));
    const auto epsilon = static_cast<T>(config_.epsilon);
    const auto keep = static_cast<T>(1 - rate * config_.decay);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      mean[i] = b1 * mean[i] + (1 - b1) * gradient[i];
      square[i] = b2 * square[i] + (1 - b2) * gradient[i] * gradient[i];
      parameters[i] = keep * parameters[i] - scale * mean[i] / (std::sqrt(square[i]) * root + epsilon);
    }
  }

  const AdamState<T>& state() const { return state_; }
  void restore(AdamState<T> state) { state_ = std::move(state); }

 private:
  AdamConfig config_;
  AdamState<T> state_;
};

}  // namespace riemflow
