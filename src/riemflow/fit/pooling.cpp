#include "riemflow/fit/pooling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/running_mean.hpp"

namespace riemflow {
namespace {

std::vector<std::vector<double>> columns_of(const std::vector<Contender>& contenders,
                                            std::vector<double> Contender::*part) {
  std::vector<std::vector<double>> columns;
  for (const Contender& contender : contenders) columns.push_back(contender.*part);
  return columns;
}

bool shown(const Contender& contender, double weight) { return weight > 0 || !contender.variant; }

std::string nats(const std::vector<double>& log_densities) {
  return log_densities.empty() ? "–" : fmt::format("{:.4f}", mean_score(log_densities).nll);
}

}  // namespace

WeighedPool weigh(const std::vector<Contender>& contenders) {
  WeighedPool pool;
  const auto validation = columns_of(contenders, &Contender::validation);
  pool.weights = fit_pool_weights(validation);
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

MeanScore mean_score(const std::vector<double>& log_densities) {
  RunningMean mean;
  MeanScore score;
  for (const double value : log_densities) {
    if (std::isnan(value))
      ++score.failed;
    else
      mean.add(value);
  }
  score.nll = -mean.mean();
  score.error = mean.standard_error();
  return score;
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
                          pool.weights.weights[m], nats(contenders[m].validation), nats(contenders[m].test));
  return text + fmt::format("{:<{}}  {:>7}  {:>10}  {:>8}\n", "pool", width, "1", nats(pool.validation),
                            nats(pool.test));
}

std::vector<MemberScore> pool_rows(const std::vector<Contender>& contenders, const WeighedPool& pool) {
  std::vector<MemberScore> rows;
  for (std::size_t m = 0; m < contenders.size(); ++m) {
    const Contender& contender = contenders[m];
    if (!shown(contender, pool.weights.weights[m])) continue;
    const MeanScore test = mean_score(contender.test);
    rows.push_back({contender.name, std::string(name_of(contender.models.front().config.model)),
                    pool.weights.weights[m], mean_score(contender.validation).nll, test.nll, test.error});
  }
  return rows;
}

}  // namespace riemflow
