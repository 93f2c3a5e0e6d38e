#include "riemflow/fit/pooling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"

namespace riemflow {
namespace {

constexpr double kLittleWeight = 0.01;

/// p_m(x_i) divided by the largest of the point's, row by row; and the sum of the logarithms of these.
struct Ratios {
  std::size_t members;
  std::vector<double> values;  // [point][member]
  Weights weights = {};        // of the points
  double total = 0;            // of the weights
  double log_scale = 0;

  std::size_t points() const { return values.size() / members; }
};

Ratios ratios_of(const std::vector<std::vector<double>>& log_densities, const Weights& weights) {
  Ratios ratios{log_densities.size(), {}};
  const std::size_t n = log_densities.front().size();
  std::vector<double> row(ratios.members);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < ratios.members; ++m) row[m] = log_densities[m][i];
    const double most = *std::max_element(row.begin(), row.end());
    const bool known = std::none_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
    if (!known || !std::isfinite(most)) continue;
    for (const double value : row) ratios.values.push_back(std::exp(value - most));
    ratios.weights.push_back(weight_of(weights, i));
    ratios.total += ratios.weights.back();
    ratios.log_scale += ratios.weights.back() * most;
  }
  return ratios;
}

/// gains = g_m, (=); returns L(w).
double gains_of(const Ratios& ratios, const std::vector<double>& weights, std::vector<double>& gains) {
  std::fill(gains.begin(), gains.end(), 0);
  double sum = ratios.log_scale;
  for (std::size_t i = 0; i < ratios.points(); ++i) {
    const double* row = &ratios.values[i * ratios.members];
    const double v = ratios.weights[i];
    double p = 0;
    for (std::size_t m = 0; m < ratios.members; ++m) p += weights[m] * row[m];
    for (std::size_t m = 0; m < ratios.members; ++m) gains[m] += v * row[m] / (p * ratios.total);
    sum += v * std::log(p);
  }
  return sum / ratios.total;
}

std::vector<std::vector<double>> columns_of(const std::vector<Contender>& contenders,
                                            std::vector<double> Contender::*part) {
  std::vector<std::vector<double>> columns;
  for (const Contender& contender : contenders) columns.push_back(contender.*part);
  return columns;
}

bool shown(const Contender& contender, double weight) { return weight > 0 || !contender.variant; }

std::string nats(const std::vector<double>& log_densities, const Weights& weights) {
  return log_densities.empty() ? "–" : fmt::format("{:.4f}", mean_score(log_densities, weights).nll);
}

}  // namespace

PoolWeights fit_pool_weights(const std::vector<std::vector<double>>& log_densities, double tolerance,
                             long most_iterations, const Weights& of_points) {
  require(!log_densities.empty() && !log_densities.front().empty(),
          "the weights of a pool without members or points", "give at least one of both");
  for (const auto& member : log_densities)
    require(member.size() == log_densities.front().size(), "members of a pool scored on different points",
            "score them on the same", Fault::internal);
  require(of_points.empty() || of_points.size() == log_densities.front().size(),
          "weights of other points than those that members of a pool are scored on", "give one a point",
          Fault::internal);
  const Ratios ratios = ratios_of(log_densities, of_points);
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

WeighedPool weigh(const std::vector<Contender>& contenders, ScoredWeights points) {
  WeighedPool pool;
  pool.points = std::move(points);
  const auto validation = columns_of(contenders, &Contender::validation);
  pool.weights = fit_pool_weights(validation, kPoolTolerance, kPoolIterations, pool.points.validation);
  pool.validation = pooled_log_densities(validation, pool.weights.weights);
  if (!contenders.front().test.empty())
    pool.test = pooled_log_densities(columns_of(contenders, &Contender::test), pool.weights.weights);
  std::vector<Model> members;
  std::vector<double> weights;
  for (std::size_t c = 0; c < contenders.size(); ++c)
    for (Model model : contenders[c].models) {
      model.metadata["name"] = contenders[c].name;
      members.push_back(std::move(model));
      weights.push_back(pool.weights.weights[c] / static_cast<double>(contenders[c].models.size()));
    }
  pool.model = make_pool(members, weights);
  return pool;
}

MeanScore mean_score(const std::vector<double>& log_densities, const Weights& weights) {
  RunningMean mean;
  MeanScore score;
  for (std::size_t i = 0; i < log_densities.size(); ++i) {
    if (std::isnan(log_densities[i]))
      ++score.failed;
    else
      mean.add(log_densities[i], weight_of(weights, i));
  }
  score.nll = -mean.mean();
  score.error = mean.standard_error();
  return score;
}

double unseen_nll(const std::vector<Contender>& contenders, const Weights& of_points) {
  const auto all = columns_of(contenders, &Contender::validation);
  const std::size_t n = all.front().size();
  if (n < 2) return weigh(contenders, {of_points, {}}).weights.nll;
  std::vector<double> scores(n);
  for (const std::size_t half : {0u, 1u}) {
    std::vector<std::vector<double>> choosing(all.size());
    Weights weights;
    for (std::size_t i = 1 - half; i < n; i += 2) {
      for (std::size_t m = 0; m < all.size(); ++m) choosing[m].push_back(all[m][i]);
      if (!of_points.empty()) weights.push_back(of_points[i]);
    }
    const PoolWeights chosen = fit_pool_weights(choosing, kPoolTolerance, kPoolIterations, weights);
    const std::vector<double> pooled = pooled_log_densities(all, chosen.weights);
    for (std::size_t i = half; i < n; i += 2) scores[i] = pooled[i];
  }
  return mean_score(scores, of_points).nll;
}

std::string pool_table(const std::vector<Contender>& contenders, const WeighedPool& pool) {
  std::size_t width = 11;
  for (std::size_t m = 0; m < contenders.size(); ++m)
    if (shown(contenders[m], pool.weights.weights[m])) width = std::max(width, contenders[m].name.size());
  std::string text = fmt::format("{:<{}}  {:>7}  {:>10}  {:>8}   (NLL in nats; lower is better)\n", "member",
                                 width, "weight", "validation", "test");
  for (std::size_t m = 0; m < contenders.size(); ++m)
    if (shown(contenders[m], pool.weights.weights[m]))
      text += fmt::format("{:<{}}  {:>7.4f}  {:>10}  {:>8}\n", contenders[m].name, width,
                          pool.weights.weights[m], nats(contenders[m].validation, pool.points.validation),
                          nats(contenders[m].test, pool.points.test));
  return text + fmt::format("{:<{}}  {:>7}  {:>10}  {:>8}\n", "pool", width, "1",
                            nats(pool.validation, pool.points.validation), nats(pool.test, pool.points.test));
}

std::vector<MemberScore> pool_rows(const std::vector<Contender>& contenders, const WeighedPool& pool) {
  std::vector<MemberScore> rows;
  for (std::size_t m = 0; m < contenders.size(); ++m) {
    const Contender& contender = contenders[m];
    if (!shown(contender, pool.weights.weights[m])) continue;
    const MeanScore test = mean_score(contender.test, pool.points.test);
    rows.push_back({contender.name, std::string(name_of(contender.models.front().config.model)),
                    pool.weights.weights[m], mean_score(contender.validation, pool.points.validation).nll,
                    test.nll, test.error});
  }
  return rows;
}

}  // namespace riemflow
