#pragma once
// A whole fit: training steps, validation now and then, the best parameters kept, early stop. A state
// machine: step() does one iteration, so that the caller decides about progress lines, checkpoints, time
// limits and signals.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/fit/trainer.hpp"

namespace riemflow {

struct FitConfig {
  FlowConfig flow;  ///< its solver's tolerances are those of evaluation
  TrainConfig train;
  Objective objective = Objective::likelihood;
  double train_tolerance = 1e-3;
  long iterations = 20000;
  /// Likelihood steps after those of flow matching, from the best parameters, with an optimizer of their own.
  long finetune = 0;
  double finetune_rate = 1e-3;
  /// Of a fit to a target: the first steps, by likelihood on fresh draws of the target. Reverse KL alone
  /// settles on the modes that it happens to meet, and cannot see the others.
  long forward_start = 0;
  long validate_every = 100;
  long patience = 30;  ///< validations without a better one before stopping; 0: never stop early
  /// At most so many of the validation points, the first, in each validation, and all in the last; 0: all.
  /// A validation of a wide network costs as much as hundreds of steps of flow matching.
  std::size_t validation_points = 0;
};

void validate(const FitConfig& config);

/// Where a fit stands. Losses are in nats; NaN before the first validation.
struct FitProgress {
  long iteration = 0;
  double loss = 0;  ///< exponentially smoothed over about 50 batches
  double validation = 0;
  double best = 0;  ///< once finished that of all validation points, at the tolerances of evaluation
  long best_iteration = 0;
  double evaluations = 0;                       ///< a training solve
  double rate = 0;                              ///< learning rate
  long skipped = 0;                             ///< steps whose gradient was not finite
  long failed_points = 0;                       ///< of training solves, in all
  bool validated = false;                       ///< this step ended with a validation
  Objective objective = Objective::likelihood;  ///< the loss is of; a validation is always a likelihood's
};

/// Everything needed to go on as if the fit had never stopped.
template <class T>
struct FitState {
  TrainerState<T> trainer;
  std::vector<T> parameters, best_parameters;
  FitProgress progress;
  long validations_since_best = 0;
  long matched = 0;  ///< iterations before the fine-tuning; 0: it has not begun
};

template <class T>
class Fit {
 public:
  /// The flow is trained in place. Validation points: at least one.
  Fit(Transport<T>& flow, const FitConfig& config, Points<T> training, Points<T> validation,
      SplitWeights weights = {});
  /// By reverse KL against a density of the manifold; validated on `draws` fixed draws of the model.
  Fit(Transport<T>& flow, const FitConfig& config, std::shared_ptr<const Distribution<double>> target,
      std::size_t draws);
  Fit(const Fit&) = delete;
  Fit& operator=(const Fit&) = delete;

  bool done() const { return diverged() || (stage_done() && (matched_ > 0 || config_.finetune == 0)); }
  /// Why it ended before its time, if it did, as a clause; empty otherwise: kMostSkipped steps in a row
  /// without a finite gradient, or kMostInfinite validations in a row that were not finite. What counts is
  /// since the fit began or was restored.
  std::string divergence() const;
  static constexpr long kMostSkipped = 10, kMostInfinite = 5;
  /// Whether it ended, if it did, for want of better validations.
  bool out_of_patience() const { return config_.patience > 0 && validations_since_best_ >= config_.patience; }
  const FitProgress& step() {
    run(1, {});
    return progress_;
  }
  /// One step, or, where the flow trains on a device of its own, up to 100, none behind the next validation;
  /// seen(progress) after each.
  void advance(const std::function<void(const FitProgress&)>& seen);
  const FitProgress& progress() const { return progress_; }

  FitState<T> state() const;
  void restore(const FitState<T>& state);

  /// Validates if that was never done, and leaves the flow with the best parameters and the tolerances of
  /// evaluation.
  void finish();
  /// Estimate, by the last validation, of what finish() and the densities of `more` points will take; 0
  /// before the first, and of a fit to a target.
  double seconds_to_finish(std::size_t more) const;
  std::span<const T> best_parameters() const { return best_parameters_; }

 private:
  static constexpr double kNotYet = std::numeric_limits<double>::quiet_NaN();

  /// The last iteration of flow matching, or of the fine-tuning.
  long last() const { return matched_ > 0 ? matched_ + config_.finetune : config_.iterations; }
  bool stage_done() const { return progress_.iteration >= last() || out_of_patience(); }
  bool diverged() const { return skipped_in_row_ >= kMostSkipped || infinite_in_row_ >= kMostInfinite; }
  void begin(Objective objective, const TrainConfig& train);
  void begin_finetuning();
  /// At most `most` steps; seen may be empty.
  void run(long most, const std::function<void(const FitProgress&)>& seen);
  void note(const StepReport& step);
  void run_validation();
  bool validates(long iteration) const {
    return iteration % config_.validate_every == 0 || iteration == last();
  }
  void undone_if_cancelled(bool validates, const std::function<void()>& steps);

  Transport<T>& flow_;
  FitConfig config_;
  Points<T> training_, validation_;
  SplitWeights weights_;
  std::unique_ptr<TrainingObjective<T>> objective_;
  std::optional<Trainer<T>> trainer_;
  bool rough_ = false;  // validations are, and the best is scored again, on all points, by finish()
  FitProgress progress_{.loss = kNotYet, .validation = kNotYet, .best = kNotYet};
  std::vector<T> best_parameters_;
  long validations_since_best_ = 0, matched_ = 0;
  long skipped_in_row_ = 0, infinite_in_row_ = 0;
  double seconds_of_validation_ = 0;
};

}  // namespace riemflow
