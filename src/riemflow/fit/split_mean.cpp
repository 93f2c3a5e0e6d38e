#include "riemflow/fit/split_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "riemflow/core/running_mean.hpp"

namespace riemflow {
namespace {

RunningMean over(const std::vector<double>& values) {
  RunningMean mean;
  for (const double value : values) mean.add(value);
  return mean;
}

/// Of values about their mean, with n − 1; 0 of fewer than two.
double variance(const std::vector<double>& values) {
  const double error = over(values).standard_error();
  return values.size() < 2 ? 0 : error * error * static_cast<double>(values.size());
}

double mean(const std::vector<double>& values) { return over(values).mean(); }

}  // namespace

SplitMean mean_over_splits(const std::vector<TestedSplit>& splits) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::map<std::size_t, std::pair<double, double>> of_point;  // Σ_j d_ij and r_i
  std::vector<double> means, within, by_chance, ratios;       // of the splits
  double sum = 0, N = 0;
  for (const TestedSplit& split : splits) {
    std::vector<double> values;
    for (std::size_t i = 0; i < split.points.size(); ++i) {
      const double d = split.values[i];
      if (!std::isfinite(d)) continue;
      values.push_back(d);
      auto& [total, times] = of_point[split.points[i]];
      total += d;
      times += 1;
      sum += d;
      N += 1;
    }
    if (values.empty()) continue;
    const auto n2 = static_cast<double>(values.size());
    means.push_back(mean(values));
    within.push_back(variance(values));
    by_chance.push_back((1 - n2 / static_cast<double>(split.all)) / n2);
    ratios.push_back(n2 / static_cast<double>(split.training));
  }
  SplitMean result{kNaN, kNaN, of_point.size(), means.size()};
  if (means.empty()) return result;
  result.mean = sum / N;
  if (of_point.size() < 2) return result;

  const auto K = static_cast<double>(of_point.size()), J = static_cast<double>(means.size());
  std::vector<double> averages;
  double squares = 0;
  for (const auto& [point, own] : of_point) {
    averages.push_back(own.first / own.second);
    squares += std::pow(own.first - own.second * result.mean, 2);
  }
  const double points = std::max(K / (K - 1) * squares / (N * N), variance(averages) / K);
  const double B = std::max(0.0, variance(means) - mean(within) * mean(by_chance));
  result.error = std::sqrt(points + (means.size() > 1 ? (1 / J + mean(ratios)) * B : 0));
  return result;
}

}  // namespace riemflow
