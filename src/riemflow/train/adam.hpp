#pragma once
// Adam (Kingma & Ba 2015).

#include <cmath>
#include <span>
#include <vector>

namespace riemflow {

struct AdamConfig {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

template <class T>
class Adam {
 public:
  Adam(std::size_t size, const AdamConfig& config) : config_(config), mean_(size), square_(size) {}

  /// m ← β₁m + (1−β₁)g,  v ← β₂v + (1−β₂)g²,  θ ← θ − rate·m̂/(√v̂ + ε), hats correcting the bias of the zero
  /// start.
  void step(std::span<T> parameters, std::span<const T> gradient, double rate) {
    ++steps_;
    const auto b1 = static_cast<T>(config_.beta1), b2 = static_cast<T>(config_.beta2);
    const auto scale = static_cast<T>(rate / (1 - std::pow(config_.beta1, static_cast<double>(steps_))));
    const auto root = static_cast<T>(1 / std::sqrt(1 - std::pow(config_.beta2, static_cast<double>(steps_))));
    const auto epsilon = static_cast<T>(config_.epsilon);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      mean_[i] = b1 * mean_[i] + (1 - b1) * gradient[i];
      square_[i] = b2 * square_[i] + (1 - b2) * gradient[i] * gradient[i];
      parameters[i] -= scale * mean_[i] / (std::sqrt(square_[i]) * root + epsilon);
    }
  }

  long steps() const { return steps_; }

 private:
  AdamConfig config_;
  long steps_ = 0;
  std::vector<T> mean_, square_;
};

}  // namespace riemflow
