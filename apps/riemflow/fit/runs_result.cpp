#include "apps/riemflow/fit/runs_result.hpp"

#include <fmt/format.h>

#include <cmath>

#include "riemflow/fit/provenance.hpp"

namespace riemflow::app {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Over the runs that have it; its standard error is NaN for one.
struct MeanOfRuns {
  double value = kUnknown, error = kUnknown;
  MeanOfRuns(const std::vector<Outcome>& outcomes, const char* key) {
    std::vector<double> values;
    for (const Outcome& outcome : outcomes)
      if (const double x = outcome.number(key); std::isfinite(x)) values.push_back(x);
    const auto n = static_cast<double>(values.size());
    if (values.empty()) return;
    double sum = 0, squares = 0;
    for (const double x : values) sum += x;
    value = sum / n;
    for (const double x : values) squares += (x - value) * (x - value);
    if (values.size() > 1) error = std::sqrt(squares / (n - 1) / n);
  }
};

std::string with_error(double value, double error) {
  if (std::isnan(value)) return "–";
  return std::isnan(error) ? fmt::format("{:.4f}", value) : fmt::format("{:.4f} ± {:.4f}", value, error);
}

/// The keys of a provenance that score a run: on test points, or against a target.
struct ScoreKeys {
  const char *title, *value, *error;
};
ScoreKeys score_keys(const DataSet& data) {
  if (data.target) return {"reverse KL", "reverse_kl", "reverse_kl_standard_error"};
  return {"test NLL", "test_nll", "test_nll_standard_error"};
}

}  // namespace

double Outcome::number(const char* key) const {
  const auto found = about.find(key);
  return found != about.end() && found->is_number() ? found->get<double>() : kUnknown;
}

std::string table_of_runs(const Runs& runs, const DataSet& data, const std::vector<Outcome>& outcomes) {
  const ScoreKeys score = score_keys(data);
  std::string text = fmt::format("{:>4}  {:>6}  {:>17}  {:>17}  {:>8}\n", "run", "seed", "validation",
                                 score.title, "seconds");
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    const Outcome& outcome = outcomes[run];
    text += fmt::format("{:>4}  {:>6}  ", run + 1, runs.requests[run].options.seed);
    if (outcome.ended())
      text += fmt::format("{:>17}  {:>17}  {:>8}\n", with_error(outcome.number("validation_nll"), kUnknown),
                          with_error(outcome.number(score.value), outcome.number(score.error)),
                          std::isnan(outcome.seconds) ? "–" : fmt::format("{:.1f}", outcome.seconds));
    else
      text += fmt::format("{:>17}\n", "failed");
  }
  const MeanOfRuns validation(outcomes, "validation_nll"), mean(outcomes, score.value);
  return text + fmt::format("{:>4}  {:>6}  {:>17}  {:>17}\n", "mean", "",
                            with_error(validation.value, validation.error),
                            with_error(mean.value, mean.error));
}

Json json_of_runs(const Runs& runs, const DataSet& data, const std::vector<Outcome>& outcomes,
                  std::optional<std::size_t> best) {
  Json rows = Json::array();
  for (std::size_t run = 0; run < outcomes.size(); ++run) {
    const Outcome& outcome = outcomes[run];
    Json row = {
        {"run", run + 1}, {"seed", runs.requests[run].options.seed}, {"model", runs.requests[run].output}};
    for (const char* key :
         {"iterations", "best_iteration", "stopped", "validation_nll", "test_nll", "test_nll_standard_error",
          "failed_test_points", "reverse_kl", "reverse_kl_standard_error", "effective_sample_share",
          "forward_kl", "forward_kl_standard_error", "missed_target_share"})
      if (outcome.about.is_object() && outcome.about.contains(key)) row[key] = outcome.about[key];
    if (outcome.ended())
      row["seconds"] = outcome.seconds;
    else
      row["error"] = outcome.problem;
    rows.push_back(std::move(row));
  }
  Json mean = Json::object();
  for (const char* key : {"validation_nll", score_keys(data).value}) {
    const MeanOfRuns of(outcomes, key);
    mean[key] = of.value;
    mean[std::string(key) + "_standard_error"] = of.error;
  }
  Json settings = Json::object();
  for (const auto& [name, value] : recorded_values(runs.requests.front().options)) settings[name] = value;
  return {{"model", best ? Json(runs.output) : Json()},
          {"best_run", best ? Json(*best + 1) : Json()},
          {"manifold", data.manifold},
          {"data", data_json(data)},
          {"runs", rows},
          {"mean", mean},
          {"settings", settings}};
}

}  // namespace riemflow::app
