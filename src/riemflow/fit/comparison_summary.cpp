#include "riemflow/fit/comparison_summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/running_mean.hpp"
#include "riemflow/fit/split_mean.hpp"

namespace riemflow {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

/// The runs of a cell by the seeds of their splits.
using Runs = std::map<std::uint64_t, const Json*>;

double number(const Json& json) { return json.is_number() ? json.get<double>() : kMissing; }

/// run[key]; null where it has none.
const Json& entry(const Json& run, const char* key) {
  static const Json none;
  const auto found = run.find(key);
  return found == run.end() ? none : *found;
}

Runs runs_of(const Results& results, const std::string& cell, const TestPoints& tests) {
  Runs runs;
  for (const Json* run : results.runs_of(cell)) {
    const auto seed = run->value("split", std::uint64_t{0});
    const auto test = tests.find(seed);
    if (test == tests.end()) continue;
    require(entry(*run, "log_densities").size() == test->second.size() && entry(*run, "points").size() == 3,
            fmt::format("the runs of {}, seed {}, are not of these data", cell, seed),
            "name another ‹directory›, or move them away", Fault::bad_data);
    runs[seed] = run;
  }
  return runs;
}

/// −log p, or log q − log p where `others` are given, of the splits that all have.
Estimate mean_of(const Runs& own, const Runs* others, const TestPoints& tests) {
  std::vector<TestedSplit> splits;
  for (const auto& [seed, run] : own) {
    if (others != nullptr && !others->contains(seed)) continue;
    const Json &p = entry(*run, "log_densities"), &points = entry(*run, "points");
    TestedSplit split{tests.at(seed), {}, points[0].get<std::size_t>(), 0};
    for (const Json& part : points) split.all += part.get<std::size_t>();
    for (std::size_t i = 0; i < p.size(); ++i)
      split.values.push_back((others == nullptr ? 0 : number(entry(*others->at(seed), "log_densities")[i])) -
                             number(p[i]));
    splits.push_back(std::move(split));
  }
  const SplitMean found = mean_over_splits(splits);
  return {found.mean, found.error};
}

/// Of the runs that have such a number; NaN of none.
double mean_of(const Runs& runs, const char* key) {
  RunningMean mean;
  for (const auto& [seed, run] : runs)
    if (const Json& value = entry(*run, key); value.is_number()) mean.add(value.get<double>());
  return mean.mean();
}

}  // namespace

std::string cell_name(const Method& method, const std::string& protocol) {
  return method.name + " " + protocol;
}

Summary summarise(const Results& results, const std::vector<Method>& methods, const std::string& protocol,
                  const TestPoints& tests) {
  Summary summary;
  summary.protocol = protocol;
  std::map<std::string, Runs> runs;  // of the methods
  double lowest = std::numeric_limits<double>::infinity();
  for (const Method& method : methods) {
    const Runs& own = runs[method.name] = runs_of(results, cell_name(method, protocol), tests);
    if (const double nll = mean_of(own, "nll"); method.kernel && nll < lowest) {
      lowest = nll;
      summary.best = method.name;
    }
  }
  for (const Method& method : methods) {
    const Runs& own = runs[method.name];
    if (own.empty()) continue;
    const auto less = [&](const std::string& other) -> Estimate {
      if (!runs.contains(other)) return {kMissing, kMissing};
      if (other == method.name) return {0, kMissing};
      return mean_of(own, &runs[other], tests);
    };
    SummaryRow row{.method = method.name,
                   .splits = own.size(),
                   .nll = {mean_of(own, "nll"), mean_of(own, nullptr, tests).error},
                   .validation = mean_of(own, "validation_nll"),
                   .to_one = less("kernel-one"),
                   .to_best = less(summary.best),
                   .mass = kMissing,
                   .mass_error = kMissing,
                   .seconds = mean_of(own, "fit_seconds")};
    for (const auto& [seed, run] : own) {
      if (const Json& failed = entry(*run, "failed"); failed.is_number())
        row.failed += failed.get<std::size_t>();
      const double mass = number(entry(*run, "mass"));
      if (std::isnan(row.mass) || std::abs(mass - 1) > std::abs(row.mass - 1)) {
        row.mass = mass;
        row.mass_error = number(entry(*run, "mass_error"));
      }
    }
    summary.rows.push_back(std::move(row));
  }
  return summary;
}

}  // namespace riemflow
