#include "riemflow/fit/pool_weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

constexpr double kLittleWeight = 0.01;

/// p_m(x_i) divided by the largest of the point's, row by row; and the mean of the logarithms of these.
struct Ratios {
  std::size_t members;
  std::vector<double> values;  // [point][member]
  double log_scale = 0;

  std::size_t points() const { return values.size() / members; }
};

Ratios ratios_of(const std::vector<std::vector<double>>& log_densities) {
  Ratios ratios{log_densities.size(), {}};
  const std::size_t n = log_densities.front().size();
  std::vector<double> row(ratios.members);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < ratios.members; ++m) row[m] = log_densities[m][i];
    const double most = *std::max_element(row.begin(), row.end());
    const bool known = std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
    if (!known || !std::isfinite(most)) continue;
    for (const double value : row) ratios.values.push_back(std::exp(value - most));
    ratios.log_scale += most;
  }
  return ratios;
}

/// gains = g_m, (=); returns L(w).
double gains_of(const Ratios& ratios, const std::vector<double>& weights, std::vector<double>& gains) {
  std::fill(gains.begin(), gains.end(), 0);
  const auto n = static_cast<double>(ratios.points());
  double sum = ratios.log_scale;
  for (std::size_t i = 0; i < ratios.points(); ++i) {
    const double* row = &ratios.values[i * ratios.members];
    double p = 0;
    for (std::size_t m = 0; m < ratios.members; ++m) p += weights[m] * row[m];
    for (std::size_t m = 0; m < ratios.members; ++m) gains[m] += row[m] / (p * n);
    sum += std::log(p);
  }
  return sum / n;
}

}  // namespace

PoolWeights fit_pool_weights(const std::vector<std::vector<double>>& log_densities, double tolerance,
                             long most_iterations) {
  require(!log_densities.empty() && !log_densities.front().empty(),
          "the weights of a pool without members or points", "give at least one of both");
  for (const auto& member : log_densities)
    require(member.size() == log_densities.front().size(), "members of a pool scored on different points",
            "score them on the same", Fault::internal);
  const Ratios ratios = ratios_of(log_densities);
  require(ratios.points() > 0, "every validation point failed in a member of the pool",
          "leave that member out; riemflow check tells more of it", Fault::numerical);

  PoolWeights result;
  std::vector<double> gains(ratios.members);
  result.weights.assign(ratios.members, 1 / static_cast<double>(ratios.members));
  double likelihood = gains_of(ratios, result.weights, gains);
  const auto gap = [&] { return *std::max_element(gains.begin(), gains.end()) - 1; };
  while (gap() > tolerance && result.iterations < most_iterations) {
    for (std::size_t m = 0; m < ratios.members; ++m) result.weights[m] *= gains[m];
    likelihood = gains_of(ratios, result.weights, gains);
    ++result.iterations;
  }
  // EM takes weights to 0 only in the limit: those that nothing is lost without are left out, the least
  // first.
  std::vector<std::size_t> order(ratios.members);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return result.weights[a] < result.weights[b]; });
  for (const std::size_t m : order) {
    if (result.weights[m] > kLittleWeight) break;
    std::vector<double> without = result.weights;
    without[m] = 0;
    const double kept = std::accumulate(without.begin(), without.end(), 0.0);
    for (double& weight : without) weight /= kept;
    std::vector<double> changed(ratios.members);
    const double lower = gains_of(ratios, without, changed);
    if (!(lower >= likelihood - tolerance)) continue;
    likelihood = lower;
    gains = changed;
    result.weights = without;
  }
  result.nll = -likelihood;
  result.gap = std::max(0.0, gap());
  return result;
}

std::vector<double> pooled_log_densities(const std::vector<std::vector<double>>& log_densities,
                                         const std::vector<double>& weights) {
  std::vector<double> pooled(log_densities.front().size());
  for (std::size_t i = 0; i < pooled.size(); ++i) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t m = 0; m < weights.size(); ++m)
      if (weights[m] > 0) most = std::max(most, log_densities[m][i]);
    for (std::size_t m = 0; m < weights.size(); ++m)
      if (weights[m] > 0) sum += weights[m] * std::exp(log_densities[m][i] - most);
    pooled[i] = std::isinf(most) ? most : most + std::log(sum);
  }
  return pooled;
}

}  // namespace riemflow
