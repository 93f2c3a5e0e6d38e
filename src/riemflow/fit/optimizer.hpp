#pragma once
// How a flow is trained, step by step: the rate over time, the size of a gradient and a limit to it, Adam,
// and the moving average of the parameters.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

namespace riemflow {

/// Learning rates over time.
struct Schedule {
  enum class Shape {
    constant,
    annealed,  ///< 0.98^(t/300), the paper's
    cosine     ///< from 1 to 0 over `iterations`
  };
  friend constexpr auto names_of(Shape) {
    return std::to_array<std::string_view>({"constant", "annealed", "cosine"});
  }
  Shape shape = Shape::constant;
  double rate = 1e-3;
  long iterations = 1;  ///< cosine's length

  /// The rate of iteration t = 0, 1, ….
  double at(long t) const {
    switch (shape) {
      case Shape::constant:
        break;
      case Shape::annealed:
        return rate * std::pow(0.98, static_cast<double>(t) / 300);
      case Shape::cosine: {
        const double share =
            std::min(1.0, static_cast<double>(t) / static_cast<double>(std::max(1L, iterations)));
        return rate * 0.5 * (1 + std::cos(std::numbers::pi * share));
      }
    }
    return rate;
  }
};

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

/// Adam (Kingma & Ba 2015), with decoupled weight decay (Loshchilov & Hutter 2019).
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

template <class T>
struct MovingAverageState {
  long steps = 0;
  std::vector<T> average;
};

/// Exponential moving average of the parameters:
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

/// The defaults are the paper's.
struct TrainConfig {
  std::size_t batch = 400;
  AdamConfig adam;
  Schedule schedule;
  double clip = 0;     ///< largest norm of a gradient; 0: no limit
  double average = 0;  ///< decay of the moving average of the parameters; 0: none
  std::uint64_t seed = 0;
};

/// Throws Error on a configuration that cannot be meant.
void validate(const TrainConfig& config);

}  // namespace riemflow
