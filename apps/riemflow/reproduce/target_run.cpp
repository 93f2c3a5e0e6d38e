#include "apps/riemflow/reproduce/target_run.hpp"

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/density/pulled_back.hpp"
#include "riemflow/engine/flow.hpp"
#include "riemflow/engine/mass.hpp"
#include "riemflow/train/trainer.hpp"

namespace riemflow::app {
namespace {

/// Of the draws for training and for the test; the model's own streams have other purposes.
constexpr std::uint64_t kTrainingDraws = 1000000, kTestDraws = 2000000;

Points<double> draw(const Distribution<double>& distribution, std::size_t n, std::uint64_t seed) {
  Points<double> points(n, distribution.ambient());
  std::vector<Pack<double>> tile(static_cast<std::size_t>(points.dimension));
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    for (int l = 0; l < points.lanes(t); ++l) {
      Random random(seed, Purpose::target_sample, 0, t * kLanes + static_cast<std::size_t>(l));
      distribution.sample(random, tile.data(), l);
    }
    points.store_tile(t, tile.data());
  }
  return points;
}

std::vector<double> log_density(const Distribution<double>& distribution, const Points<double>& points) {
  std::vector<double> values;
  std::vector<Pack<double>> tile(static_cast<std::size_t>(points.dimension));
  for (std::size_t t = 0; t < points.tiles(); ++t) {
    points.load_tile(t, tile.data());
    const Pack<double> value = distribution.log_density(tile.data());
    for (int l = 0; l < points.lanes(t); ++l) values.push_back(value[l]);
  }
  return values;
}

template <class To, class From>
Points<To> rounded(const Points<From>& points) {
  Points<To> result(points.size(), points.dimension);
  for (std::size_t i = 0; i < points.values.size(); ++i) result.values[i] = static_cast<To>(points.values[i]);
  return result;
}

/// A flow and its chart as a density of the manifold.
class Candidate {
 public:
  explicit Candidate(const TargetRun& run)
      : chart_(run.chart.get()), flow_(with_exact_divergence(run.flow), 0, 1) {}

  void take(const Flow<float>& trained) {
    std::copy(trained.parameters().begin(), trained.parameters().end(), flow_.parameters().begin());
  }

  /// log p of points of the manifold, NaN where it failed; adds to `failed`.
  std::vector<double> log_prob(const Points<double>& points) {
    const Mapped<double> mapped = chart_ == nullptr
                                      ? Mapped<double>{points, std::vector<double>(points.size()), {}}
                                      : chart_->to_chart(points);
    require(mapped.ok(), "a draw of the target has no coordinates in the chart", "report this",
            Fault::internal);
    const LogProb<float> result = flow_.log_prob(rounded<float>(mapped.points));
    evaluations = result.summary.mean_evaluations();
    failed += result.summary.failures.size();
    std::vector<double> values(result.values.begin(), result.values.end());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= mapped.log_volume[i];
    return values;
  }

  /// Draws that have an image, on the manifold; the others count as failed.
  Points<double> sample(std::size_t n, std::uint64_t seed) {
    const Carried<float> drawn = flow_.sample(n, seed);
    const Points<double> ends = rounded<double>(drawn.frames.back());
    const Points<double> images = chart_ == nullptr ? ends : chart_->to_manifold(ends).points;
    Points<double> good;
    good.dimension = images.dimension;
    for (std::size_t i = 0; i < images.size(); ++i)
      if (std::isfinite(images[i][0]))
        good.values.insert(good.values.end(), images[i].begin(), images[i].end());
    failed += n - good.size();
    return good;
  }

  double evaluations = 0;
  std::size_t failed = 0;
  Flow<float>& flow() { return flow_; }

 private:
  const ChartMap<double>* chart_;
  Flow<float> flow_;
};

/// Mean of a − b over the pairs that are numbers.
double mean_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::isfinite(a[i] - b[i])) continue;
    sum += a[i] - b[i];
    ++n;
  }
  return sum / static_cast<double>(n);
}

}  // namespace

Json run_on_target(const TargetRun& run) {
  const double entropy = run.target->entropy().value();
  Flow<float> flow(run.flow, run.seed, 1);
  TrainConfig config;
  config.seed = run.seed;
  Trainer<float> trainer(flow, config);
  // Every batch is of fresh draws.
  const std::size_t draws = run.reverse_kl ? 0 : config.batch * static_cast<std::size_t>(run.iterations);
  const Points<double> drawn = draw(*run.target, draws, run.seed + kTrainingDraws);
  const Points<float> data = rounded<float>(run.chart ? run.chart->to_chart(drawn).points : drawn);
  const Points<double> test = draw(*run.target, run.test_points, run.seed + kTestDraws);
  const std::vector<double> truth = log_density(*run.target, test);
  std::shared_ptr<const Distribution<float>> target = run.target_float;
  if (run.chart) target = std::make_shared<PulledBack<float>>(run.target, run.chart);

  Candidate candidate(run);
  Json curve = Json::array();
  for (long i = 0; i < run.iterations; ++i) {
    const StepReport step = run.reverse_kl ? trainer.step_reverse_kl(*target) : trainer.step_likelihood(data);
    if (run.curve_every == 0 || (i + 1) % run.curve_every != 0) continue;
    candidate.take(flow);
    const double nll = entropy + mean_difference(truth, candidate.log_prob(test));
    curve.push_back({i + 1, nll, step.loss.summary.mean_evaluations()});
  }
  candidate.take(flow);
  Json result = {{"entropy", entropy}};
  result["nll"] = entropy + mean_difference(truth, candidate.log_prob(test));
  result["evaluations"] = candidate.evaluations;
  const Points<double> samples = candidate.sample(run.test_points, run.seed);
  result["reverse_kl"] = mean_difference(candidate.log_prob(samples), log_density(*run.target, samples));
  result["failed"] = candidate.failed;
  result["mass"] = total_mass(candidate.flow(), {5e-4, 0, 400'000}).integral.value;
  if (!curve.empty()) result["curve"] = std::move(curve);
  return result;
}

}  // namespace riemflow::app
