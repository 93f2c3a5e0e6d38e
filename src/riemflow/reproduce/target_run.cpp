#include "riemflow/reproduce/target_run.hpp"

#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/reproduce/candidate.hpp"

namespace riemflow {
namespace {

/// Of the draws for training and for the test; the model's own streams have other purposes.
constexpr std::uint64_t kTrainingDraws = 1000000, kTestDraws = 2000000;

Points<double> draws(const Distribution<double>& distribution, std::size_t n, std::uint64_t seed) {
  return draws_of(distribution, n, seed, 0, 0, Purpose::target_sample);
}

Points<double> first_of(const Points<double>& points, std::size_t n) {
  Points<double> result = points;
  result.values.resize(std::min(points.values.size(), n * static_cast<std::size_t>(points.dimension)));
  return result;
}

/// Mean of a − b over the pairs that are numbers; b may be shorter.
double mean_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (!std::isfinite(a[i] - b[i])) continue;
    sum += a[i] - b[i];
    ++n;
  }
  return sum / static_cast<double>(n);
}

Json grids(const TargetRun& run, Candidate& candidate) {
  Json all = {
      {"model", grid_of(*run.lattice, [&](const Points<double>& p) { return candidate.log_prob(p); })}};
  if (!run.with_target) return all;
  all["base"] = grid_of(*run.lattice, [&](const Points<double>& p) { return candidate.log_base(p); });
  all["target"] =
      grid_of(*run.lattice, [&](const Points<double>& p) { return log_densities_of(*run.target, p); });
  return all;
}

}  // namespace

Json run_on_target(const TargetRun& run, std::uint64_t seed, const ReproduceOptions& options) {
  const double entropy = run.target->entropy().value();
  const auto model = make_transport<float>(run.flow, seed, options.threads_per_run, options.device);
  TrainConfig config = run.train;
  config.seed = seed;
  config.schedule.iterations = run.iterations;
  Trainer<float> trainer(*model, config);
  // Every batch is of fresh draws.
  const std::size_t training_draws =
      run.reverse_kl ? 0 : config.batch * static_cast<std::size_t>(run.iterations);
  const Points<float> data = converted<float>(draws(*run.target, training_draws, seed + kTrainingDraws));
  const Points<double> test = draws(*run.target, run.test_points, seed + kTestDraws);
  const Points<double> curve_test = first_of(test, run.curve_points);
  const std::vector<double> truth = log_densities_of(*run.target, test);
  const std::unique_ptr<TrainingObjective<float>> objective =
      run.reverse_kl ? std::make_unique<ReverseKlObjective<float>>(*model, run.target, config)
                     : make_objective(Objective::likelihood, *model, data, config);

  Candidate candidate(run.flow, options.threads_per_run, options.device);
  Json curve = Json::array();
  double evaluations = 0, training_seconds = 0;
  while (trainer.iteration() < run.iterations) {
    give_up_if_asked();
    const auto begun = Clock::now();
    const long next_point = (trainer.iteration() / run.curve_every + 1) * run.curve_every;
    const long most = std::min(next_point, run.iterations) - trainer.iteration();
    const std::vector<StepReport> steps = trainer.steps(*objective, most);
    training_seconds += seconds_since(begun);
    for (const StepReport& step : steps) evaluations += step.loss.summary.mean_evaluations();
    if (trainer.iteration() % run.curve_every != 0) continue;
    candidate.take(trainer.best_guess());
    const double nll = entropy + mean_difference(truth, candidate.log_prob(curve_test));
    curve.push_back({trainer.iteration(), rounded_to(nll, 5),
                     rounded_to(steps.back().loss.summary.mean_evaluations(), 4)});
  }
  candidate.take(trainer.best_guess());
  candidate.failed = 0;
  Json result = {{"entropy", entropy}};
  result["nll"] = entropy + mean_difference(truth, candidate.log_prob(test));
  result["evaluations"] = candidate.evaluations;
  result["training_evaluations"] = evaluations / static_cast<double>(run.iterations);
  result["training_seconds"] = training_seconds;
  const Points<double> samples = candidate.sample(run.test_points, seed);
  result["reverse_kl"] = mean_difference(candidate.log_prob(samples), log_densities_of(*run.target, samples));
  result["failed"] = candidate.failed;
  if (run.with_mass) result["mass"] = candidate.mass();
  if (run.flow.model == ModelKind::naive) result["mass_of_plane"] = candidate.mass_of_coordinates();
  result["curve"] = std::move(curve);
  if (run.lattice) result["grids"] = grids(run, candidate);
  return result;
}

}  // namespace riemflow
