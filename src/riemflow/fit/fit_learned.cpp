#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/fit/fit_kinds.hpp"
#include "riemflow/fit/learn_kernels.hpp"
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
  const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(data.manifold);
  const auto part = [&](const std::vector<std::size_t>& rows) { return part_of<double>(data.points, rows); };
  const std::vector<Fold> folds = folds_of(data.split, data.groups);
  const std::vector<std::size_t> known = data.split.known();
  // With folds, one more network than these, of all points.
  const std::size_t networks = folds.size() > 1 ? folds.size() + 1 : 1;
  const auto ask = [&] {
    if (observer.cancelled()) throw Cancelled{};
  };
  bool cancelled = false;
  ObservedTask task(observer, "Learned kernels", static_cast<double>(networks));
  const auto learned = [&](std::size_t number, const std::vector<std::size_t>& training,
                           const std::vector<std::size_t>& validation) {
    LearnOptions how;
    how.seed = options.seed + 1000 * number;
    how.seconds = kLearning * seconds_of(options.time_limit) / static_cast<double>(networks);
    how.ask = ask;
    how.progress = [&](long done, long of) {
      task.reach(static_cast<double>(number) + static_cast<double>(done) / static_cast<double>(of),
                 static_cast<double>(networks));
      return !(cancelled = cancelled || observer.cancelled());
    };
    return learn_kernels(manifold, part(training), part(validation), how, &executor, data.groups_of(training),
                         {data.weights_of(training), data.weights_of(validation)});
  };
  const auto density_of = [&](const KernelNetwork& network, const std::vector<std::size_t>& rows) {
    return std::make_shared<const KernelMixture>(
        manifold, learned_parameters(manifold, part(rows), network, &executor,
                                     data.weights_of(rows)));  // not given up: what there is by then is kept
  };

  FitResult result;
  HeldOutScores held;
  std::optional<KernelNetwork> network;
  for (std::size_t f = 0; f < folds.size() && !cancelled; ++f) {
    const LearnedFit fit =
        learned(f, folds[f].training, networks > 1 ? std::vector<std::size_t>() : folds[f].held_out);
    result.progress.iteration += fit.steps;
    result.progress.best_iteration = fit.best_step;
    network = fit.network;
    if (cancelled && networks > 1) break;  // that of a fold serves all points
    const std::vector<double> scores =
        density_of(fit.network, folds[f].training)->log_prob(part(folds[f].held_out), &executor);
    held.points.insert(held.points.end(), folds[f].held_out.begin(), folds[f].held_out.end());
    held.log_densities.insert(held.log_densities.end(), scores.begin(), scores.end());
  }
  if (networks > 1 && !cancelled) {
    const LearnedFit fit = learned(folds.size(), known, {});
    result.progress.iteration += fit.steps;
    result.progress.best_iteration = fit.best_step;
    network = fit.network;
  }
  held.weights = data.weights_of(held.points);

  const double unit = data.standardisation.log_scale();
  Model model = make_model(data.manifold, density_of(*network, known));
  model.config.model = ModelKind::kernels;
  if (!held.points.empty()) result.progress.best = unit + mean_score(held.log_densities, held.weights).nll;
  result.stopped = observer.cancelled()                                                ? "interrupted"
                   : seconds_since(start) > kLearning * seconds_of(options.time_limit) ? "time limit"
                                                                                       : "iterations";
  const auto reference = default_base<double>(manifold);
  result.reference = manifold->compact() ? "uniform density" : reference->name();
  if (!data.split.test.empty() && !observer.cancelled()) {
    const Points<double> test = part(data.split.test);
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
