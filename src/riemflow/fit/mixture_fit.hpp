#pragma once
// Maximum likelihood of a mixture of von Mises–Fisher distributions on S^d, by two optimisers: Riemannian
// Adam (the paper's) and EM. Both keep the parameters that score best on validation points. All is a
// function of the data, the settings and the seed: the same bits for any number of threads.
//
// Points of a covered manifold (manifold/covering.hpp) come with all their lifts, rows one after the other: p
// of a point is the sum of p over these, and in each step a lift counts by the share of the sum that it makes
// up. A component then stands where it is and at all its images, whichever of them it sits on.
//
// The likelihood has no maximum: a component on one point, or on several equal ones, gains without end as its
// κ grows. What bounds it are `kappa_ceiling` and the choice by validation.

#include <cstdint>
#include <functional>
#include <vector>

#include "riemflow/core/executor.hpp"
#include "riemflow/distribution/mixture_sums.hpp"
#include "riemflow/fit/optimizer.hpp"

namespace riemflow {

struct MixtureBounds {
  double kappa_floor = 1e-3;  ///< > 0
  double kappa_ceiling = 1e6;
};

/// Means: data points, each drawn with probability ∝ |x − μ|², times its weight, μ the nearest drawn before
/// (k-means++); weights 1/K; one κ for all, exact for the mean of |x − μ|²/2 to the nearest mean.
/// At least as many distinct points as components; Error otherwise. lifts: of each point; then means are
/// first lifts, and μ is as near as the nearest lift.
MixtureParameters mixture_start(const Points<double>& training, std::size_t components, std::uint64_t seed,
                                const MixtureBounds& bounds = {}, const Weights& weights = {},
                                std::size_t lifts = 1);

struct MixtureFit {
  MixtureParameters parameters;  ///< the best by validation
  double validation = 0;         ///< their mean −log p of the validation points, by weight, in nats
  long best = 0;                 ///< after so many epochs or iterations; 0: the start
  /// Mean −log p of the training points: one an epoch (its batches, each before its step) or iteration.
  std::vector<double> training;
  MixtureParameters last;  ///< where it ended
  bool stopped = false;    ///< by the watch
};

/// How a fit is going, after each epoch or iteration.
struct MixtureProgress {
  long epoch = 0;         ///< done
  double training = 0;    ///< as MixtureFit::training
  double validation = 0;  ///< the last
  double best = 0;        ///< of the validations
  long best_epoch = 0;
  bool validated = false;  ///< whether `validation` is of this epoch
  // Of a search:
  std::size_t run = 0, runs = 1;  ///< this fit, from 0, and all
  std::size_t components = 0;
  double rate = 0;
};

/// Called with each progress; false ends the fit there, and a search with it.
using MixtureWatch = std::function<bool(const MixtureProgress&)>;

struct MixtureAdamConfig {
  double rate = 1e-2;
  Schedule::Shape schedule = Schedule::Shape::constant;  ///< over all steps
  long epochs = 10000;
  std::size_t batch = 0;  ///< points a step; 0: all
  long steps = 0;         ///< of an epoch; 0: as many as see each point once
  long validate_every = 10;
  long patience = 0;       ///< validations without a better one before stopping; 0: never
  std::uint64_t seed = 0;  ///< of the batches
  std::size_t lifts = 1;   ///< of each point
  AdamConfig adam;
  MixtureBounds bounds;
  MixtureWatch watch;
};

/// Means by Riemannian Adam, weights = softmax of logits and κ = exp of its logarithm by Adam, from the mean
/// −log p of a batch, in which points are as often as they weigh. Throws Error for settings out of range.
MixtureFit fit_mixture_adam(const MixtureParameters& start, const Points<double>& training,
                            const Points<double>& validation, const MixtureAdamConfig& config,
                            Executor& executor, const SplitWeights& weights = {});

struct MixtureEmConfig {
  long iterations = 1000;
  double tolerance = 1e-7;  ///< stop when an iteration gains less, in nats a point
  long patience = 0;        ///< iterations without a better validation before stopping; 0: never
  std::uint64_t seed = 0;   ///< of a search's starts
  std::size_t lifts = 1;    ///< of each point
  MixtureBounds bounds;
  MixtureWatch watch;
};

/// EM, its M-step exact within the bounds, so that the likelihood of the training points never falls. A
/// component whose share of them is below 0.01 point of mean weight moves to the point that is explained
/// worst, at most one an iteration and where that is sure to gain.
MixtureFit fit_mixture_em(const MixtureParameters& start, const Points<double>& training,
                          const Points<double>& validation, const MixtureEmConfig& config, Executor& executor,
                          const SplitWeights& weights = {});

/// The paper's grid.
struct MixtureGrid {
  std::vector<double> rates = {1e-1, 5e-2, 1e-2};
  std::vector<std::size_t> components = {50, 100, 150, 200};
};

struct MixtureScore {
  double rate = 0;  ///< 0 of EM
  std::size_t components = 0;
  double validation = 0;
  long best_epoch = 0;
};

struct MixtureSearch {
  std::vector<MixtureScore> scores;  ///< all, components by components
  std::size_t chosen = 0;            ///< of `scores`: the best by validation
  MixtureFit fit;                    ///< its fit
  bool stopped = false;              ///< by the watch, before all were made
};

/// Every rate with every number of components by Riemannian Adam, from mixture_start(…, config.seed).
MixtureSearch grid_search(const Points<double>& training, const Points<double>& validation,
                          const MixtureGrid& grid, const MixtureAdamConfig& config, Executor& executor,
                          const SplitWeights& weights = {});
/// Every number of components by EM.
MixtureSearch grid_search_em(const Points<double>& training, const Points<double>& validation,
                             const std::vector<std::size_t>& components, const MixtureEmConfig& config,
                             Executor& executor, const SplitWeights& weights = {});

}  // namespace riemflow
