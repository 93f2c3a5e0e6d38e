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
  struct Tested {
    double sum = 0, times = 0, weight = 1;  // Σ_j d_ij, r_i and v_i
  };
  std::map<std::size_t, Tested> of_point;
  std::vector<double> means, within, by_chance, ratios;  // of the splits
  WeightSums in_mean;                                    // u_j
  double sum = 0, N = 0;
  for (const TestedSplit& split : splits) {
    RunningMean values;
    WeightSums weights;
    for (std::size_t i = 0; i < split.points.size(); ++i) {
      const double d = split.values[i], v = weight_of(split.weights, i);
      if (!std::isfinite(d)) continue;
      values.add(d, v);
      weights.add(v);
      Tested& point = of_point[split.points[i]];
      point.sum += d;
      point.times += 1;
      point.weight = v;
      sum += v * d;
      N += v;
    }
    if (values.size() == 0) continue;
    const auto n2 = static_cast<double>(values.size());
    const double error = values.standard_error(), n_v = weights.effective();
    means.push_back(values.mean());
    within.push_back(values.size() < 2 ? 0 : error * error * n_v);
    by_chance.push_back((1 - n2 / static_cast<double>(split.all)) / n_v);
    ratios.push_back(n2 / static_cast<double>(split.training));
    in_mean.add(weights.total() / n2);
  }
  SplitMean result{kNaN, kNaN, of_point.size(), means.size()};
  if (means.empty()) return result;
  result.mean = sum / N;
  if (of_point.size() < 2) return result;

  RunningMean averages;
  WeightSums weights;
  double squares = 0;
  for (const auto& [number, point] : of_point) {
    averages.add(point.sum / point.times, point.weight);
    weights.add(point.weight);
    squares += std::pow(point.weight * (point.sum - point.times * result.mean), 2);
  }
  const double least = averages.standard_error(),
               points = std::max(weights.correction() * squares / (N * N), least * least);
  const double B = std::max(0.0, variance(means) - mean(within) * mean(by_chance));
  result.error = std::sqrt(points + (means.size() > 1 ? (1 / in_mean.effective() + mean(ratios)) * B : 0));
  return result;
}

}  // namespace riemflow
