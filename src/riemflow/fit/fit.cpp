#include "riemflow/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

constexpr double kSmoothing = 0.02;
/// Steps on a device of its own between two looks of the host at the time and at Ctrl-C.
constexpr long kMostAtOnce = 100;

}  // namespace

void validate(const FitConfig& config) {
  validate(config.flow);
  validate(config.train);
  require(config.train_tolerance > 0 && config.train_tolerance < 1,
          "the training tolerance is " + std::to_string(config.train_tolerance),
          "give a number between 0 and 1 (1e-3 is usual)");
  require(config.iterations >= 1, "the number of iterations is " + std::to_string(config.iterations),
          "give at least 1");
  require(config.validate_every >= 1,
          "validation every " + std::to_string(config.validate_every) + " iterations",
          "give at least 1 (100 is usual)");
  require(config.finetune >= 0, "fine-tuning of " + std::to_string(config.finetune) + " steps",
          "give a number of steps, or 0 for none");
  require(config.finetune == 0 || config.objective == Objective::flow_matching,
          "fine-tuning after training by likelihood",
          "it follows ‹objective› flow-matching: give more ‹iterations› instead");
  require(config.finetune == 0 || (config.finetune_rate > 0 && std::isfinite(config.finetune_rate)),
          "the learning rate of the fine-tuning is " + std::to_string(config.finetune_rate),
          "give a positive number (1e-3 is usual)");
  require(config.forward_start >= 0,
          "a start of " + std::to_string(config.forward_start) + " steps on draws of the target",
          "give a number of steps, or 0 for none");
  require(config.patience >= 0, "the patience is " + std::to_string(config.patience),
          "give a number of validations, or 0 to never stop early");
}

template <class T>
Fit<T>::Fit(Transport<T>& flow, const FitConfig& config, Points<T> training, Points<T> validation,
            SplitWeights weights)
    : flow_(flow),
      config_(config),
      training_(std::move(training)),
      validation_(std::move(validation)),
      weights_(std::move(weights)),
      best_parameters_(flow.parameters().begin(), flow.parameters().end()) {
  validate(config);
  begin(config.objective, config.train);
  rough_ = config.objective == Objective::flow_matching ||
           objective_->validated(false) < objective_->validated(true);
}

template <class T>
Fit<T>::Fit(Transport<T>& flow, const FitConfig& config, std::shared_ptr<const Distribution<double>> target,
            std::size_t draws)
    : flow_(flow),
      config_(config),
      objective_(std::make_unique<ReverseKlObjective<T>>(flow, std::move(target), config.train,
                                                         config.forward_start, draws)),
      trainer_(std::in_place, flow, config.train),
      best_parameters_(flow.parameters().begin(), flow.parameters().end()) {
  validate(config);
}

template <class T>
void Fit<T>::begin(Objective objective, const TrainConfig& train) {
  objective_ =
      make_objective(objective, flow_, training_, train, &validation_, config_.validation_points, weights_);
  trainer_.emplace(flow_, train);
}

template <class T>
void Fit<T>::begin_finetuning() {
  TrainConfig train = config_.train;
  train.schedule.rate = config_.finetune_rate;
  train.schedule.iterations = std::max(2L, config_.finetune);
  begin(Objective::likelihood, train);
}

template <class T>
void Fit<T>::run(long most, const std::function<void(const FitProgress&)>& seen) {
  if (stage_done() && !done()) {
    matched_ = progress_.iteration;
    validations_since_best_ = infinite_in_row_ = 0;
    progress_.loss = kNotYet;  // another quantity from here on
    std::copy(best_parameters_.begin(), best_parameters_.end(), flow_.parameters().begin());
    begin_finetuning();
  }
  flow_.set_tolerance(config_.train_tolerance, config_.train_tolerance);
  const long validation = (progress_.iteration / config_.validate_every + 1) * config_.validate_every;
  most = std::clamp(std::min(validation, last()) - progress_.iteration, 1L, most);
  undone_if_cancelled(validates(progress_.iteration + most), [&] {
    for (const StepReport& report : trainer_->steps(*objective_, most)) {
      note(report);
      if (seen) seen(progress_);
    }
  });
}

/// A step that was made and not validated is none to go on from.
template <class T>
void Fit<T>::undone_if_cancelled(bool validates, const std::function<void()>& steps) {
  if (!validates || CancelScope::current() == nullptr) return steps();
  const FitState<T> before = state();
  try {
    steps();
  } catch (const Cancelled&) {
    restore(before);
    throw;
  }
}

template <class T>
std::string Fit<T>::divergence() const {
  if (skipped_in_row_ >= kMostSkipped)
    return std::to_string(skipped_in_row_) + " steps in a row had no finite gradient";
  if (infinite_in_row_ >= kMostInfinite)
    return std::to_string(infinite_in_row_) + " validations in a row were not finite";
  return "";
}

template <class T>
void Fit<T>::advance(const std::function<void(const FitProgress&)>& seen) {
  run(flow_.resident() == nullptr ? 1 : kMostAtOnce, seen);
}

template <class T>
void Fit<T>::note(const StepReport& step) {
  ++progress_.iteration;
  progress_.objective = objective_->kind();
  progress_.evaluations = step.loss.summary.mean_evaluations();
  progress_.rate = step.rate;
  progress_.failed_points += static_cast<long>(step.failed);
  skipped_in_row_ = step.skipped ? skipped_in_row_ + 1 : 0;
  if (step.skipped)
    ++progress_.skipped;
  else if (std::isnan(progress_.loss))
    progress_.loss = step.loss.likelihood;
  else
    progress_.loss += kSmoothing * (step.loss.likelihood - progress_.loss);
  progress_.validated = validates(progress_.iteration);
  if (progress_.validated) run_validation();
}

/// Scores what would be kept (the moving average if there is one), at the tolerances of evaluation unless the
/// best is scored again in the end.
template <class T>
void Fit<T>::run_validation() {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<T> current(flow_.parameters().begin(), flow_.parameters().end());
  const std::vector<T> candidate(trainer_->best_guess().begin(), trainer_->best_guess().end());
  std::copy(candidate.begin(), candidate.end(), flow_.parameters().begin());
  if (!rough_) flow_.set_tolerance(config_.flow.solver.rtol, config_.flow.solver.atol);
  progress_.validation = objective_->validation_loss(false);
  seconds_of_validation_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::copy(current.begin(), current.end(), flow_.parameters().begin());
  infinite_in_row_ = std::isfinite(progress_.validation) ? 0 : infinite_in_row_ + 1;
  if (std::isnan(progress_.best) || progress_.validation < progress_.best) {
    progress_.best = progress_.validation;
    progress_.best_iteration = progress_.iteration;
    best_parameters_ = candidate;
    validations_since_best_ = 0;
  } else {
    ++validations_since_best_;
  }
}

template <class T>
FitState<T> Fit<T>::state() const {
  return {trainer_->state(),       {flow_.parameters().begin(), flow_.parameters().end()},
          best_parameters_,        progress_,
          validations_since_best_, matched_};
}

template <class T>
void Fit<T>::restore(const FitState<T>& state) {
  require(state.parameters.size() == flow_.parameters().size() &&
              state.best_parameters.size() == flow_.parameters().size(),
          "the saved state is of another network", "resume with the settings the run was started with");
  require(state.matched <= state.progress.iteration, "the saved state is fine-tuned before it was trained",
          "resume with the settings the run was started with");
  if (state.matched > 0) begin_finetuning();
  trainer_->restore(state.trainer);
  std::copy(state.parameters.begin(), state.parameters.end(), flow_.parameters().begin());
  best_parameters_ = state.best_parameters;
  progress_ = state.progress;
  validations_since_best_ = state.validations_since_best;
  matched_ = state.matched;
}

/// Rough validations take about a third of what exact ones do.
template <class T>
double Fit<T>::seconds_to_finish(std::size_t more) const {
  const std::size_t again = rough_ ? objective_->validated(true) : 0;
  return (rough_ ? 3 : 1) * seconds_of_validation_ * static_cast<double>(more + again) /
         static_cast<double>(objective_->validated(false));
}

template <class T>
void Fit<T>::finish() {
  if (std::isnan(progress_.best) && progress_.iteration > 0) run_validation();
  std::copy(best_parameters_.begin(), best_parameters_.end(), flow_.parameters().begin());
  flow_.set_tolerance(config_.flow.solver.rtol, config_.flow.solver.atol);
  if (rough_ && progress_.iteration > 0) progress_.best = objective_->validation_loss(true);
}

template class Fit<float>;
template class Fit<double>;

}  // namespace riemflow
