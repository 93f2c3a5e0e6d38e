// Learning curves of experiments: means over the runs with 95 % bands.

#include <fmt/format.h>

#include <cmath>

#include "riemflow/figure/curves.hpp"
#include "riemflow/reproduce/figures.hpp"

namespace riemflow {
namespace {

using namespace figure;

constexpr Colour kColours[] = {kOrange, kTeal, kBlue, kPurple};
constexpr double kCurvesWidth = 510;

/// Column `which` of the curves of a cell, less `below`; nothing without runs.
std::vector<Curve> mean_of(const Results& results, const std::string& cell, std::size_t which,
                           std::string label, const Pen& pen, double below = 0) {
  std::vector<double> x;
  std::vector<std::vector<double>> runs;
  for (const Json* run : results.runs_of(cell)) {
    const auto curve = run->find("curve");
    if (curve == run->end() || !curve->is_array()) continue;
    std::vector<double> at, values;
    for (const Json& point : *curve) {
      if (point.size() <= which || !point[0].is_number()) continue;
      at.push_back(point[0].get<double>());
      values.push_back(point[which].is_number() ? point[which].get<double>() - below : std::nan(""));
    }
    if (at.size() > x.size()) x = at;
    runs.push_back(std::move(values));
  }
  if (x.empty()) return {};
  return {mean_curve(std::move(label), pen, x, runs)};
}

void append(std::vector<Curve>& to, const std::vector<Curve>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Of a variant, for readers who do not know its name.
std::string label_of(const std::string& variant) {
  if (variant == "none") return "not scaled";
  if (variant == "unit") return "scaled by 1/λ";
  if (variant == "paper") return "scaled by 1/λ², as in the paper";
  if (variant == "linear" || variant == "geodesic") return variant + " layer";
  return variant;
}

/// "12 runs", or "4 to 12 runs".
std::string runs_in_words(const Results& results, const std::vector<std::string>& cells) {
  std::size_t least = SIZE_MAX, most = 0;
  for (const std::string& cell : cells) {
    const std::size_t runs = results.runs(cell);
    if (runs == 0) continue;
    least = std::min(least, runs);
    most = std::max(most, runs);
  }
  return least == most ? fmt::format("{} run{}", most, most == 1 ? "" : "s")
                       : fmt::format("{} to {} runs", least, most);
}

/// Of the target, which all cells have in common; NaN without runs.
double entropy_of(const Results& results, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells)
    for (const double entropy : results.values(cell, "entropy")) return entropy;
  return std::nan("");
}

std::vector<std::string> cells_of(const DiskCells& cells) {
  std::vector<std::string> all;
  for (const double alpha : cells.alphas)
    for (const std::string& variant : cells.variants) all.push_back(disk_cell(variant, alpha));
  return all;
}

Sheet sheet_of(const Results& results, const std::vector<std::string>& cells, const std::string& more = "") {
  return {FileKind::png, kCurvesWidth, 200,
          fmt::format("Means and 95 % intervals over {}{}", runs_in_words(results, cells), more)};
}

/// How far the NLL is above its least, which is the entropy: on a log scale all models are seen.
CurvePanel excess_panel(const std::string& x_label) {
  CurvePanel panel;
  panel.x_label = x_label;
  panel.y_label = "NLL − entropy, nats";
  panel.log_y = true;
  return panel;
}

Pen pen_of(std::size_t i) { return {kColours[i % std::size(kColours)], 1.1}; }

}  // namespace

std::vector<FigureFile> disk_nll(const Results& results, const DiskCells& cells) {
  const std::vector<std::string> all = cells_of(cells);
  const double entropy = entropy_of(results, all);
  std::vector<CurvePanel> panels;
  for (const double alpha : cells.alphas) {
    CurvePanel panel = excess_panel("iteration");
    panel.title = fmt::format("α = {:g}", alpha);
    for (std::size_t i = 0; i < cells.variants.size(); ++i)
      append(panel.curves,
             mean_of(results, disk_cell(cells.variants[i], alpha), 1, cells.variants[i], pen_of(i), entropy));
    if (!panel.curves.empty()) panels.push_back(std::move(panel));
  }
  if (panels.empty()) return {};
  return {{"nll.png", draw_curves(sheet_of(results, all, fmt::format("; entropy {:.4f}", entropy)), panels,
                                  std::min(2, static_cast<int>(panels.size())), 160, true)}};
}

std::vector<FigureFile> disk_ablation(const Results& results, const DiskCells& cells) {
  std::vector<FigureFile> figures;
  const std::vector<std::string> all = cells_of(cells);
  const double entropy = entropy_of(results, all);
  for (const double alpha : cells.alphas) {
    CurvePanel nll = excess_panel("iteration"), time = excess_panel("seconds of training"), evaluations;
    evaluations.x_label = "iteration";
    evaluations.y_label = "evaluations of the field";
    evaluations.zero = true;
    for (std::size_t i = 0; i < cells.variants.size(); ++i) {
      const std::string& variant = cells.variants[i];
      const std::string cell = disk_cell(variant, alpha);
      std::vector<Curve> curves = mean_of(results, cell, 1, label_of(variant), pen_of(i), entropy);
      append(nll.curves, curves);
      append(evaluations.curves, mean_of(results, cell, 2, variant, pen_of(i)));
      // As if every iteration took as long as the mean one.
      for (Curve& curve : curves)
        for (const double last = curve.x.back(); double& x : curve.x)
          x *= results.interval(cell, "training_seconds").mean / last;
      append(time.curves, curves);
    }
    if (nll.curves.empty()) continue;
    figures.push_back({"ablation.png", draw_curves(sheet_of(results, all, fmt::format("; α = {:g}", alpha)),
                                                   {nll, evaluations, time}, 3, 150, true)});
  }
  return figures;
}

std::vector<FigureFile> earth_curves(const Results& results, const std::vector<std::string>& sets) {
  std::vector<CurvePanel> panels;
  std::vector<std::string> used;
  const std::pair<const char*, Colour> models[] = {{"stereographic", kOrange}, {"riemannian", kBlue}};
  for (const std::string& set : sets) {
    CurvePanel panel;
    panel.title = set;
    panel.x_label = "iteration";
    panel.y_label = "NLL, nats";
    for (const auto& [model, colour] : models) {
      const std::string cell = fmt::format("{} {} customary", set, model);
      used.push_back(cell);
      append(panel.curves,
             mean_of(results, cell, 1, fmt::format("{}, training", model), {colour, 0.8, {1, 1.8}}));
      append(panel.curves, mean_of(results, cell, 2, fmt::format("{}, validation", model), {colour, 1.1}));
    }
    if (!panel.curves.empty()) panels.push_back(std::move(panel));
  }
  if (panels.empty()) return {};
  return {{"curves.png", draw_curves(sheet_of(results, used), panels,
                                     std::min(2, static_cast<int>(panels.size())), 160, true)}};
}

}  // namespace riemflow
