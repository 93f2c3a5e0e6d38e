#include "riemflow/fit/target_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/draws.hpp"

namespace riemflow {

namespace {

void require_same_space(const Density& model, const Distribution<double>& target) {
  require(target.ambient() == model.manifold().ambient(),
          "the target " + target.name() + " is not on " + model.manifold().name(),
          "give a target on the model's manifold");
}

}  // namespace

TargetScore score_against(const Density& model, const Distribution<double>& target, std::size_t n,
                          std::uint64_t seed) {
  require_same_space(model, target);
  const Points<double> drawn = finite_points(model.sample(n, seed).frames.back());
  const LogProb<double> own = model.log_prob(drawn);
  const std::vector<double> truth = log_densities_of(target, drawn);

  std::vector<double> log_weight;
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (const double w = truth[i] - own.values[i]; !std::isnan(w)) log_weight.push_back(w);
  TargetScore score;
  score.draws = log_weight.size();
  score.failed = n - score.draws;
  if (log_weight.empty()) {
    score.reverse_kl = score.standard_error = score.effective_share =
        std::numeric_limits<double>::quiet_NaN();
    return score;
  }
  const auto count = static_cast<double>(log_weight.size());
  const double largest = *std::max_element(log_weight.begin(), log_weight.end());
  double sum = 0, square = 0, deviation = 0;
  for (const double w : log_weight) {
    score.reverse_kl -= w / count;
    const double weight = std::exp(w - largest);
    sum += weight;
    square += weight * weight;
  }
  for (const double w : log_weight) deviation += (w + score.reverse_kl) * (w + score.reverse_kl);
  score.standard_error = std::sqrt(deviation / (count * std::max(1.0, count - 1)));
  score.effective_share = sum * sum / (count * square);
  return score;
}

template <class T>
Points<T> target_draws(const Manifold<T>& manifold, const Distribution<double>& target, std::size_t n,
                       std::uint64_t seed, std::uint64_t iteration) {
  const Points<T> all = converted<T>(draws_of(target, n, seed, iteration, 0, Purpose::target_sample));
  Points<T> good(0, all.dimension);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!manifold.defect(all[i])) good.values.insert(good.values.end(), all[i].begin(), all[i].end());
  return good;
}

TargetCover cover_of(const Density& model, const Distribution<double>& target, std::size_t n,
                     std::uint64_t seed) {
  require_same_space(model, target);
  const Points<double> all = draws_of(target, n, seed, 0, 0, Purpose::target_sample);
  Points<double> drawn(0, all.dimension);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!model.defect(all[i])) drawn.values.insert(drawn.values.end(), all[i].begin(), all[i].end());
  const LogProb<double> own = model.log_prob(drawn);
  const std::vector<double> truth = log_densities_of(target, drawn);
  double sum = 0, square = 0, missed = 0;
  TargetCover cover;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double shortfall = truth[i] - own.values[i];
    if (std::isnan(shortfall)) continue;
    ++cover.draws;
    sum += shortfall;
    square += shortfall * shortfall;
    if (shortfall > -std::log(kMissed)) ++missed;
  }
  cover.failed = n - cover.draws;
  const auto count = static_cast<double>(cover.draws);  // of none: NaN
  cover.forward_kl = sum / count;
  cover.missed_share = missed / count;
  cover.standard_error = std::sqrt(std::max(0.0, square / count - cover.forward_kl * cover.forward_kl) /
                                   std::max(1.0, count - 1));
  return cover;
}

template Points<float> target_draws(const Manifold<float>&, const Distribution<double>&, std::size_t,
                                    std::uint64_t, std::uint64_t);
template Points<double> target_draws(const Manifold<double>&, const Distribution<double>&, std::size_t,
                                     std::uint64_t, std::uint64_t);

}  // namespace riemflow
