#include "riemflow/fit/comparison_summary.hpp"

#include <fmt/format.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/fit/split_mean.hpp"

namespace riemflow {
namespace {

/// The runs of a method by the seeds of their splits.
using RunsBySeed = std::map<std::uint64_t, const ComparedRun*>;

/// −log p, or log q − log p where `others` are given, of the splits that all have.
Estimate over_points(const RunsBySeed& own, const RunsBySeed* others, const TestPoints& tests,
                     const Weights& weights) {
  std::vector<TestedSplit> splits;
  for (const auto& [seed, run] : own) {
    if (others != nullptr && !others->contains(seed)) continue;
    TestedSplit split{tests.at(seed), {}, run->points[0], run->points[0] + run->points[1] + run->points[2]};
    for (const std::size_t point : split.points)
      if (!weights.empty()) split.weights.push_back(weights[point]);
    for (std::size_t i = 0; i < run->log_densities.size(); ++i)
      split.values.push_back((others == nullptr ? 0 : others->at(seed)->log_densities[i]) -
                             run->log_densities[i]);
    splits.push_back(std::move(split));
  }
  const SplitMean found = mean_over_splits(splits);
  return {found.mean, found.error};
}

/// Of the runs that have such a number, each by weight(seed); NaN of none.
template <class Number, class Weight>
double over_runs(const RunsBySeed& runs, const Number& number, const Weight& weight) {
  RunningMean mean;
  for (const auto& [seed, run] : runs)
    if (const double value = number(*run); !std::isnan(value)) mean.add(value, weight(seed));
  return mean.mean();
}
template <class Number>
double over_runs(const RunsBySeed& runs, const Number& number) {
  return over_runs(runs, number, [](std::uint64_t) { return 1.0; });
}

double nll_of(const ComparedRun& run) { return run.nll.mean; }

}  // namespace

Summary summarise(const std::vector<ComparedRun>& all, const std::vector<Method>& methods,
                  const std::string& protocol, const TestPoints& tests, const Weights& weights) {
  std::map<std::string, RunsBySeed> runs;  // of the methods
  std::map<std::string, std::string> problems;
  for (const ComparedRun& run : all) {
    const auto test = tests.find(run.seed);
    if (run.protocol != protocol || test == tests.end()) continue;
    if (!run.problem.empty()) {
      problems[run.method] = run.problem;
      continue;
    }
    require(run.log_densities.size() == test->second.size(),
            fmt::format("the runs of {} {}, seed {}, are not of these data", run.method, protocol, run.seed),
            "name another ‹directory›, or move them away", Fault::bad_data);
    runs[run.method][run.seed] = &run;
  }
  // A split is in the mean of all by the weight of its test points, as in that of the differences.
  const auto weight_of_test = [&](std::uint64_t seed) {
    if (weights.empty()) return 1.0;
    double sum = 0;
    for (const std::size_t point : tests.at(seed)) sum += weights[point];
    return sum;
  };
  Summary summary;
  summary.protocol = protocol;
  double lowest = std::numeric_limits<double>::infinity();
  for (const Method& method : methods)
    if (const double nll = over_runs(runs[method.name], nll_of, weight_of_test);
        method.kernel && nll < lowest) {
      lowest = nll;
      summary.best = method.name;
    }
  for (const Method& method : methods) {
    const RunsBySeed& own = runs[method.name];
    const std::string problem = problems[method.name];
    if (own.empty() && problem.empty()) continue;
    const auto less = [&](const std::string& other) -> Estimate {
      if (!runs.contains(other) || own.empty()) return {};
      if (other == method.name) return {.mean = 0};
      return over_points(own, &runs[other], tests, weights);
    };
    SummaryRow row{
        .method = method.name,
        .splits = own.size(),
        .nll = {over_runs(own, nll_of, weight_of_test), over_points(own, nullptr, tests, weights).error},
        .validation = over_runs(own, [](const ComparedRun& run) { return run.validation; }),
        .to_one = less("kernel-one"),
        .to_best = less(summary.best),
        .seconds = over_runs(own, [](const ComparedRun& run) { return run.seconds; }),
        .problem = problem};
    for (const auto& [seed, run] : own) {
      row.failed += run->failed;
      if (std::isnan(row.mass.mean) || std::abs(run->mass.mean - 1) > std::abs(row.mass.mean - 1))
        row.mass = run->mass;
    }
    summary.rows.push_back(std::move(row));
  }
  return summary;
}

}  // namespace riemflow
