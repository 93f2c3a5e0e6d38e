#include "apps/riemflow/compare/summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/fit/split_mean.hpp"

namespace riemflow::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The runs of a cell by the seeds of their splits.
using Runs = std::map<std::uint64_t, const Json*>;

double number(const Json& json) { return json.is_number() ? json.get<double>() : kNaN; }

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
            "name another --directory, or move them away", Fault::bad_data);
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

/// Of the runs that have such a number.
double mean_of(const Runs& runs, const char* key) {
  double sum = 0, n = 0;
  for (const auto& [seed, run] : runs)
    if (const Json& value = entry(*run, key); value.is_number()) {
      sum += value.get<double>();
      n += 1;
    }
  return sum / n;  // NaN of none
}

std::string text(const Estimate& estimate, bool sign = false) {
  if (std::isnan(estimate.mean)) return "–";
  const std::string value =
      sign ? fmt::format("{:+.3f}", estimate.mean) : fmt::format("{:.3f}", estimate.mean);
  return std::isnan(estimate.error) ? value : fmt::format("{} ± {:.3f}", value, estimate.error);
}

std::string mass_text(const SummaryRow& row) {
  return std::isnan(row.mass) ? "–" : fmt::format("{:.4f} ± {:.1g}", row.mass, row.mass_error);
}

}  // namespace

std::string cell_name(const Method& method, const std::string& protocol) {
  return method.name + " " + protocol;
}

Summary summarise(const Results& results, const std::vector<const Method*>& methods,
                  const std::string& protocol, const TestPoints& tests) {
  const auto runs = [&](const Method& method) {
    return runs_of(results, cell_name(method, protocol), tests);
  };
  Summary summary;
  summary.protocol = protocol;
  double lowest = std::numeric_limits<double>::infinity();
  const Method* one = nullptr;
  for (const Method* method : methods) {
    if (!method->kernel) continue;
    if (method->name == "kernel-one") one = method;
    const double nll = mean_of(runs(*method), "nll");
    if (nll < lowest) {
      lowest = nll;
      summary.best = method;
    }
  }
  for (const Method* method : methods) {
    const Runs own = runs(*method);
    SummaryRow row{.method = method, .nll = {}, .to_one = {kNaN, kNaN}, .to_best = {kNaN, kNaN}};
    row.splits = own.size();
    if (row.splits == 0) continue;
    row.nll = {mean_of(own, "nll"), mean_of(own, nullptr, tests).error};
    row.validation = mean_of(own, "validation_nll");
    row.seconds = mean_of(own, "fit_seconds");
    const auto less = [&](const Method* other) -> Estimate {
      if (other == nullptr) return {kNaN, kNaN};
      if (other == method) return {0, kNaN};
      const Runs theirs = runs(*other);
      return mean_of(own, &theirs, tests);
    };
    row.to_one = less(one);
    row.to_best = less(summary.best);
    row.mass = row.mass_error = kNaN;
    for (const auto& [seed, run] : own) {
      if (const Json& failed = entry(*run, "failed"); failed.is_number())
        row.failed += failed.get<std::size_t>();
      const double mass = number(entry(*run, "mass"));
      if (std::isnan(row.mass) || std::abs(mass - 1) > std::abs(row.mass - 1)) {
        row.mass = mass;
        row.mass_error = number(entry(*run, "mass_error"));
      }
    }
    summary.rows.push_back(row);
  }
  return summary;
}

std::string markdown(const Summary& summary) {
  std::string table =
      "| method | test NLL | less one-bandwidth kernel density | less best kernel density | mass | seconds | "
      "splits |\n|---|---|---|---|---|---|---|\n";
  for (const SummaryRow& row : summary.rows)
    table += fmt::format("| {}{} | {} | {} | {} | {} | {} | {}{} |\n", row.method->name,
                         row.method == summary.best ? " (best kernel density)" : "", text(row.nll),
                         text(row.to_one, true), text(row.to_best, true), mass_text(row),
                         std::isnan(row.seconds) ? "–" : fmt::format("{:.0f}", row.seconds), row.splits,
                         row.failed > 0 ? fmt::format(", {} points failed", row.failed) : "");
  return table;
}

std::string footnote() {
  return "Each ± is one standard error of what another data set would give: test points are averaged over "
         "the "
         "splits that they are in, so that more splits of the same points cannot take it below that of the "
         "points, and the variance between splits is added with Nadeau and Bengio's correction for training "
         "sets that overlap; of one split it is that of its test points.";
}

std::string csv(const std::vector<Summary>& summaries) {
  std::string lines =
      "protocol,method,splits,nll,nll_standard_error,validation_nll,to_one,to_one_standard_error,to_best,"
      "to_best_standard_error,best_kernel,mass,mass_error,seconds,failed\n";
  const auto cell = [](double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); };
  for (const Summary& summary : summaries)
    for (const SummaryRow& row : summary.rows)
      lines +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", summary.protocol, row.method->name,
                      row.splits, cell(row.nll.mean), cell(row.nll.error), cell(row.validation),
                      cell(row.to_one.mean), cell(row.to_one.error), cell(row.to_best.mean),
                      cell(row.to_best.error), summary.best == nullptr ? "" : summary.best->name,
                      cell(row.mass), cell(row.mass_error), cell(row.seconds), row.failed);
  return lines;
}

Json json_of(const Summary& summary) {
  Json rows = Json::array();
  for (const SummaryRow& row : summary.rows)
    rows.push_back({{"method", row.method->name},
                    {"splits", row.splits},
                    {"nll", row.nll.mean},
                    {"nll_standard_error", row.nll.error},
                    {"validation_nll", row.validation},
                    {"to_one_bandwidth", {{"mean", row.to_one.mean}, {"standard_error", row.to_one.error}}},
                    {"to_best_kernel", {{"mean", row.to_best.mean}, {"standard_error", row.to_best.error}}},
                    {"mass", row.mass},
                    {"mass_error", row.mass_error},
                    {"seconds", row.seconds},
                    {"failed", row.failed}});
  return {{"protocol", summary.protocol},
          {"best_kernel", summary.best == nullptr ? Json() : Json(summary.best->name)},
          {"rows", rows}};
}

}  // namespace riemflow::app
