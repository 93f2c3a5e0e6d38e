#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/kernel_learner.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/held_out.hpp"
#include "riemflow/model/kernel_density.hpp"

namespace riemflow {
namespace {

/// Of the time limit, for learning.
constexpr double kLearning = 0.75;

}  // namespace

FitResult fit_learned_kernels(const DataSet& data, const FitOptions& options, Observer& observer) {
  require(data.target == nullptr, "learned kernels of a ‹target›",
          "a kernel density is made of data: give a file");
  const auto start = Clock::now();
  Executor executor(options.threads);
  const std::vector<Fold> folds = folds_of(data.split, data.groups);
  const std::string why_not = KernelLearner::why_not(data, folds);
  require(why_not.empty(), "learned kernels: " + why_not, "give more points, or another ‹model›",
          Fault::bad_data);
  const double limit = kLearning * seconds_of(options.time_limit);
  bool cancelled = false;
  ObservedTask task(observer, "Learned kernels", 1);
  const KernelLearner learner(data, folds, executor, [&] {
    if (observer.cancelled()) throw Cancelled{};
  });
  LearnOptions how;
  how.steps = options.kernel_steps;
  how.seed = options.seed;
  how.seconds = std::max(0.0, limit - seconds_since(start));
  how.progress = [&](long done, long of) {
    task.reach(static_cast<double>(done), static_cast<double>(of));
    return !(cancelled = cancelled || observer.cancelled());
  };
  const KernelLearner::Result learned = learner.learn(how);

  FitResult result;
  result.progress.iteration = learned.steps;
  result.progress.best_iteration = learned.best_step;
  HeldOutScores held;
  for (const Fold& fold : folds)
    if (held.points.size() < learned.held_out.size())
      held.points.insert(held.points.end(), fold.held_out.begin(), fold.held_out.end());
  held.log_densities = learned.held_out;
  held.weights = data.weights_of(held.points);

  const double unit = data.standardisation.log_scale();
  Model model = make_model(data.manifold, learned.density);
  model.config.model = ModelKind::kernels;
  if (!held.points.empty()) result.progress.best = unit + mean_score(held.log_densities, held.weights).nll;
  result.stopped = observer.cancelled()           ? "interrupted"
                   : seconds_since(start) > limit ? "time limit"
                                                  : "iterations";
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(data.manifold);
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
