#include "riemflow/model/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/executor.hpp"
#include "riemflow/manifold/on_manifold.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/kernel_density.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {
namespace {

/// Points a piece of work.
constexpr std::size_t kDrawsAtOnce = 256;

/// Points with a density whose gradient is no number, among those that failed.
void add_lost(std::vector<Failure>& failures, const std::vector<std::size_t>& lost) {
  for (const std::size_t point : lost) failures.push_back({point, Status::non_finite});
  std::sort(failures.begin(), failures.end(),
            [](const Failure& a, const Failure& b) { return a.point < b.point; });
}

}  // namespace

const Density& DensityPart::any() const {
  return std::visit([](const auto* part) -> const Density& { return *part; }, density);
}

const FlowDensity* DensityPart::flow() const {
  const auto* found = std::get_if<const FlowDensity*>(&density);
  return found == nullptr ? nullptr : *found;
}

LogProb<double> Density::log_prob(const Points<double>& points, const NoiseKey& key) const {
  check_on_manifold(*manifold_, points);
  if (standardisation_.identity()) return evaluate(points, key);
  LogProb<double> result = evaluate(standardisation_.standardised(points), key);
  const double log_scale = standardisation_.log_scale();
  for (double& value : result.values) value -= log_scale;
  result.base_points = standardisation_.in_units(result.base_points);
  return result;
}

LogProbGradient Density::log_prob_gradient(const Points<double>& points) const {
  require(exact(), "the gradient of a density with Hutchinson's divergence, which is an estimate",
          "make the flow with with_exact_divergence(config)");
  check_on_manifold(*manifold_, points);
  LogProbGradient result = evaluate_gradient(standardisation_.standardised(points));
  if (!standardisation_.identity()) {
    const double log_scale = standardisation_.log_scale();
    for (double& value : result.values) value -= log_scale;
  }
  std::vector<Pack<double>> x(static_cast<std::size_t>(manifold_->ambient())), v(x.size());
  // A covering pulls back tangential covectors; in other coordinates a normal part may be any.
  const bool covered = manifold_->covering() != nullptr;
  for (std::size_t tile = 0; tile < points.tiles() && !covered; ++tile) {
    points.load_tile(tile, x.data());
    result.gradients.load_tile(tile, v.data());
    // Twice: the first leaves the rounding of a normal part that may be the larger one.
    for (int i = 0; i < 2; ++i) manifold_->to_tangent(x.data(), v.data());
    result.gradients.store_tile(tile, v.data());
  }
  std::vector<std::size_t> lost;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::span<double> gradient = result.gradients[i];
    for (std::size_t c = 0; c < standardisation_.scale.size(); ++c) gradient[c] /= standardisation_.scale[c];
    if (is_finite<double>(gradient)) continue;
    std::fill(gradient.begin(), gradient.end(), std::numeric_limits<double>::quiet_NaN());
    if (std::isfinite(result.values[i])) lost.push_back(i);
  }
  add_lost(result.summary.failures, lost);
  return result;
}

Carried<double> Density::sample(std::size_t n, std::uint64_t seed, std::uint64_t first) const {
  return in_units(draw(n, seed, first));
}

Carried<double> Density::in_units(Carried<double> path) const {
  for (Points<double>& frame : path.frames) frame = standardisation_.in_units(std::move(frame));
  return path;
}

std::vector<DensityPart> Density::parts() const {
  std::vector<DensityPart> result;
  add_parts(1, result);
  return result;
}

void require_exact(const Density& density) {
  require(density.exact(), "the density of a flow with Hutchinson's divergence cannot be integrated",
          "make the flow with with_exact_divergence(config)");
}

Integrand density_of(const Density& density) {
  require_exact(density);
  return [&density](const Points<double>& points, std::span<double> values) {
    const std::vector<double> log_p = density.log_prob(points).values;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]);
  };
}

Carried<double> draw_in_pieces(std::size_t n, int ambient, int threads, std::uint64_t seed,
                               std::uint64_t first,
                               const std::function<void(Random& random, Pack<double>* x)>& draw) {
  Points<double> points(n, ambient);
  Executor executor(threads);
  in_pieces(&executor, n, kDrawsAtOnce, [&](std::size_t begin, std::size_t end) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(ambient));
    for (std::size_t i = begin; i < end; ++i) {
      Random random(seed, Purpose::base_sample, 0, first + i);
      draw(random, x.data());
      for (std::size_t c = 0; c < x.size(); ++c) points[i][c] = x[c][0];
    }
  });
  Carried<double> result;
  result.frames.push_back(std::move(points));
  result.summary.points = n;
  return result;
}

}  // namespace riemflow
