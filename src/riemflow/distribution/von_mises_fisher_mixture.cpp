#include "riemflow/distribution/von_mises_fisher_mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
VonMisesFisherMixture<T>::VonMisesFisherMixture(MixtureParameters parameters)
    : parameters_(std::move(parameters)) {
  const std::size_t K = parameters_.size();
  require(K > 0 && parameters_.means.size() == K && parameters_.kappas.size() == K,
          fmt::format("a mixture of {} means, {} weights and {} concentrations", parameters_.means.size(), K,
                      parameters_.kappas.size()),
          "give one of each a component, and a component at least");
  double total = 0;
  for (const double w : parameters_.weights) {
    require(w >= 0 && std::isfinite(w), fmt::format("mixture weight {}", w), "use 0 <= weight < infinity");
    total += w;
  }
  require(total > 0 && std::isfinite(total), fmt::format("mixture weights of sum {}", total),
          "give one of them a value > 0");
  double sum = 0;
  for (std::size_t k = 0; k < K; ++k) {
    const auto mean = parameters_.means[k];
    Eigen::Map<Eigen::VectorXd> mu(mean.data(), ambient());
    components_.emplace_back(mu, parameters_.kappas[k]);  // checks both
    mu.stableNormalize();
    const double w = parameters_.weights[k] /= total;
    log_weights_.push_back(std::log(w));
    cumulative_.push_back(sum += w);
  }
}

template <class T>
std::string VonMisesFisherMixture<T>::name() const {
  return fmt::format("von-mises-fisher-mixture:{},components={}", ambient() - 1, parameters_.size());
}

/// log p and, where asked for, its gradient, in two rounds over the components: the largest exponent, then
/// the sum.
template <class T>
Pack<T> VonMisesFisherMixture<T>::evaluate(const Pack<T>* x, Pack<T>* gradient) const {
  std::vector<Pack<T>> exponents(components_.size());
  Pack<T> largest(-std::numeric_limits<T>::infinity());
  for (std::size_t k = 0; k < components_.size(); ++k) {
    exponents[k] = components_[k].log_density_of(x) + Pack<T>(log_weights_[k]);
    largest = max(largest, exponents[k]);
  }
  Pack<T> sum(0);
  if (gradient != nullptr) std::fill(gradient, gradient + ambient(), Pack<T>(0));
  for (std::size_t k = 0; k < components_.size(); ++k) {
    const Pack<T> share = exp(exponents[k] - largest);
    sum += share;
    if (gradient == nullptr) continue;
    const Pack<T> pull = share * Pack<T>(parameters_.kappas[k]);
    const auto mean = parameters_.means[k];
    for (int i = 0; i < ambient(); ++i)
      gradient[i] += pull * (Pack<T>(mean[static_cast<std::size_t>(i)]) - x[i]);
  }
  if (gradient != nullptr)
    for (int i = 0; i < ambient(); ++i) gradient[i] /= sum;
  return largest + log(sum);
}

template <class T>
void VonMisesFisherMixture<T>::sample(Random& random, Pack<T>* x, int lane) const {
  // The first component whose cumulative weight is beyond u·Σw: one of weight 0 is never it.
  const double u = random.uniform() * cumulative_.back();
  const auto chosen = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
  const auto k = std::min<std::ptrdiff_t>(chosen - cumulative_.begin(), std::ssize(cumulative_) - 1);
  components_[static_cast<std::size_t>(k)].sample(random, x, lane);
}

template <class T>
std::vector<double> VonMisesFisherMixture<T>::log_prob(const Points<double>& points,
                                                       Executor* executor) const {
  require(points.dimension == ambient() || points.values.empty(),
          fmt::format("the points have {} coordinates", points.dimension),
          fmt::format("the mixture has {}", ambient()), Fault::bad_data);
  std::vector<double> values(points.size());
  MixtureEvaluator(parameters_, executor).log_prob(points, values, executor);
  return values;
}

template class VonMisesFisherMixture<float>;
template class VonMisesFisherMixture<double>;

}  // namespace riemflow
