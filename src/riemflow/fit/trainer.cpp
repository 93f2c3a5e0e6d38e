#include "riemflow/fit/trainer.hpp"

#include <algorithm>
#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

/// Points of a batch; what its gradient keeps is still some hundred megabytes.
constexpr std::size_t kMostBatch = std::size_t{1} << 18;

}  // namespace

void validate(const TrainConfig& config) {
  require(config.batch >= 1 && config.batch <= kMostBatch,
          "the batch has " + std::to_string(config.batch) + " points",
          "give 1 to " + std::to_string(kMostBatch) + " (400 is usual)");
  require(config.schedule.rate > 0 && std::isfinite(config.schedule.rate),
          "the learning rate is " + std::to_string(config.schedule.rate),
          "give a positive number (1e-3 is usual)");
  require(config.adam.beta1 >= 0 && config.adam.beta1 < 1 && config.adam.beta2 >= 0 &&
              config.adam.beta2 < 1 && config.adam.epsilon > 0,
          "Adam's settings are out of range", "give betas in [0, 1) and a positive epsilon");
  require(config.adam.decay >= 0 && config.adam.decay * config.schedule.rate < 1,
          "the weights' decay is " + std::to_string(config.adam.decay),
          "give a positive number below 1/rate, or 0 for none (0.01 is usual)");
  require(config.schedule.shape != Schedule::Shape::cosine || config.schedule.iterations > 1,
          "the cosine schedule has no length", "give it the number of iterations");
  require(config.clip >= 0, "the gradient's limit is " + std::to_string(config.clip),
          "give a positive number, or 0 for none");
  require(config.average >= 0 && config.average < 1,
          "the average's decay is " + std::to_string(config.average),
          "give a number in [0, 1), 0 for none (0.999 is usual)");
}

template <class T>
Trainer<T>::Trainer(Transport<T>& flow, const TrainConfig& config)
    : flow_(flow),
      config_(config),
      adam_(flow.parameters().size(), config.adam),
      gradient_(flow.parameters().size()) {
  validate(config);
  if (config.average > 0) average_.emplace(flow.parameters(), config.average);
}

template <class T>
std::vector<StepReport> Trainer<T>::steps(TrainingObjective<T>& objective, long most) {
  if (ResidentTraining<T>* device = flow_.resident())
    if (auto stretch = objective.stretch(iteration_, std::min(most, longest_stretch_))) {
      std::vector<StepReport> reports = resident_steps(*device, std::move(*stretch));
      if (!reports.empty()) return reports;
    }
  return {step(objective)};
}

template <class T>
std::vector<StepReport> Trainer<T>::resident_steps(ResidentTraining<T>& device, ResidentSteps<T> steps) {
  steps.beta1 = config_.adam.beta1;
  steps.beta2 = config_.adam.beta2;
  steps.epsilon = config_.adam.epsilon;
  steps.clip = config_.clip;
  steps.decay = config_.adam.decay;
  steps.average = config_.average;
  for (std::size_t t = 0; t < steps.picks.size() / steps.batch; ++t)
    steps.rates.push_back(config_.schedule.at(iteration_ + static_cast<long>(t)));
  const std::vector<T> start(flow_.parameters().begin(), flow_.parameters().end());
  const double first_step = first_step_;
  AdamState<T> adam;
  MovingAverageState<T> average;
  std::vector<ResidentOutcome> outcomes;
  for (;;) {
    adam = adam_.state();
    average = average_ ? average_->state() : MovingAverageState<T>{};
    outcomes = device.train(
        steps, {adam.mean, adam.square, average.average, adam.steps, average.steps, first_step_});
    if (outcomes.empty()) return {};
    const auto failed = std::find_if(outcomes.begin(), outcomes.end(),
                                     [](const ResidentOutcome& outcome) { return outcome.failed > 0; });
    if (failed == outcomes.end()) break;
    // The host solves the points of a tile that failed one by one. The stretch ends before that step.
    const auto before = static_cast<std::size_t>(failed - outcomes.begin());
    std::copy(start.begin(), start.end(), flow_.parameters().begin());
    first_step_ = first_step;
    longest_stretch_ = std::max(1L, static_cast<long>(before));
    if (before == 0) return {};
    steps.picks.resize(before * steps.batch);
    steps.rates.resize(before);
  }
  longest_stretch_ = std::min(2 * longest_stretch_, kLongestStretch);
  std::vector<StepReport> reports;
  adam_.restore(std::move(adam));
  if (average_) average_->restore(std::move(average));
  for (const ResidentOutcome& outcome : outcomes) {
    StepReport& report = reports.emplace_back();
    report.rate = config_.schedule.at(iteration_++);
    report.gradient_norm = outcome.gradient_norm;
    report.skipped = outcome.skipped != 0;
    report.failed = static_cast<std::size_t>(outcome.failed);
    report.loss.likelihood = outcome.likelihood;
    report.loss.kinetic = outcome.kinetic;
    report.loss.total = outcome.likelihood + flow_.config().regularisation.kinetic * outcome.kinetic;
    SolveSummary& summary = report.loss.summary;
    summary.points = config_.batch;
    summary.solves = static_cast<std::size_t>(outcome.solves);
    summary.evaluations = outcome.evaluations;
    summary.accepted = outcome.accepted;
    summary.rejected = outcome.rejected;
  }
  return reports;
}

template <class T>
StepReport Trainer<T>::step(TrainingObjective<T>& objective) {
  Loss loss =
      objective.gradient(gradient_, {{config_.seed, static_cast<std::uint64_t>(iteration_)}, first_step_});
  StepReport report;
  report.rate = config_.schedule.at(iteration_);
  report.gradient_norm = gradient_norm<T>(gradient_);
  // Adam squares the gradient in T.
  const double largest = std::sqrt(static_cast<double>(std::numeric_limits<T>::max()));
  report.skipped = !(report.gradient_norm < largest) || !std::isfinite(loss.total);
  first_step_ = loss.summary.first_step();
  report.failed = loss.summary.failures.size();
  report.loss = std::move(loss);
  ++iteration_;
  if (report.skipped) return report;
  clip_gradient<T>(gradient_, report.gradient_norm, config_.clip);
  adam_.step(flow_.parameters(), gradient_, report.rate);
  if (average_) average_->add(flow_.parameters());
  return report;
}

template <class T>
std::span<const T> Trainer<T>::best_guess() const {
  if (average_) return average_->parameters();
  return flow_.parameters();
}

template <class T>
TrainerState<T> Trainer<T>::state() const {
  return {iteration_, first_step_, adam_.state(), average_ ? average_->state() : MovingAverageState<T>{}};
}

template <class T>
void Trainer<T>::restore(TrainerState<T> state) {
  const std::size_t size = gradient_.size();
  require(state.adam.mean.size() == size && state.adam.square.size() == size &&
              state.average.average.size() == (average_ ? size : 0),
          "the saved state is of another training run", "resume with the settings the run was started with");
  iteration_ = state.iteration;
  first_step_ = state.first_step;
  adam_.restore(std::move(state.adam));
  if (average_) average_->restore(std::move(state.average));
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace riemflow
