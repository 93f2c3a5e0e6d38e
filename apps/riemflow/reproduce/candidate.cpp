#include "apps/riemflow/reproduce/candidate.hpp"

#include <cmath>
#include <limits>

#include "riemflow/engine/mass.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/whole.hpp"

namespace riemflow::app {
namespace {

constexpr CubatureOptions kMassOptions{5e-4, 0, 400'000};

}  // namespace

Candidate::Candidate(const FlowConfig& config, std::shared_ptr<const ChartMap<double>> chart, int threads)
    : chart_(std::move(chart)), flow_(with_exact_divergence(config), 0, threads) {}

void Candidate::take(std::span<const float> parameters) {
  std::copy(parameters.begin(), parameters.end(), flow_.parameters().begin());
}

std::vector<double> Candidate::log_prob(const Points<double>& points) {
  if (chart_ == nullptr) {
    SolveSummary cost;
    std::vector<double> values = log_density_at(flow_, points, &cost);
    evaluations = cost.mean_evaluations();
    for (double value : values) failed += std::isnan(value) ? 1 : 0;
    return values;
  }
  const Mapped<double> mapped = chart_->to_chart(points);
  Points<double> good;
  good.dimension = mapped.points.dimension;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(mapped.points[i][0])) continue;
    places.push_back(i);
    good.values.insert(good.values.end(), mapped.points[i].begin(), mapped.points[i].end());
  }
  const LogProb<float> result = flow_.log_prob(rounded_points<float>(good));
  evaluations = result.summary.mean_evaluations();
  failed += result.summary.failures.size() + points.size() - places.size();
  std::vector<double> values(points.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < places.size(); ++k)
    values[places[k]] = static_cast<double>(result.values[k]) - mapped.log_volume[places[k]];
  return values;
}

std::vector<double> Candidate::base_log_prob(const Points<double>& points) {
  const std::vector<float> parameters(flow_.parameters().begin(), flow_.parameters().end());
  std::fill(flow_.parameters().begin(), flow_.parameters().end(), 0.0F);
  std::vector<double> values = log_prob(points);
  take(parameters);
  return values;
}

Points<double> Candidate::sample(std::size_t n, std::uint64_t seed) {
  const Carried<float> drawn = flow_.sample(n, seed);
  const Points<double> ends = rounded_points<double>(drawn.frames.back());
  const Points<double> images = chart_ == nullptr ? ends : chart_->to_manifold(ends).points;
  Points<double> good;
  good.dimension = images.dimension;
  for (std::size_t i = 0; i < images.size(); ++i)
    if (std::isfinite(images[i][0]))
      good.values.insert(good.values.end(), images[i].begin(), images[i].end());
  failed += n - good.size();
  return good;
}

double Candidate::mass() {
  const auto manifold = parse_manifold<double>(chart_ ? chart_->manifold().name() : flow_.config().manifold);
  const std::size_t failed_before = failed;  // what the cubature meets far out is its own to judge
  const Integrand density = [this](const Points<double>& points, std::span<double> values) {
    const std::vector<double> log_p = log_prob(points);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]);
  };
  const double value =
      integrate(density, whole_manifold(*manifold, kReachFloat), manifold->ambient(), kMassOptions).value;
  failed = failed_before;
  return value;
}

double Candidate::mass_of_chart() { return total_mass(flow_, kMassOptions).integral.value; }

}  // namespace riemflow::app
