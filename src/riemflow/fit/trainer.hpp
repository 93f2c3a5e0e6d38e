#pragma once
// One training step after another: batch → gradient → clip → Adam → average.

#include <optional>
#include <vector>

#include "riemflow/fit/adam.hpp"
#include "riemflow/fit/batches.hpp"
#include "riemflow/fit/gradient.hpp"
#include "riemflow/fit/moving_average.hpp"
#include "riemflow/fit/schedule.hpp"
#include "riemflow/flow/transport.hpp"

namespace riemflow {

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

  /// Maximum likelihood on the next batch of `data`.
  StepReport step_likelihood(const Points<T>& data);
  /// The same up to `most` times; more than once only where the flow's device needs no host in between. A
  /// report a step, at least one.
  std::vector<StepReport> steps_likelihood(const Points<T>& data, long most);
  /// Flow matching on the next batch of `data`.
  StepReport step_matching(const Points<T>& data);
  /// As steps_likelihood.
  std::vector<StepReport> steps_matching(const Points<T>& data, long most);
  /// Maximum likelihood on these points, all of them.
  StepReport step_on(const Points<T>& batch);
  /// Reverse KL on fresh draws from the base. target: as flow.target_of makes it.
  StepReport step_reverse_kl(const Distribution<T>& target);

  long iteration() const { return iteration_; }
  TrainerState<T> state() const;
  /// Throws Error if the state is not one of this trainer's size.
  void restore(TrainerState<T> state);
  /// The moving average if there is one, else the flow's own parameters.
  std::span<const T> best_guess() const;

 private:
  StepReport update(Loss loss);
  void begin(const Points<T>& data);
  const Points<T>& group(const Points<T>& data, std::uint64_t t);
  /// Batches of a group, where the data are too many.
  std::uint64_t group_batches() const;
  /// The first step behind t that has another group.
  long group_end(const Points<T>& data, long t) const;
  /// None where these data cannot be trained on so. group: of flow matching; null: likelihood.
  std::vector<StepReport> resident_steps(ResidentTraining<T>& device, const Points<T>& data, long n,
                                         const Points<T>* group);
  GradientOptions options() const {
    return {{config_.seed, static_cast<std::uint64_t>(iteration_)}, first_step_};
  }

  Transport<T>& flow_;
  TrainConfig config_;
  Adam<T> adam_;
  std::optional<MovingAverage<T>> average_;
  std::optional<Batches> batches_;
  std::size_t data_size_ = 0;
  Points<T> group_;  // of flow matching, where the data are too many
  std::uint64_t group_number_ = ~std::uint64_t{0};
  std::vector<T> gradient_;
  long iteration_ = 0;
  double first_step_ = 0;  // of the last batch: solves of a few steps cannot afford to feel their way
};

}  // namespace riemflow
