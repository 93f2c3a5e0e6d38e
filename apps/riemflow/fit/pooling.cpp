#include "apps/riemflow/fit/pooling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/riemflow/support/exact_flow.hpp"
#include "apps/riemflow/support/scoring.hpp"

namespace riemflow::app {
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

std::vector<double> log_densities_of_model(const Model& model, const ModelChoice& choice,
                                           const Points<double>& points) {
  if (points.size() == 0) return {};
  return with_exact_density(model, choice, [&](auto& density) { return log_density_at(density, points); });
}

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

nlohmann::ordered_json pool_rows(const std::vector<Contender>& contenders, const WeighedPool& pool) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t m = 0; m < contenders.size(); ++m) {
    const Contender& contender = contenders[m];
    if (!shown(contender, pool.weights.weights[m])) continue;
    nlohmann::ordered_json row = {{"name", contender.name},
                                  {"model", name_of(contender.models.front().config.model)},
                                  {"weight", pool.weights.weights[m]},
                                  {"validation_nll", mean_score(contender.validation).nll}};
    if (!contender.test.empty()) {
      const MeanScore test = mean_score(contender.test);
      row["test_nll"] = test.nll;
      row["test_nll_standard_error"] = test.error;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace riemflow::app
