#include "apps/riemflow/compare/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace riemflow::app {

using Json = nlohmann::ordered_json;

namespace {

/// A method of which no run ended is said on the way, and in no table.
std::vector<SummaryRow> rows_of(const Summary& summary) {
  std::vector<SummaryRow> rows = summary.rows;
  std::erase_if(rows, [](const SummaryRow& row) { return row.splits == 0; });
  return rows;
}

std::string text(const Estimate& estimate, bool sign = false) {
  if (std::isnan(estimate.mean)) return "–";
  const std::string value =
      sign ? fmt::format("{:+.3f}", estimate.mean) : fmt::format("{:.3f}", estimate.mean);
  return std::isnan(estimate.error) ? value : fmt::format("{} ± {:.3f}", value, estimate.error);
}

std::string mass_text(const SummaryRow& row) {
  return std::isnan(row.mass.mean) ? "–" : fmt::format("{:.4f} ± {:.1g}", row.mass.mean, row.mass.error);
}

std::string markdown(const Summary& summary) {
  std::string table =
      "| method | test NLL | less one-bandwidth kernel density | less best kernel density | mass | seconds | "
      "splits |\n|---|---|---|---|---|---|---|\n";
  for (const SummaryRow& row : rows_of(summary))
    table += fmt::format("| {}{} | {} | {} | {} | {} | {} | {}{} |\n", row.method,
                         row.method == summary.best ? " (best kernel density)" : "", text(row.nll),
                         text(row.to_one, true), text(row.to_best, true), mass_text(row),
                         std::isnan(row.seconds) ? "–" : fmt::format("{:.0f}", row.seconds), row.splits,
                         row.failed > 0 ? fmt::format(", {} points failed", row.failed) : "");
  return table;
}

}  // namespace

std::string command_of(const Method& method, const Manifold<double>& manifold) {
  if (method.preset.empty()) return "–";
  std::string text = "fit";
  if (method.preset != "default") text += " --preset " + on(method, manifold).preset;
  for (const auto& [name, value] : method.options) text += fmt::format(" --{} {}", name, value);
  return text;
}

std::string tables_of(const std::vector<Summary>& summaries) {
  std::string text;
  for (const Summary& summary : summaries)
    text += fmt::format(
        "## {}\n\n{}\n\n{}\n", summary.protocol == kDistinct ? "Distinct points" : "Customary split",
        summary.protocol == kDistinct
            ? "One of each set of equal points is kept before the split: a test point is new."
            : "Equal points fall on both sides of the split, as in the literature. Where there are "
              "many, a test point may be a training point, and the score has no bound.",
        markdown(summary));
  return text +
         "Each ± is one standard error of what another data set would give: test points are averaged over "
         "the splits that they are in, so that more splits of the same points cannot take it below that of "
         "the points, and the variance between splits is added with Nadeau and Bengio's correction for "
         "training sets that overlap; of one split it is that of its test points.\n";
}

std::string csv_of(const std::vector<Summary>& summaries) {
  std::string lines =
      "protocol,method,splits,nll,nll_standard_error,validation_nll,to_one,to_one_standard_error,to_best,"
      "to_best_standard_error,best_kernel,mass,mass_error,seconds,failed\n";
  const auto cell = [](double value) { return std::isnan(value) ? "" : fmt::format("{:.6g}", value); };
  for (const Summary& summary : summaries)
    for (const SummaryRow& row : rows_of(summary))
      lines += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", summary.protocol, row.method,
                           row.splits, cell(row.nll.mean), cell(row.nll.error), cell(row.validation),
                           cell(row.to_one.mean), cell(row.to_one.error), cell(row.to_best.mean),
                           cell(row.to_best.error), summary.best, cell(row.mass.mean), cell(row.mass.error),
                           cell(row.seconds), row.failed);
  return lines;
}

Json json_of(const Summary& summary) {
  Json rows = Json::array();
  for (const SummaryRow& row : rows_of(summary))
    rows.push_back({{"method", row.method},
                    {"splits", row.splits},
                    {"nll", row.nll.mean},
                    {"nll_standard_error", row.nll.error},
                    {"validation_nll", row.validation},
                    {"to_one_bandwidth", {{"mean", row.to_one.mean}, {"standard_error", row.to_one.error}}},
                    {"to_best_kernel", {{"mean", row.to_best.mean}, {"standard_error", row.to_best.error}}},
                    {"mass", row.mass.mean},
                    {"mass_error", row.mass.error},
                    {"seconds", row.seconds},
                    {"failed", row.failed}});
  return {{"protocol", summary.protocol},
          {"best_kernel", summary.best.empty() ? Json() : Json(summary.best)},
          {"rows", rows}};
}

}  // namespace riemflow::app
