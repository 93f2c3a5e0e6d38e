// Figures of manifolds that have no picture of their own: samples by pairs of coordinates.

#include <fmt/format.h>

#include <cmath>

#include "riemflow/figure/axis_names.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/io/coordinates.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::figure {
namespace {

using Columns = std::vector<std::vector<double>>;

/// [coordinate][point], the first n coordinates. Of the ways to write a point that which samples have: data
/// may hold another.
Columns columns_of(const Manifold<double>& manifold, const Points<double>& points, std::size_t n) {
  Columns columns(n);
  std::vector<double> point(static_cast<std::size_t>(manifold.ambient())),
      row(coordinate_names(manifold).size());
  std::vector<Pack<double>> kept(point.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < kept.size(); ++c) kept[c] = Pack<double>(points[i][c]);
    manifold.project(kept.data());
    for (std::size_t c = 0; c < kept.size(); ++c) point[c] = kept[c][0];
    to_coordinates(manifold, point, row);
    for (std::size_t k = 0; k < n; ++k) columns[k].push_back(row[k]);
  }
  return columns;
}

/// Of each coordinate: all that there is of it, where it has ends; else where the points are.
std::vector<Scale> ranges_of(const Manifold<double>& manifold, const std::vector<Columns>& seen,
                             std::size_t n) {
  std::vector<Scale> ranges;
  for (const Factor<double>& factor : manifold.factors()) {
    const ColumnForm own = factor.manifold->column_form();
    if (has_latitude(factor)) {
      ranges.push_back({-90, 90, false});
      ranges.push_back({-180, 180, false});
      continue;
    }
    const std::vector<Notation> notations = factor.manifold->notations();
    const int numbers =
        notations.empty() ? factor.manifold->ambient() : static_cast<int>(notations.front().columns.size());
    for (int k = 0; k < numbers; ++k) {
      const bool ends = notations.empty() && own.kind != ColumnForm::Kind::plain;
      if (ends && own.kind == ColumnForm::Kind::angles)
        ranges.push_back({-180, 180, false});
      else if (ends)
        ranges.push_back({-own.radius, own.radius, false});
      else if (ranges.size() < n) {
        std::vector<double> all;
        for (const Columns& columns : seen)
          all.insert(all.end(), columns[ranges.size()].begin(), columns[ranges.size()].end());
        ranges.push_back(scale_of(all));
      }
    }
  }
  return ranges;
}

}  // namespace

PairsChart pairs_chart(const Model& model, const Points<double>& samples, const std::vector<Layer>& layers,
                       TaskObserver& observer) {
  const auto manifold = space_of(model).on<double>();
  const std::vector<std::string> columns = coordinate_names(*manifold);
  const std::vector<bool> degrees = coordinates_in_degrees(*manifold);
  const std::size_t n = std::min(columns.size(), kMostPairs);
  if (n < columns.size()) observer.tell("The first {} of {} coordinates are drawn.", n, columns.size());
  PairsChart chart;
  chart.samples = columns_of(*manifold, samples, n);
  chart.note = fmt::format("{} samples of the model: the darker, the more",
                           number_text(static_cast<double>(samples.size()), 0));
  std::vector<Columns> seen = {chart.samples};
  for (const Layer& layer : layers) {
    chart.data.push_back({layer.label, layer.colour, columns_of(*manifold, layer.points, n)});
    seen.push_back(chart.data.back().points);
  }
  const std::vector<Scale> ranges = ranges_of(*manifold, seen, n);
  std::vector<std::string> names = column_names(model, columns.size());
  if (names.empty()) names = axis_names(columns);
  for (std::size_t k = 0; k < n; ++k) {
    chart.axes.push_back(degrees[k] ? degree_axis(names[k], ranges[k].from, ranges[k].to)
                                    : Axis(names[k], ranges[k]));
    // A number at the end would run into that of the neighbour.
    std::erase_if(chart.axes.back().ticks, [&](const Tick& tick) {
      const double share = ranges[k].share(tick.at);
      return share < 0.06 || share > 0.94;
    });
  }
  return chart;
}

}  // namespace riemflow::figure
