#include "riemflow/fit/mixture_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/distribution/von_mises_fisher_constants.hpp"
#include "riemflow/fit/batches.hpp"
#include "riemflow/fit/riemannian_adam.hpp"

namespace riemflow {
namespace {

using Eigen::Index;

double clamped(double kappa, const MixtureBounds& bounds) {
  return std::clamp(kappa, bounds.kappa_floor, bounds.kappa_ceiling);
}

void check(const MixtureBounds& bounds) {
  require(bounds.kappa_floor > 0 && bounds.kappa_floor <= bounds.kappa_ceiling &&
              std::isfinite(bounds.kappa_ceiling),
          fmt::format("concentrations between {} and {}", bounds.kappa_floor, bounds.kappa_ceiling),
          "use 0 < floor <= ceiling < infinity");
}

void check(const MixtureParameters& start, const Points<double>& training, const Points<double>& validation,
           const SplitWeights& weights, std::size_t lifts) {
  require(start.size() > 0, "a mixture of no components", "give one at least");
  require(training.size() > 0 && validation.size() > 0, "a mixture cannot be fitted without points",
          "give training and validation points", Fault::bad_data);
  require(training.dimension == start.means.dimension && validation.dimension == start.means.dimension,
          fmt::format("points of {} and {} coordinates, means of {}", training.dimension,
                      validation.dimension, start.means.dimension),
          "give all of them on the same sphere", Fault::bad_data);
  require(
      lifts > 0 && training.size() % lifts == 0 && validation.size() % lifts == 0,
      fmt::format("{} and {} rows of points with {} lifts each", training.size(), validation.size(), lifts),
      "give all lifts of each point", Fault::internal);
  require((weights.training.empty() || weights.training.size() == training.size() / lifts) &&
              (weights.validation.empty() || weights.validation.size() == validation.size() / lifts),
          "weights that are not one a point", "give as many as there are points, or none", Fault::bad_data);
}

/// log Σ_s exp(above[s]) over the lifts of a point.
double log_sum(std::span<const double> above) {
  const double most = *std::max_element(above.begin(), above.end());
  double sum = 0;
  for (const double value : above) sum += std::exp(value - most);
  return most + std::log(sum);
}

/// above[row] becomes values[i] = log p, the sum over the lifts of point i.
void fold(const std::vector<double>& above, std::size_t lifts, std::vector<double>& values) {
  values.resize(above.size() / lifts);
  if (lifts == 1) {
    values = above;
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = log_sum({&above[i * lifts], lifts});
}

/// values (=) = log p of each point. ∂ log p = Σ_s p_s/p ∂ log p_s: the sums are over lifts, each with that
/// share of its point's weight.
MixtureSums folded_sums(const MixtureEvaluator& evaluator, const Points<double>& points, std::size_t lifts,
                        std::vector<double>& values, Executor& executor, const Weights& weights) {
  std::vector<double> above(points.size());
  if (lifts == 1) {
    values.resize(points.size());
    return evaluator.sums(points, values, &executor, weights);
  }
  evaluator.log_prob(points, above, &executor);
  fold(above, lifts, values);
  Weights shares(points.size());
  double likelihood = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    likelihood += weight_of(weights, i) * values[i];
    for (std::size_t row = i * lifts; row < (i + 1) * lifts; ++row)
      shares[row] = weight_of(weights, i) * std::exp(above[row] - values[i]);
  }
  MixtureSums sums = evaluator.sums(points, above, &executor, shares);
  sums.log_likelihood = likelihood;
  return sums;
}

/// Keeps the parameters of the best validation.
class BestByValidation {
 public:
  BestByValidation(const Points<double>& points, std::size_t lifts, const Weights& weights,
                   Executor& executor, MixtureFit& fit)
      : points_(points),
        lifts_(lifts),
        weights_(weights),
        executor_(executor),
        fit_(fit),
        above_(points.size()) {
    fit_.validation = std::numeric_limits<double>::infinity();
  }

  /// Returns the score.
  double consider(const MixtureParameters& parameters, long when) {
    MixtureEvaluator(parameters, &executor_).log_prob(points_, above_, &executor_);
    fold(above_, lifts_, values_);
    const double score = -weighted_mean(values_, weights_);
    if (!(score < fit_.validation)) return score;
    fit_.validation = score;
    fit_.best = when;
    fit_.parameters = parameters;
    return score;
  }

 private:
  const Points<double>& points_;
  std::size_t lifts_;
  const Weights& weights_;
  Executor& executor_;
  MixtureFit& fit_;
  std::vector<double> above_, values_;  // of lifts, of points
};

/// Tells the watch, if there is one; false where it asks to stop.
bool go_on(const MixtureWatch& watch, MixtureProgress& progress, const MixtureFit& fit, long done) {
  progress.epoch = done;
  progress.training = fit.training.back();
  progress.best = fit.validation;
  progress.best_epoch = fit.best;
  return !watch || watch(progress);
}

double half_square_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum / 2;
}

/// w = softmax(logits).
void softmax(std::span<const double> logits, std::span<double> w) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (std::size_t k = 0; k < w.size(); ++k) sum += w[k] = std::exp(logits[k] - largest);
  for (double& w_k : w) w_k /= sum;
}

}  // namespace

MixtureParameters mixture_start(const Points<double>& training, std::size_t components, std::uint64_t seed,
                                const MixtureBounds& bounds, const Weights& weights, std::size_t lifts) {
  check(bounds);
  const std::size_t n = training.size() / lifts;
  require(components > 0 && components <= n,
          fmt::format("a mixture of {} components for {} points", components, n),
          "use from one component to as many as there are points");
  Random random(seed, Purpose::mixture_start, 0, components);
  MixtureParameters start{Points<double>(components, training.dimension),
                          std::vector<double>(components, 1 / static_cast<double>(components)),
                          {}};
  std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
  std::size_t chosen = 0;
  if (weights.empty()) {
    chosen = random.below(n);
  } else {
    double rest = random.uniform() * total_weight(weights, n);
    while (chosen + 1 < n && (rest -= weights[chosen]) >= 0) ++chosen;
  }
  double total = 0;
  for (std::size_t k = 0;; ++k) {
    const std::span<const double> mean = training[chosen * lifts];
    std::copy(mean.begin(), mean.end(), start.means[k].begin());
    total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t row = i * lifts; row < (i + 1) * lifts; ++row)
        nearest[i] = std::min(nearest[i], half_square_distance(training[row], mean));
      total += weight_of(weights, i) * nearest[i];
    }
    if (k + 1 == components) break;
    require(total > 0, fmt::format("a mixture of {} components for {} distinct points", components, k + 1),
            "use no more components than there are distinct points", Fault::bad_data);
    double rest = random.uniform() * total;
    for (std::size_t i = 0; i < n; ++i) {
      if (nearest[i] > 0) chosen = i;  // the last of these where rounding leaves some rest
      rest -= weight_of(weights, i) * nearest[i];
      if (rest < 0) break;
    }
  }
  const double kappa =
      von_mises_fisher_concentration(training.dimension - 1, total / total_weight(weights, n));
  start.kappas.assign(components, clamped(kappa, bounds));
  return start;
}

// --- Riemannian Adam ----------------------------------------------------------------------------

MixtureFit fit_mixture_adam(const MixtureParameters& start, const Points<double>& training,
                            const Points<double>& validation, const MixtureAdamConfig& config,
                            Executor& executor, const SplitWeights& weights) {
  const std::size_t lifts = config.lifts;
  check(start, training, validation, weights, lifts);
  check(config.bounds);
  require(config.epochs >= 0 && config.validate_every > 0 && config.rate > 0,
          fmt::format("{} epochs, validation every {}, rate {}", config.epochs, config.validate_every,
                      config.rate),
          "use epochs >= 0, validation every 1 or more, rate > 0");
  const std::size_t K = start.size(), D = static_cast<std::size_t>(training.dimension),
                    n = training.size() / lifts;
  const std::size_t batch = config.batch == 0 ? n : std::min(n, config.batch);
  const long steps_an_epoch = config.steps > 0 ? config.steps : static_cast<long>((n + batch - 1) / batch);
  const Schedule schedule{config.schedule, config.rate, config.epochs * steps_an_epoch};
  const double log_floor = std::log(config.bounds.kappa_floor);
  const double log_ceiling = std::log(config.bounds.kappa_ceiling);

  MixtureParameters p = start;
  std::vector<double> free(2 * K), slope(2 * K), mean_slope(K * D);  // free: logits, then log κ
  const std::span<double> logits(free.data(), K), log_kappas(free.data() + K, K);
  for (std::size_t k = 0; k < K; ++k) {
    logits[k] = std::log(std::max(p.weights[k], 1e-12));
    log_kappas[k] = std::log(clamped(p.kappas[k], config.bounds));
  }
  const auto refresh = [&] {
    softmax(logits, p.weights);
    for (std::size_t k = 0; k < K; ++k) {
      log_kappas[k] = std::clamp(log_kappas[k], log_floor, log_ceiling);
      p.kappas[k] = std::exp(log_kappas[k]);
    }
  };
  refresh();

  RiemannianAdam<double> mean_adam(K, D, config.adam);
  Adam<double> free_adam(2 * K, config.adam);
  // A batch of all points has their weights, a smaller one has them as often as they weigh.
  Batches batches(n, batch, config.seed, weights.training);
  const Weights none, &in_sums = batch < n ? none : weights.training;
  const double share = 1 / total_weight(in_sums, batch);
  Points<double> taken;
  std::vector<double> values;
  MixtureFit fit;
  BestByValidation best(validation, lifts, weights.validation, executor, fit);
  MixtureProgress progress{.components = K, .rate = config.rate};
  progress.validation = best.consider(p, 0);
  long step = 0;
  for (long epoch = 0; epoch < config.epochs; ++epoch) {
    double loss = 0;
    for (long s = 0; s < steps_an_epoch; ++s, ++step) {
      if (batch < n) taken = batches.take(training, static_cast<std::uint64_t>(step), lifts);
      const MixtureEvaluator evaluator(p, &executor);
      const MixtureSums sums =
          folded_sums(evaluator, batch < n ? taken : training, lifts, values, executor, in_sums);
      loss -= share * sums.log_likelihood;
      // Of −(1/n) Σ log p, with N_k, S_k and R_k the sums' mass, drop and resultant:
      //   ∂/∂logit_k = w_k − N_k/n,   ∂/∂log κ_k = κ_k (S_k − N_k (1 − A_d(κ_k)))/n,   ∂/∂μ_k = −κ_k R_k/n
      for (std::size_t k = 0; k < K; ++k) {
        const auto i = static_cast<Index>(k);
        slope[k] = p.weights[k] - share * sums.mass[i];
        slope[K + k] = share * p.kappas[k] * (sums.drop[i] - sums.mass[i] * evaluator.mean_drop()[i]);
        for (std::size_t c = 0; c < D; ++c)
          mean_slope[k * D + c] = -share * p.kappas[k] * sums.resultant(i, static_cast<Index>(c));
      }
      const double rate = schedule.at(step);
      mean_adam.step(p.means.values, mean_slope, rate);
      free_adam.step(free, slope, rate);
      refresh();
    }
    fit.training.push_back(loss / static_cast<double>(steps_an_epoch));
    const long done = epoch + 1;
    progress.validated = done % config.validate_every == 0 || done == config.epochs;
    if (progress.validated) progress.validation = best.consider(p, done);
    fit.stopped = !go_on(config.watch, progress, fit, done);
    if (fit.stopped) break;
    if (config.patience > 0 && done - fit.best >= config.patience * config.validate_every) break;
  }
  fit.last = std::move(p);
  return fit;
}

// --- EM -----------------------------------------------------------------------------------------

namespace {

/// μ_k = R_k/|R_k|, w_k = N_k/n, A_d(κ_k) = |R_k|/N_k within the bounds, n the weight of all points. As a
/// function of κ alone the expected log-likelihood is concave, so the nearer bound is the maximum where the
/// solution is beyond it.
void maximise(const MixtureSums& sums, double n, const MixtureBounds& bounds, MixtureParameters& p,
              Executor& executor) {
  const int D = p.means.dimension;
  executor.run(p.size(), [&](std::size_t k, int) {
    const auto i = static_cast<Index>(k);
    p.weights[k] = sums.mass[i] / n;
    const Eigen::VectorXd R = sums.resultant.row(i).matrix().transpose();
    const double length = R.norm();
    if (!(length > 0)) return;
    const auto mean = p.means[k];
    // 1 − |R|/N without cancellation, with s about the old mean μ, M = Σ r s and ν the new mean:
    //   N − |R| = N − ⟨R, μ⟩ − |R|(1 − ⟨ν, μ⟩) = M − |R||ν − μ|²/2
    double turn = 0;
    for (int c = 0; c < D; ++c) {
      double& mu = mean[static_cast<std::size_t>(c)];
      const double nu = R[c] / length;
      turn += (nu - mu) * (nu - mu) / 2;
      mu = nu;
    }
    const double drop = (sums.drop[i] - length * turn) / sums.mass[i];
    p.kappas[k] = clamped(von_mises_fisher_concentration(D - 1, drop), bounds);
  });
}

/// Moves the component of the least mass onto the point of the least density, if that cannot lower the
/// likelihood: with w = 1/n for it, the others scaled by 1 − 1/n, and 0.02 for what it leaves behind, the
/// logarithms of the densities, times weights v of mean 1, change by
///   v log(1 + C/((n − 1)p)) + n log(1 − 1/n) − 0.02   in all, at least,
/// C its density at its mean. Of points with weights that with the largest first term is taken.
bool reseed(const MixtureSums& sums, const Points<double>& training, std::size_t lifts,
            const Weights& weights, const std::vector<double>& log_prob, const MixtureBounds& bounds,
            MixtureParameters& p) {
  Index dead = 0;
  const auto n = static_cast<double>(log_prob.size());
  const double total = total_weight(weights, log_prob.size()), unit = total / n;
  if (!(sums.mass.minCoeff(&dead) < 0.01 * unit) || p.size() < 2) return false;
  const int d = training.dimension - 1;
  const double kappa = clamped(von_mises_fisher_concentration(d, sums.drop.sum() / total), bounds);
  const double log_peak = von_mises_fisher_constants(d, kappa).log_peak;
  const auto gain_at = [&](std::size_t i) {
    return weight_of(weights, i) / unit * std::log1p(std::exp(log_peak - log_prob[i]) / (n - 1));
  };
  auto worst =
      static_cast<std::size_t>(std::min_element(log_prob.begin(), log_prob.end()) - log_prob.begin());
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (gain_at(i) > gain_at(worst)) worst = i;
  const double gain = gain_at(worst) + n * std::log1p(-1 / n);
  if (!(gain > 0.02)) return false;
  const auto k = static_cast<std::size_t>(dead);
  const double others = 1 - p.weights[k];
  for (double& w : p.weights) w *= (1 - 1 / n) / others;
  p.weights[k] = 1 / n;
  p.kappas[k] = kappa;
  const std::span<const double> mean = training[worst * lifts];
  std::copy(mean.begin(), mean.end(), p.means[k].begin());
  return true;
}

}  // namespace

MixtureFit fit_mixture_em(const MixtureParameters& start, const Points<double>& training,
                          const Points<double>& validation, const MixtureEmConfig& config, Executor& executor,
                          const SplitWeights& weights) {
  const std::size_t lifts = config.lifts;
  check(start, training, validation, weights, lifts);
  check(config.bounds);
  const double n = total_weight(weights.training, training.size() / lifts);
  MixtureParameters p = start;
  std::vector<double> values;
  MixtureFit fit;
  BestByValidation best(validation, lifts, weights.validation, executor, fit);
  MixtureProgress progress{.validated = true, .components = p.size()};
  best.consider(p, 0);
  for (long i = 0; i < config.iterations; ++i) {
    const MixtureSums sums =
        folded_sums(MixtureEvaluator(p, &executor), training, lifts, values, executor, weights.training);
    const double loss = -sums.log_likelihood / n;
    const bool settled = !fit.training.empty() && fit.training.back() - loss < config.tolerance;
    fit.training.push_back(loss);
    const bool moved = reseed(sums, training, lifts, weights.training, values, config.bounds, p);
    if (settled && !moved) break;
    if (!moved) maximise(sums, n, config.bounds, p, executor);
    progress.validation = best.consider(p, i + 1);
    fit.stopped = !go_on(config.watch, progress, fit, i + 1);
    if (fit.stopped) break;
    if (config.patience > 0 && i + 1 - fit.best >= config.patience) break;
  }
  fit.last = std::move(p);
  return fit;
}

// --- the grid -----------------------------------------------------------------------------------

namespace {

/// fit(start, config, rate) of each number of components with each rate, the best kept. Ends once a watch has
/// asked to stop: what was not finished still counts by its validation.
template <class Config, class FitOne>
MixtureSearch search_grid(const Points<double>& training, const Weights& weights, const MixtureGrid& grid,
                          const Config& config, const FitOne& fit_one) {
  MixtureSearch search;
  for (const std::size_t components : grid.components) {
    const MixtureParameters start =
        mixture_start(training, components, config.seed, config.bounds, weights, config.lifts);
    for (const double rate : grid.rates) {
      Config one = config;
      if (config.watch)
        one.watch = [&, run = search.scores.size()](MixtureProgress progress) {
          progress.run = run;
          progress.runs = grid.rates.size() * grid.components.size();
          return config.watch(progress);
        };
      MixtureFit fit = fit_one(start, one, rate);
      search.scores.push_back({rate, components, fit.validation, fit.best});
      search.stopped = fit.stopped;
      if (search.scores.size() == 1 || fit.validation < search.fit.validation) {
        search.chosen = search.scores.size() - 1;
        search.fit = std::move(fit);
      }
      if (search.stopped) return search;
    }
  }
  return search;
}

}  // namespace

MixtureSearch grid_search(const Points<double>& training, const Points<double>& validation,
                          const MixtureGrid& grid, const MixtureAdamConfig& config, Executor& executor,
                          const SplitWeights& weights) {
  require(!grid.rates.empty() && !grid.components.empty(), "an empty grid",
          "give one rate and one number of components at least");
  return search_grid(training, weights.training, grid, config,
                     [&](const MixtureParameters& start, MixtureAdamConfig one, double rate) {
                       one.rate = rate;
                       return fit_mixture_adam(start, training, validation, one, executor, weights);
                     });
}

MixtureSearch grid_search_em(const Points<double>& training, const Points<double>& validation,
                             const std::vector<std::size_t>& components, const MixtureEmConfig& config,
                             Executor& executor, const SplitWeights& weights) {
  require(!components.empty(), "an empty grid", "give one number of components at least");
  return search_grid(training, weights.training, {{0}, components}, config,
                     [&](const MixtureParameters& start, const MixtureEmConfig& one, double) {
                       return fit_mixture_em(start, training, validation, one, executor, weights);
                     });
}

}  // namespace riemflow
