// Figures of densities on surfaces that are drawn flat: disk, torus, plane.

#include "riemflow/figure/flat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/riemflow/plot/names.hpp"
#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/figure/disk.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

using figure::Cloud;
using figure::DensityChart;
using figure::Vec2;

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr double kUsualWidth = 120;  ///< mm; these figures are square
constexpr int kPathFrames = 60;      ///< of a path
constexpr int kCells = 200;          ///< along a side, where the manifold has no degrees

figure::Sheet sheet_of(const PlotRequest& request) {
  return {request.kind, (request.has("--width") ? request.width_mm : kUsualWidth) / 25.4 * 72, request.dpi,
          request.title};
}

/// factor: from the manifold's numbers to the axes'.
std::vector<Vec2> on_axes(const Points<double>& points, double factor) {
  std::vector<Vec2> result;
  for (std::size_t i = 0; i < points.size(); ++i)
    result.push_back({factor * points[i][0], factor * points[i][1]});
  return result;
}

/// The density's cells, and the mass of each.
std::vector<double> take_density(const PlotRequest& request, const GridLayout& layout, DensityChart& chart,
                                 Drawing& drawing) {
  Teller teller;
  const DensityGrid grid = density_grid(request.model, request.choice, layout, teller);
  const Lattice& lattice = layout.lattice;
  chart.nx = static_cast<int>(lattice.rows.centres.size());
  chart.ny = static_cast<int>(lattice.columns.centres.size());
  chart.x = {lattice.rows.edges.front(), lattice.rows.edges.back(), false};
  chart.y = {lattice.columns.edges.front(), lattice.columns.edges.back(), false};
  for (const double log_p : grid.log_density) chart.density.push_back(std::exp(log_p));
  const std::string label = "density per " + layout.measure;
  const bool logarithmic =
      request.scale.empty() ? figure::asks_for_log(chart.density, grid.masses) : request.scale == "log";
  chart.bar = logarithmic ? figure::log_bar_for(chart.density, grid.masses, label)
                          : figure::bar_for(chart.density, false, label);
  drawing.failed_cells = grid.summary.failed;
  drawing.cells = lattice.size() - grid.summary.outside;
  return grid.masses;
}

void add_paths(const PlotRequest& request, double factor, DensityChart& chart, Drawing& drawing) {
  for (const Points<double>& path : drawn_paths(request, kPathFrames, drawing))
    chart.paths.push_back({on_axes(path, factor)});
}

void add_clouds(const PlotRequest& request, const Points<double>& samples, double factor,
                DensityChart& chart) {
  const auto add = [&](const std::string& label, const figure::Colour& colour, const Points<double>& points) {
    if (points.size() == 0) return;
    const PlotPoints dots = dots_of(points, label);
    chart.clouds.push_back({dots.label, colour, on_axes(dots.points, factor)});
  };
  add("samples", figure::kPurple, samples);
  add(request.data.label, figure::kBlue, request.data.points);
  add(request.test.label, figure::kTeal, request.test.points);
}

/// What the three have in common: all but the picture.
DensityChart chart_of(const PlotRequest& request, const GridLayout& layout, const Points<double>& samples,
                      double factor, bool periodic, Drawing& drawing) {
  DensityChart chart;
  // First what may be refused.
  add_paths(request, factor, chart, drawing);
  const std::vector<double> mass = take_density(request, layout, chart, drawing);
  chart.contours = figure::contours_of(chart, mass, request.contours, periodic);
  add_clouds(request, samples, factor, chart);
  return chart;
}

std::array<std::string, 2> names_of(const PlotRequest& request, std::array<std::string, 2> otherwise) {
  const std::vector<std::string> names = column_names(request.model, 2);
  return names.empty() ? otherwise : std::array<std::string, 2>{names[0], names[1]};
}

/// A square around the points: its middle and half its side.
struct Square {
  Vec2 middle;
  double half;
};

Square around(const std::vector<const Points<double>*>& clouds) {
  Vec2 low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};
  for (const Points<double>* points : clouds)
    for (std::size_t i = 0; i < points->size(); ++i) {
      const auto point = (*points)[i];
      low = {std::min(low.x, point[0]), std::min(low.y, point[1])};
      high = {std::max(high.x, point[0]), std::max(high.y, point[1])};
    }
  require(low.x <= high.x, "there is no sample to tell what part of the plane to draw", "give --extent",
          Fault::numerical);
  const double half = 0.55 * std::max(high.x - low.x, high.y - low.y);
  return {{(low.x + high.x) / 2, (low.y + high.y) / 2}, half > 0 ? half : 1};
}

}  // namespace

Drawing plot_disk(const PlotRequest& request) {
  Drawing drawing;
  const double K = parse_manifold<double>(request.model.config.manifold)->factors()[0].curvature;
  GridChoice choice = request.grid;
  if (choice.resolution == 0) choice.resolution = 2 / std::sqrt(-K) / kCells;
  const GridLayout layout = layout_of(choice, request.model);
  const Points<double> samples = drawn_samples(request, drawing);
  const DensityChart chart = chart_of(request, layout, samples, 1, false, drawing);
  const TaskProgress progress("Drawing", 0);
  drawing.bytes = figure::draw_disk(sheet_of(request), chart, K);
  return drawing;
}

Drawing plot_torus(const PlotRequest& request) {
  Drawing drawing;
  const GridLayout layout = layout_of(request.grid, request.model);
  const Points<double> samples = drawn_samples(request, drawing);
  const DensityChart chart = chart_of(request, layout, samples, kDegrees, true, drawing);
  const TaskProgress progress("Drawing", 0);
  drawing.bytes = figure::draw_torus(sheet_of(request), chart, names_of(request, {"angle 1", "angle 2"}));
  return drawing;
}

Drawing plot_plane(const PlotRequest& request) {
  Drawing drawing;
  const Points<double> samples = drawn_samples(request, drawing);
  GridChoice choice = request.grid;
  Square square{{0, 0}, choice.extent};
  if (choice.extent == 0) {
    std::vector<const Points<double>*> seen = {&request.data.points, &request.test.points, &samples};
    PlotRequest few = request;
    few.samples = 1000;
    Drawing unseen;
    const Points<double> drawn = request.samples + request.data.points.size() + request.test.points.size() > 0
                                     ? Points<double>()
                                     : drawn_samples(few, unseen);
    seen.push_back(&drawn);
    square = around(seen);
    if (choice.resolution > 0) square.half = std::ceil(square.half / choice.resolution) * choice.resolution;
    choice.extent = square.half;
    say("Drawn: x in {:.4g} … {:.4g}, y in {:.4g} … {:.4g}, where the {} are; --extent draws the square "
        "around "
        "0.",
        square.middle.x - square.half, square.middle.x + square.half, square.middle.y - square.half,
        square.middle.y + square.half, drawn.size() > 0 ? "samples" : "points");
  }
  if (choice.resolution == 0) choice.resolution = 2 * choice.extent / kCells;
  GridLayout layout = layout_of(choice, request.model);
  layout.lattice =
      euclidean_lattice(layout.lattice.rows.centres.size(), choice.extent, square.middle.x, square.middle.y);
  const DensityChart chart = chart_of(request, layout, samples, 1, false, drawing);
  const TaskProgress progress("Drawing", 0);
  drawing.bytes = figure::draw_plane(sheet_of(request), chart, names_of(request, {"x", "y"}));
  return drawing;
}

}  // namespace riemflow::app
