#include "riemflow/reproduce/candidate.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace riemflow
