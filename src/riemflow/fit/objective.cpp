#include "riemflow/fit/objective.hpp"

#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/target_score.hpp"
#include "riemflow/model/flow_density.hpp"

namespace riemflow {

template <class T>
DataObjective<T>::DataObjective(Transport<T>& flow, const Points<T>& data, const TrainConfig& config,
                                const Points<T>* held_out, std::size_t part, SplitWeights weights)
    : TrainingObjective<T>(flow),
      data_(data),
      config_(config),
      weights_(std::move(weights)),
      batches_(data.size(), config.batch, config.seed, weights_.training),
      held_out_(held_out) {
  require(data.size() > 0, "there are no points to train on", "give at least one");
  flow.check(data);  // here, where a point has its own number and not that of a batch
  if (held_out == nullptr) return;
  require(held_out->size() > 0, "there are no points to validate on", "keep at least one aside");
  part_ = *held_out;
  if (part > 0 && part < part_.size()) part_.values.resize(part * static_cast<std::size_t>(part_.dimension));
}

template <class T>
std::optional<ResidentSteps<T>> DataObjective<T>::stretch(long first, long most) {
  ResidentSteps<T> steps{data_};
  steps.batch = config_.batch;
  steps.seed = config_.seed;
  steps.first = static_cast<std::uint64_t>(first);
  for (long t = first; t < first + most; ++t)
    for (const std::size_t i : batches_.indices(static_cast<std::uint64_t>(t)))
      steps.picks.push_back(static_cast<std::uint32_t>(i));
  return steps;
}

template <class T>
double DataObjective<T>::validation_loss(bool all) {
  const LogProb<T> scored = this->flow_.log_prob(all ? *held_out_ : part_, {config_.seed, 0});
  return scored.summary.ok() ? -scored.mean(weights_.validation) : std::numeric_limits<double>::infinity();
}

template <class T>
Loss LikelihoodObjective<T>::gradient(std::span<T> gradient, const GradientOptions& options) {
  const Points<T> batch = this->batches_.take(this->data_, options.key.iteration);
  return this->flow_.gradient_of(LikelihoodBatch{batch}, gradient, options);
}

template <class T>
Loss MatchingObjective<T>::gradient(std::span<T> gradient, const GradientOptions& options) {
  const Points<T> batch = this->batches_.take(this->data_, options.key.iteration);
  const Weights* weights = weighted() && !grouped() ? &this->weights_.training : nullptr;
  return this->flow_.gradient_of(MatchingBatch{batch, &group(options.key.iteration), weights}, gradient,
                                 options);
}

template <class T>
std::optional<ResidentSteps<T>> MatchingObjective<T>::stretch(long first, long most) {
  const auto together = static_cast<long>(batches_together());
  const long end = (first / together + 1) * together;
  auto steps = DataObjective<T>::stretch(first, grouped() ? std::min(most, end - first) : most);
  steps->group = &group(static_cast<std::uint64_t>(first));
  return steps;
}

template <class T>
const Points<T>& MatchingObjective<T>::group(std::uint64_t t) {
  if (!grouped()) return this->data_;
  const std::uint64_t together = batches_together(), number = t / together;
  if (number == group_number_) return group_;
  group_number_ = number;
  group_ = Points<T>(0, this->data_.dimension);
  for (std::uint64_t b = number * together; b < (number + 1) * together; ++b) {
    const Points<T> batch = this->batches_.take(this->data_, b);
    group_.values.insert(group_.values.end(), batch.values.begin(), batch.values.end());
  }
  return group_;
}

template <class T>
ReverseKlObjective<T>::ReverseKlObjective(Transport<T>& flow,
                                          std::shared_ptr<const Distribution<double>> target,
                                          const TrainConfig& config, long forward_start, std::size_t draws)
    : TrainingObjective<T>(flow),
      target_(std::move(target)),
      config_(config),
      forward_start_(forward_start),
      draws_(draws) {
  flow.check_target(*target_);
  require(draws > 0, "there are no draws to validate on", "give at least one");
}

template <class T>
Loss ReverseKlObjective<T>::gradient(std::span<T> gradient, const GradientOptions& options) {
  if (options.key.iteration >= static_cast<std::uint64_t>(forward_start_))
    return this->flow_.gradient_of(ReverseKlBatch{config_.batch, target_}, gradient, options);
  const Points<T> batch =
      target_draws(this->flow_.manifold(), *target_, config_.batch, config_.seed, options.key.iteration);
  Loss loss = this->flow_.gradient_of(LikelihoodBatch{batch}, gradient, options);
  double truth = 0;
  for (const double value : log_densities_of(*target_, converted<double>(batch)))
    truth += value / static_cast<double>(batch.size());
  loss.likelihood += truth;
  return loss;
}

template <class T>
double ReverseKlObjective<T>::validation_loss(bool) {
  const TargetScore score = score_against(seen_as_density(this->flow_), *target_, draws_, config_.seed);
  return score.failed == 0 ? score.reverse_kl : std::numeric_limits<double>::infinity();
}

template class DataObjective<float>;
template class DataObjective<double>;
template class LikelihoodObjective<float>;
template class LikelihoodObjective<double>;
template class MatchingObjective<float>;
template class MatchingObjective<double>;
template class ReverseKlObjective<float>;
template class ReverseKlObjective<double>;

}  // namespace riemflow
