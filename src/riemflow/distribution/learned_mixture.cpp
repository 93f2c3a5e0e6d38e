#include "riemflow/distribution/learned_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/distribution/von_mises_fisher_constants.hpp"

namespace riemflow {

void add_mixture_blocks(ParameterLayout& layout, int components, int ambient) {
  layout.add("base.logit", components, 1);
  layout.add("base.mean", components, ambient);
  layout.add("base.log_concentration", components, 1);
}

template <class T>
LearnedMixture<T>::LearnedMixture(int components, int ambient) : components_(components), ambient_(ambient) {
  set(spread(components, ambient, 0));
}

template <class T>
std::vector<T> LearnedMixture<T>::spread(int components, int ambient, std::uint64_t seed) {
  MixtureParameters mixture;
  const auto K = static_cast<std::size_t>(components);
  mixture.means = Points<double>(K, ambient);
  for (std::size_t k = 0; k < K; ++k) {
    Random random(seed, Purpose::mixture_start, 1, k);
    for (double& m : mixture.means[k]) m = random.normal();
  }
  mixture.weights.assign(K, 1.0 / components);
  mixture.kappas.assign(K, std::pow(components, 2.0 / (ambient - 1)));
  return parameters_of(mixture);
}

template <class T>
std::vector<T> LearnedMixture<T>::parameters_of(const MixtureParameters& mixture) {
  std::vector<T> parameters;
  // A weight of 0 has no logarithm, and no gradient to come back by.
  const double least = 1e-6 / static_cast<double>(mixture.size());
  for (const double w : mixture.weights) parameters.push_back(static_cast<T>(std::log(std::max(w, least))));
  for (const double m : mixture.means.values) parameters.push_back(static_cast<T>(m));
  for (const double kappa : mixture.kappas)
    parameters.push_back(static_cast<T>(std::log(std::clamp(kappa, kLeast, kMost))));
  return parameters;
}

template <class T>
void LearnedMixture<T>::set(std::span<const T> parameters) {
  if (std::equal(parameters.begin(), parameters.end(), parameters_.begin(), parameters_.end())) return;
  const auto K = static_cast<std::size_t>(components_), D = static_cast<std::size_t>(ambient_);
  MixtureParameters mixture;
  mixture.means = Points<double>(K, ambient_);
  mixture.weights.resize(K);
  mixture.kappas.resize(K);
  length_.assign(K, 0);
  const auto top =
      static_cast<double>(*std::max_element(parameters.begin(), parameters.begin() + components_));
  for (std::size_t k = 0; k < K; ++k) {
    mixture.weights[k] = std::exp(static_cast<double>(parameters[k]) - top);
    for (std::size_t i = 0; i < D; ++i) {
      const auto m = static_cast<double>(parameters[K + k * D + i]);
      mixture.means[k][i] = m;
      length_[k] += m * m;
    }
    length_[k] = std::sqrt(length_[k]);
    if (!(length_[k] > 0)) mixture.means[k][0] = length_[k] = 1;  // no direction: any
    const auto c = static_cast<double>(parameters[K + K * D + k]);
    mixture.kappas[k] = std::exp(std::clamp(c, std::log(kLeast), std::log(kMost)));
  }
  mixture_ = std::make_unique<VonMisesFisherMixture<T>>(std::move(mixture));
  peak_.resize(K);
  drop_.resize(K);
  for (std::size_t k = 0; k < K; ++k) {
    const auto constants = von_mises_fisher_constants(ambient_ - 1, mixture_->parameters().kappas[k]);
    peak_[k] = std::log(mixture_->parameters().weights[k]) + constants.log_peak;
    drop_[k] = constants.mean_drop;
  }
  parameters_.assign(parameters.begin(), parameters.end());
}

template <class T>
void LearnedMixture<T>::add_gradient(const Pack<T>* x, const Pack<T>& weight, T* bar) const {
  const auto K = static_cast<std::size_t>(components_), D = static_cast<std::size_t>(ambient_);
  const MixtureParameters& mixture = mixture_->parameters();
  const Pack<T> log_density = mixture_->log_density(x);
  T *logit_bar = bar, *mean_bar = bar + K, *concentration_bar = bar + K + K * D;
  for (std::size_t k = 0; k < K; ++k) {
    const auto mean = mixture.means[k];
    const double kappa = mixture.kappas[k];
    const auto c = static_cast<double>(parameters_[K + K * D + k]);
    const bool held = c <= std::log(kLeast) || c >= std::log(kMost);
    double logit = 0, concentration = 0;
    std::vector<double> pull(D);
    for (int l = 0; l < kLanes; ++l) {
      const auto w = static_cast<double>(weight[l]);
      if (w == 0) continue;
      double square = 0, along = 0;
      for (std::size_t i = 0; i < D; ++i) {
        const auto xi = static_cast<double>(x[i][l]);
        square += (xi - mean[i]) * (xi - mean[i]);
        along += xi * mean[i];
      }
      const double share = std::exp(peak_[k] - 0.5 * kappa * square - static_cast<double>(log_density[l]));
      logit += w * (share - mixture.weights[k]);
      concentration += w * share * kappa * (drop_[k] - 0.5 * square);
      for (std::size_t i = 0; i < D; ++i)
        pull[i] += w * share * kappa * (static_cast<double>(x[i][l]) - along * mean[i]) / length_[k];
    }
    logit_bar[k] += static_cast<T>(logit);
    for (std::size_t i = 0; i < D; ++i) mean_bar[k * D + i] += static_cast<T>(pull[i]);
    if (!held) concentration_bar[k] += static_cast<T>(concentration);
  }
}

template class LearnedMixture<float>;
template class LearnedMixture<double>;

}  // namespace riemflow
