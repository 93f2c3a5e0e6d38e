// Figures of manifolds of more than two dimensions: samples by pairs of coordinates.

#include "riemflow/figure/pairs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/riemflow/plot/names.hpp"
#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/io/coordinates.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

constexpr std::uint64_t kUsualSamples = 20000;

using Columns = std::vector<std::vector<double>>;

/// [coordinate][point], the first n coordinates.
Columns columns_of(const Manifold<double>& manifold, const Points<double>& points, std::size_t n) {
  Columns columns(n);
  std::vector<double> row(coordinate_names(manifold).size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    to_coordinates(manifold, points[i], row);
    for (std::size_t k = 0; k < n; ++k) columns[k].push_back(row[k]);
  }
  return columns;
}

/// Of each coordinate: all that there is of it, where it has ends; else where the points are.
std::vector<figure::Scale> ranges_of(const Manifold<double>& manifold, const std::vector<Columns>& seen,
                                     std::size_t n) {
  std::vector<figure::Scale> ranges;
  for (const Factor<double>& factor : manifold.factors()) {
    const double R = 1 / std::sqrt(std::abs(factor.curvature));
    if (has_latitude(factor)) {
      ranges.push_back({-90, 90, false});
      ranges.push_back({-180, 180, false});
      continue;
    }
    for (int k = 0; k < factor.manifold->ambient(); ++k) {
      if (factor.geometry == Geometry::torus)
        ranges.push_back({-180, 180, false});
      else if (factor.geometry != Geometry::euclidean)
        ranges.push_back({-R, R, false});
      else if (ranges.size() < n) {
        std::vector<double> all;
        for (const Columns& columns : seen)
          all.insert(all.end(), columns[ranges.size()].begin(), columns[ranges.size()].end());
        ranges.push_back(figure::scale_of(all));
      }
    }
  }
  return ranges;
}

}  // namespace

Drawing plot_pairs(const PlotRequest& request) {
  Drawing drawing;
  PlotRequest wanted = request;
  if (wanted.samples == 0) wanted.samples = kUsualSamples;
  const auto manifold = parse_manifold<double>(request.model.config.manifold);
  const std::vector<std::string> columns = coordinate_names(*manifold);
  const std::size_t n = std::min(columns.size(), figure::kMostPairs);
  if (n < columns.size()) say("The first {} of {} coordinates are drawn.", n, columns.size());
  const Points<double> samples = drawn_samples(wanted, drawing);
  require(samples.size() > 0, "none of the samples could be drawn from the model",
          "riemflow check tells more", Fault::numerical);

  figure::PairsChart chart;
  chart.samples = columns_of(*manifold, samples, n);
  chart.note = fmt::format("{} samples of the model: the darker, the more",
                           figure::number_text(static_cast<double>(samples.size()), 0));
  std::vector<Columns> seen = {chart.samples};
  for (const auto& [points, colour] :
       {std::pair{&request.data, figure::kBlue}, std::pair{&request.test, figure::kTeal}}) {
    if (points->points.size() == 0) continue;
    const PlotPoints dots = dots_of(points->points, points->label);
    chart.data.push_back({dots.label, colour, columns_of(*manifold, dots.points, n)});
    seen.push_back(chart.data.back().points);
  }
  const std::vector<figure::Scale> ranges = ranges_of(*manifold, seen, n);
  std::vector<std::string> names = column_names(request.model, columns.size());
  if (names.empty()) names = axis_names(columns);
  for (std::size_t k = 0; k < n; ++k) {
    const bool degrees = columns[k].starts_with("angle") || columns[k].starts_with("l");
    chart.axes.push_back(degrees ? figure::degree_axis(names[k], ranges[k].from, ranges[k].to)
                                 : figure::Axis(names[k], ranges[k]));
    // A number at the end would run into that of the neighbour.
    std::erase_if(chart.axes.back().ticks, [&](const figure::Tick& tick) {
      const double share = ranges[k].share(tick.at);
      return share < 0.06 || share > 0.94;
    });
  }
  const TaskProgress progress("Drawing", 0);
  drawing.bytes = figure::draw_pairs({request.kind, request.width(), request.dpi, request.title}, chart);
  return drawing;
}

}  // namespace riemflow::app
