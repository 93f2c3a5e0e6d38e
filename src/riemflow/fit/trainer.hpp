#pragma once
// One training step after another: gradient → clip → Adam → average.

#include <optional>
#include <vector>

#include "riemflow/fit/objective.hpp"
#include "riemflow/fit/optimizer.hpp"

namespace riemflow {

struct StepReport {
  Loss loss;
  double gradient_norm = 0;
  double rate = 0;
  std::size_t failed = 0;  ///< points
  bool skipped = false;    ///< the gradient was not finite: parameters and optimizer are as before
};

/// What a trainer needs, beside the flow's parameters, to go on as if it had never stopped.
template <class T>
struct TrainerState {
  long iteration = 0;
  double first_step = 0;
  AdamState<T> adam;
  MovingAverageState<T> average;  ///< empty where there is none
};

template <class T>
class Trainer {
 public:
  /// The flow is trained in place and must outlive the trainer.
  Trainer(Transport<T>& flow, const TrainConfig& config);

  /// One step on the objective's next batch.
  StepReport step(TrainingObjective<T>& objective);
  /// Up to `most` steps; more than one only where the flow's device needs no host in between. A report a
  /// step, at least one.
  std::vector<StepReport> steps(TrainingObjective<T>& objective, long most);

  long iteration() const { return iteration_; }
  TrainerState<T> state() const;
  /// Throws Error if the state is not one of this trainer's size.
  void restore(TrainerState<T> state);
  /// The moving average if there is one, else the flow's own parameters.
  std::span<const T> best_guess() const;

 private:
  /// None where these data cannot be trained on so, and where the first of the steps is the host's.
  std::vector<StepReport> resident_steps(ResidentTraining<T>& device, ResidentSteps<T> steps);

  Transport<T>& flow_;
  TrainConfig config_;
  Adam<T> adam_;
  std::optional<MovingAverage<T>> average_;
  std::vector<T> gradient_;
  static constexpr long kLongestStretch = 1 << 20;
  long iteration_ = 0;
  long longest_stretch_ = kLongestStretch;  // of a device's steps: less where points have failed of late
  double first_step_ = 0;  // of the last batch: solves of a few steps cannot afford to feel their way
};

}  // namespace riemflow
