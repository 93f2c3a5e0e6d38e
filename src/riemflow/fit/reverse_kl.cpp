#include "riemflow/fit/reverse_kl.hpp"

#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/target_score.hpp"
#include "riemflow/model/flow_density.hpp"

namespace riemflow {

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

template class ReverseKlObjective<float>;
template class ReverseKlObjective<double>;

}  // namespace riemflow
