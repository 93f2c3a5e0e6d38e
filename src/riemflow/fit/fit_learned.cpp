#include <algorithm>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/kernel_learner.hpp"
#include "riemflow/fit/mixture_learner.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/kernel_density.hpp"

namespace riemflow {
namespace {

/// Of the time limit, for learning.
constexpr double kLearning = 0.75;

using Learned = KernelLearner::Result;

Learned learn(const DataSet& data, const std::vector<Fold>& folds, const FitOptions& options,
              Executor& executor, double seconds, Observer& observer) {
  const auto start = Clock::now();
  bool cancelled = false;
  LearningLog log(data.log_unit());
  ObservedTask task(observer, "Learned kernels", 1);
  const KernelLearner learner(data, folds, executor, [&] {
    if (observer.cancelled()) throw Cancelled{};
  });
  LearnOptions how;
  how.steps = options.kernel_steps;
  how.seed = options.seed;
  how.seconds = std::max(0.0, seconds - seconds_since(start));
  how.progress = [&](const LearnStep& step) {
    task.reach(static_cast<double>(step.done), static_cast<double>(step.of));
    observer.logged("learned kernels", log.progress_of(step));
    return !(cancelled = cancelled || observer.cancelled());
  };
  return learner.learn(how);
}

/// The number of normals that is best on the held-out points.
Learned learn_mixture(const DataSet& data, const std::vector<Fold>& folds, const FitOptions& options,
                      Executor& executor, double seconds, Observer& observer) {
  ObservedTask task(observer, "Mixtures of normals", 1);
  const MixtureLearner learner(data, folds, executor, [&] {
    if (observer.cancelled()) throw Cancelled{};
  });
  MixtureLearner::Options how;
  how.seed = options.seed;
  how.seconds = seconds;
  how.progress = [&](std::size_t done, std::size_t of) {
    task.reach(static_cast<double>(done), static_cast<double>(of));
    return true;
  };
  std::vector<MixtureLearner::Mixture> all = learner.learn(how);
  std::vector<std::size_t> held_out;
  for (const Fold& fold : folds) held_out.insert(held_out.end(), fold.held_out.begin(), fold.held_out.end());
  const Weights weights = data.weights_of(held_out);
  return std::move(std::ranges::min_element(all, {}, [&](const MixtureLearner::Mixture& mixture) {
                     return mean_score(mixture.learned.held_out, weights).nll;
                   })->learned);
}

}  // namespace

FitResult fit_learned_kernels(const DataSet& data, const FitOptions& options, Observer& observer) {
  require(data.target == nullptr, "kernels or normals of a ‹target›", "they are made of data: give a file");
  const auto start = Clock::now();
  Executor executor(options.threads);
  const std::vector<Fold> folds = data.folds();
  const std::string why_not = KernelLearner::why_not(data, folds);
  const bool network = options.model == ModelKind::kernels;
  require(why_not.empty(), (network ? "learned kernels: " : "a mixture of normals: ") + why_not,
          "give more points, or another ‹model›, such as riemannian", Fault::bad_data);
  const double limit = kLearning * seconds_of(options.time_limit);
  const Learned learned = (network ? learn : learn_mixture)(data, folds, options, executor, limit, observer);

  FitResult result;
  result.progress.iteration = learned.steps;
  result.progress.best_iteration = learned.best_step;
  HeldOutScores held;
  for (const Fold& fold : folds)
    if (held.points.size() < learned.held_out.size())
      held.points.insert(held.points.end(), fold.held_out.begin(), fold.held_out.end());
  held.log_densities = learned.held_out;
  held.weights = data.weights_of(held.points);

  const double unit = data.log_unit();
  Model model = make_model(data.manifold, learned.density);
  model.config.model = options.model;
  if (!held.points.empty()) result.progress.best = unit + mean_score(held.log_densities, held.weights).nll;
  result.stopped = observer.cancelled()           ? "interrupted"
                   : seconds_since(start) > limit ? "time limit"
                                                  : "iterations";
  const std::shared_ptr<const Manifold<double>> manifold = data.manifold.on<double>();
  const auto reference = default_base<double>(manifold);
  result.reference = manifold->compact() ? "uniform density" : reference->name();
  if (!data.split.test.empty() && !observer.cancelled()) {
    const Points<double> test = part_of<double>(data.points, data.split.test);
    const Weights weights = data.weights_of(data.split.test);
    const LogProb<double> scored = KernelDensity(kernels_of(model), options.threads).log_prob(test);
    result.test_points = test.size();
    result.test_nll = unit - scored.mean(weights);
    result.test_error = scored.standard_error(weights);
    result.reference_nll = unit - weighted_mean(log_densities_of(*reference, test), weights);
  }
  result.parameters = numbers_in(model);
  describe(model, data, options);
  for (double& score : held.log_densities) score -= unit;
  if (!held.points.empty()) keep_held_out(model, held);
  model.metadata["provenance"] = provenance(data, options, result.progress, &result).dump();
  result.model = std::move(model);
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace riemflow
