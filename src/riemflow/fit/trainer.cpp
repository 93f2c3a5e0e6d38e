#include "riemflow/fit/trainer.hpp"

#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

/// Points that targets of flow matching are averaged over.
constexpr std::size_t kMostGroup = 8192;
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
void Trainer<T>::begin(const Points<T>& data) {
  require(data.size() > 0, "there are no points to train on", "give at least one");
  if (batches_ && data_size_ == data.size()) return;
  flow_.check(data);  // here, where a point has its own number and not that of a batch
  batches_.emplace(data.size(), config_.batch, config_.seed);
  data_size_ = data.size();
}

template <class T>
StepReport Trainer<T>::step_likelihood(const Points<T>& data) {
  begin(data);
  return step_on(batches_->take(data, static_cast<std::uint64_t>(iteration_)));
}

template <class T>
StepReport Trainer<T>::step_on(const Points<T>& batch) {
  return update(flow_.nll_gradient(batch, gradient_, options()));
}

template <class T>
std::vector<StepReport> Trainer<T>::steps_likelihood(const Points<T>& data, long most) {
  begin(data);
  if (ResidentTraining<T>* device = flow_.resident()) {
    std::vector<StepReport> reports = resident_steps(*device, data, most, nullptr);
    if (!reports.empty()) return reports;
  }
  return {step_likelihood(data)};
}

template <class T>
std::vector<StepReport> Trainer<T>::steps_matching(const Points<T>& data, long most) {
  begin(data);
  if (ResidentTraining<T>* device = flow_.resident()) {
    const long change = group_end(data, iteration_);  // a stretch has one group
    std::vector<StepReport> reports = resident_steps(*device, data, std::min(most, change - iteration_),
                                                     &group(data, static_cast<std::uint64_t>(iteration_)));
    if (!reports.empty()) return reports;
  }
  return {step_matching(data)};
}

template <class T>
std::vector<StepReport> Trainer<T>::resident_steps(ResidentTraining<T>& device, const Points<T>& data, long n,
                                                   const Points<T>* group) {
  ResidentSteps<T> steps{data,
                         {},
                         config_.batch,
                         {},
                         {},
                         config_.adam.beta1,
                         config_.adam.beta2,
                         config_.adam.epsilon,
                         config_.clip,
                         config_.adam.decay,
                         config_.average,
                         config_.seed,
                         static_cast<std::uint64_t>(iteration_),
                         group};
  for (long t = iteration_; t < iteration_ + n; ++t) {
    steps.rates.push_back(config_.schedule.at(t));
    for (const std::size_t i : batches_->indices(static_cast<std::uint64_t>(t)))
      steps.picks.push_back(static_cast<std::uint32_t>(i));
  }
  AdamState<T> adam = adam_.state();
  MovingAverageState<T> average = average_ ? average_->state() : MovingAverageState<T>{};
  const std::vector<ResidentOutcome> outcomes =
      device.train(steps, {adam.mean, adam.square, average.average, adam.steps, average.steps, first_step_});
  std::vector<StepReport> reports;
  if (outcomes.empty()) return reports;
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
StepReport Trainer<T>::step_matching(const Points<T>& data) {
  begin(data);
  const auto t = static_cast<std::uint64_t>(iteration_);
  return update(flow_.matching_gradient(batches_->take(data, t), group(data, t), gradient_, options().key));
}

template <class T>
std::uint64_t Trainer<T>::group_batches() const {
  return std::max<std::size_t>(1, kMostGroup / config_.batch);
}

template <class T>
long Trainer<T>::group_end(const Points<T>& data, long t) const {
  if (data.size() <= kMostGroup) return std::numeric_limits<long>::max();
  const auto batches = static_cast<long>(group_batches());
  return (t / batches + 1) * batches;
}

/// All data or, of more than kMostGroup points, so many batches in a row, this one among them: a batch is a
/// random part of either.
template <class T>
const Points<T>& Trainer<T>::group(const Points<T>& data, std::uint64_t t) {
  if (data.size() <= kMostGroup) return data;
  const std::uint64_t batches = group_batches(), number = t / batches;
  if (number == group_number_) return group_;
  group_number_ = number;
  group_.dimension = data.dimension;
  group_.values.clear();
  for (std::uint64_t b = number * batches; b < (number + 1) * batches; ++b) {
    const Points<T> batch = batches_->take(data, b);
    group_.values.insert(group_.values.end(), batch.values.begin(), batch.values.end());
  }
  return group_;
}

template <class T>
StepReport Trainer<T>::step_reverse_kl(const Distribution<T>& target) {
  return update(flow_.reverse_kl_gradient(config_.batch, target, gradient_, options()));
}

template <class T>
StepReport Trainer<T>::update(Loss loss) {
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
