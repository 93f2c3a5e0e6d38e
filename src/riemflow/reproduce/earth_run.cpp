#include "riemflow/reproduce/earth_run.hpp"

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/von_mises_fisher_mixture.hpp"
#include "riemflow/fit/mixture_fit.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/model/mixture_density.hpp"
#include "riemflow/model/score_points.hpp"

namespace riemflow {
namespace {

constexpr std::size_t kGridRows = 45;
constexpr long kCurvePoints = 60;

void add_score(Json& result, const char* key, const std::vector<double>& log_densities) {
  const MeanScore score = mean_score(log_densities);
  result[key] = score.nll;
  result[std::string(key) + "_error"] = score.error;
}

FitConfig fit_config_of(const EarthFlow& flow, std::size_t training_points) {
  FitConfig config;
  config.flow.model = flow.kind;
  config.train.seed = flow.seed;
  config.train_tolerance = flow.set->train_tolerance;
  const std::size_t batches = (training_points + config.train.batch - 1) / config.train.batch;
  config.iterations = static_cast<long>(flow.set->epochs * static_cast<double>(batches));
  config.train.schedule = {flow.cosine ? Schedule::Shape::cosine : Schedule::Shape::annealed,
                           flow.cosine ? 3e-3 : 1e-3, config.iterations};
  config.validate_every = std::min(100L, std::max(1L, config.iterations / 10));
  config.patience = 0;
  return config;
}

}  // namespace

FittedFlow fit_earth_flow(const EarthFlow& flow, const EarthSplit& split, const ReproduceOptions& options) {
  FittedFlow fitted{fit_config_of(flow, split.training.size()), {}, {}, {}, {}, 0};
  const auto model =
      make_transport<float>(fitted.config.flow, flow.seed, options.threads_per_run, options.device);
  Fit<float> fit(*model, fitted.config, converted<float>(split.training), converted<float>(split.validation));
  const auto start = Clock::now();
  fitted.curve = Json::array();
  const long validations = fitted.config.iterations / fitted.config.validate_every;
  const long curve_every = fitted.config.validate_every * std::max(1L, validations / kCurvePoints);
  while (!fit.done()) {
    give_up_if_asked();
    fit.advance([&](const FitProgress& now) {
      if (now.iteration % curve_every == 0)
        fitted.curve.push_back({now.iteration, rounded_to(now.loss, 5), rounded_to(now.validation, 5),
                                rounded_to(now.evaluations, 4)});
    });
  }
  fitted.seconds = seconds_since(start);
  fitted.last.assign(model->parameters().begin(), model->parameters().end());
  fit.finish();
  fitted.best.assign(model->parameters().begin(), model->parameters().end());
  fitted.progress = fit.progress();
  return fitted;
}

Json run_earth_flow(const EarthFlow& flow, const EarthSplit& split, bool with_grid,
                    const ReproduceOptions& options) {
  const FittedFlow fitted = fit_earth_flow(flow, split, options);
  Candidate candidate(fitted.config.flow, options.threads_per_run, options.device);
  Json result;
  candidate.take(fitted.last);
  add_score(result, "last_nll", candidate.log_prob(split.test));
  candidate.take(fitted.best);
  candidate.failed = 0;
  add_score(result, "nll", candidate.log_prob(split.test));
  result["validation_nll"] = fitted.progress.best;
  result["failed"] = candidate.failed;
  result["evaluations"] = candidate.evaluations;
  result["mass"] = candidate.mass();
  result["iterations"] = fitted.progress.iteration;
  result["best_iteration"] = fitted.progress.best_iteration;
  result["skipped_steps"] = fitted.progress.skipped;
  result["training_seconds"] = fitted.seconds;
  result["curve"] = fitted.curve;
  if (with_grid)
    result["grid"] = grid_of(earth_lattice(kGridRows, -180),
                             [&](const Points<double>& points) { return candidate.log_prob(points); });
  return result;
}

Json run_earth_mixture(const EarthSplit& split, std::uint64_t seed, bool with_grid,
                       const ReproduceOptions& options) {
  Executor executor(options.threads_per_run);
  MixtureAdamConfig config;
  config.epochs = options.quick ? 30 : 300;
  config.schedule = Schedule::Shape::cosine;
  config.seed = seed;
  MixtureGrid grid;
  if (options.quick) grid = {{1e-1}, {50}};
  const MixtureSearch search = grid_search(split.training, split.validation, grid, config, executor);
  const VonMisesFisherMixture<double> mixture(search.fit.parameters);
  Json result;
  add_score(result, "nll", mixture.log_prob(split.test, &executor));
  const VonMisesFisherMixture<double> last(search.fit.last);
  add_score(result, "last_nll", last.log_prob(split.test, &executor));
  result["validation_nll"] = search.fit.validation;
  const MixtureScore& chosen = search.scores[search.chosen];
  result["rate"] = chosen.rate;
  result["components"] = chosen.components;
  result["epochs"] = config.epochs;
  const MixtureDensity density("sphere:2", search.fit.parameters, options.threads_per_run);
  result["mass"] = mixture_mass(density, {1e-4, 0, 400'000}).integral.value;
  result["best_epoch"] = chosen.best_epoch;

  MixtureFit em;
  em.validation = std::numeric_limits<double>::infinity();
  for (std::size_t components : grid.components) {
    MixtureEmConfig em_config;
    em_config.iterations = options.quick ? 10 : 300;
    MixtureFit fit = fit_mixture_em(mixture_start(split.training, components, seed), split.training,
                                    split.validation, em_config, executor);
    if (fit.validation < em.validation) em = std::move(fit);
  }
  const VonMisesFisherMixture<double> by_em(em.parameters);
  add_score(result, "em_nll", by_em.log_prob(split.test, &executor));
  result["em_components"] = em.parameters.size();
  Json curve = Json::array();
  const std::size_t every = std::max<std::size_t>(1, search.fit.training.size() / kCurvePoints);
  for (std::size_t i = every; i <= search.fit.training.size(); i += every)
    curve.push_back({i, rounded_to(search.fit.training[i - 1], 5)});
  result["curve"] = std::move(curve);
  if (with_grid)
    result["grid"] = grid_of(earth_lattice(kGridRows, -180), [&](const Points<double>& points) {
      return mixture.log_prob(points, &executor);
    });
  return result;
}

Json run_earth_kernel_density(const EarthSplit& split, bool with_grid) {
  const std::shared_ptr<const Manifold<double>> sphere = parse_manifold<double>("sphere:2");
  const KernelFit fit = fit_kernel_density(sphere, split.training, split.validation, KernelShape::one);
  const KernelMixture density(sphere, fit.parameters);
  Json result;
  add_score(result, "nll", density.log_prob(split.test));
  result["kappa"] = 1 / (fit.recipe.scale * fit.recipe.scale);
  if (with_grid)
    result["grid"] = grid_of(earth_lattice(kGridRows, -180),
                             [&](const Points<double>& points) { return density.log_prob(points); });
  return result;
}

}  // namespace riemflow
