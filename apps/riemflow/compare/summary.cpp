#include "apps/riemflow/compare/summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "apps/riemflow/support/scoring.hpp"

namespace riemflow::app {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The runs of a cell by their split.
std::map<int, const Json*> by_split(const Results& results, const std::string& cell) {
  std::map<int, const Json*> runs;
  for (const Json* run : results.runs_of(cell)) runs[run->value("split", -1)] = run;
  return runs;
}

double number(const Json& json) { return json.is_number() ? json.get<double>() : kNaN; }

/// run[key]; null where it has none.
const Json& entry(const Json& run, const char* key) {
  static const Json none;
  const auto found = run.find(key);
  return found == run.end() ? none : *found;
}

/// Mean of log q − log p over the points that both have, of the splits that both have.
Estimate difference(const Results& results, const std::string& own, const std::string& other) {
  RunningMean mean;
  const auto theirs = by_split(results, other);
  for (const auto& [split, run] : by_split(results, own)) {
    const auto found = theirs.find(split);
    if (found == theirs.end()) continue;
    const Json &p = entry(*run, "log_densities"), &q = entry(*found->second, "log_densities");
    for (std::size_t i = 0; i < std::min(p.size(), q.size()); ++i)
      if (const double d = number(q[i]) - number(p[i]); std::isfinite(d)) mean.add(d);
  }
  if (own == other) return {0, kNaN};
  return {mean.mean(), mean.standard_error()};
}

Estimate over_splits(const std::vector<double>& values) {
  RunningMean mean;
  for (const double value : values) mean.add(value);
  return {mean.mean(), mean.standard_error()};
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
                  const std::string& protocol) {
  Summary summary;
  summary.protocol = protocol;
  double lowest = std::numeric_limits<double>::infinity();
  const Method* one = nullptr;
  for (const Method* method : methods) {
    if (!method->kernel) continue;
    if (method->name == "kernel-one") one = method;
    const double nll = over_splits(results.values(cell_name(*method, protocol), "nll")).mean;
    if (nll < lowest) {
      lowest = nll;
      summary.best = method;
    }
  }
  for (const Method* method : methods) {
    const std::string cell = cell_name(*method, protocol);
    SummaryRow row{.method = method, .nll = {}, .to_one = {kNaN, kNaN}, .to_best = {kNaN, kNaN}};
    row.splits = results.runs(cell);
    if (row.splits == 0) continue;
    row.nll = over_splits(results.values(cell, "nll"));
    row.validation = over_splits(results.values(cell, "validation_nll")).mean;
    row.seconds = over_splits(results.values(cell, "fit_seconds")).mean;
    for (const double failed : results.values(cell, "failed")) row.failed += static_cast<std::size_t>(failed);
    if (one != nullptr) row.to_one = difference(results, cell, cell_name(*one, protocol));
    if (summary.best != nullptr) row.to_best = difference(results, cell, cell_name(*summary.best, protocol));
    row.mass = row.mass_error = kNaN;
    for (const Json* run : results.runs_of(cell)) {
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
