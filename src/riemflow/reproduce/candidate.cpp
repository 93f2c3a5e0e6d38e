#include "riemflow/reproduce/candidate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/mass.hpp"

namespace riemflow {
namespace {

const CubatureOptions kMassOptions{5e-4, 0, 400'000};

}  // namespace

Candidate::Candidate(const FlowConfig& config, int threads, Device device)
    : model_(make_transport<float>(with_exact_divergence(config), 0, threads, device)) {}

void Candidate::take(std::span<const float> parameters) {
  std::copy(parameters.begin(), parameters.end(), model_->parameters().begin());
}

std::vector<double> Candidate::log_prob(const Points<double>& points) {
  LogProb<double> result = seen_as_density(*model_).log_prob(points);
  evaluations = result.summary.mean_evaluations();
  std::vector<double> values = std::move(result.values);
  failed += static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
  return values;
}

std::vector<double> Candidate::log_base(const Points<double>& points) const {
  return model_->log_base(converted<float>(points));
}

Points<double> Candidate::sample(std::size_t n, std::uint64_t seed) {
  const Points<double> good = converted<double>(finite_points(model_->sample(n, seed).frames.back()));
  failed += n - good.size();
  return good;
}

double Candidate::mass() { return flow_mass(*model_, {kMassOptions}).integral.value; }

double Candidate::mass_of_coordinates() {
  return flow_mass(model_->coordinates(), {kMassOptions}).integral.value;
}

Json grid_of(const Lattice& lattice, const LogDensity& log_density) {
  std::vector<std::size_t> cells;
  Points<double> points;
  points.dimension = lattice.ambient;
  std::vector<double> point(static_cast<std::size_t>(lattice.ambient));
  std::size_t cell = 0;
  for (double row : lattice.rows.centres)
    for (double column : lattice.columns.centres) {
      if (lattice.place(row, column, point.data())) {
        cells.push_back(cell);
        points.values.insert(points.values.end(), point.begin(), point.end());
      }
      ++cell;
    }
  const std::vector<double> at_points = log_density(points);
  std::vector<double> values(lattice.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < cells.size(); ++i) values[cells[i]] = at_points[i];
  return {{"rows", rounded_array(lattice.rows.centres, 6)},
          {"columns", rounded_array(lattice.columns.centres, 6)},
          {"log_density", rounded_array(values)}};
}

}  // namespace riemflow
