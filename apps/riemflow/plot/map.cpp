// The density of a model on the Earth as a map.

#include "riemflow/figure/map.hpp"

#include <fmt/format.h>

#include <cmath>

#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/support/numbers.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/figure/density_chart.hpp"

namespace riemflow::app {
namespace {

using namespace figure;

constexpr double kResolution = 0.5;    // degrees
constexpr int kTrajectoryFrames = 81;  // of a trajectory
constexpr double kViewWidth = 120;     // mm, of a figure of half the sphere

/// Smaller where there are many.
double dot_radius(std::size_t n, double width) {
  const double usual = n > 20000 ? 0.45 : n > 2000 ? 0.65 : n > 300 ? 0.9 : 1.3;
  return usual * std::clamp(width / 510, 0.6, 1.5);
}

/// Of the colours: linear ones from 0 to the level above which 5 % of the mass lie, logarithmic ones from
/// that which 99.5 % lie above to the largest.
void set_scale(const PlotRequest& request, const DensityGrid& grid, const std::vector<double>& masses,
               ColourBar& bar) {
  const auto level = [&](double share) {
    return std::exp(highest_density_level(grid.log_density, masses, share));
  };
  const bool logarithmic = request.scale != "linear";
  bar.scale = logarithmic ? Scale{std::max(grid.summary.smallest, level(0.995)), grid.summary.largest, true}
                          : Scale{0, level(0.05), false};
  if (!(bar.scale.to > bar.scale.from * (1 + 1e-3)))  // the same everywhere
    bar.scale = {bar.scale.to / 2, bar.scale.to * 2, logarithmic};
  bar.open_below = logarithmic && grid.summary.smallest < bar.scale.from * (1 - 1e-9);
  bar.open_above = grid.summary.largest > bar.scale.to * (1 + 1e-9);
}

void add_contours(const PlotRequest& request, const DensityGrid& grid, const std::vector<double>& masses,
                  Map& map) {
  const std::vector<double> dashes[] = {{}, {4, 2}, {1, 1.6}};
  std::size_t i = 0;
  for (const double share : request.contours) {
    const double level = std::exp(highest_density_level(grid.log_density, masses, share));
    map.lines.push_back({map.density.contour(level),
                         {kBlack, i == 0 ? 0.9 : 0.8, dashes[std::min<std::size_t>(i, 2)]},
                         0.4,
                         fmt::format("{:g} % of the mass", 100 * share)});
    ++i;
  }
}

}  // namespace

Drawing plot_map(const PlotRequest& request) {
  GridChoice choice = request.grid;
  if (choice.resolution == 0) choice.resolution = kResolution;
  const GridLayout layout = layout_of(choice, request.model);
  Map map;
  map.projection = projection_kind(request.projection);
  map.centre = {request.centre_latitude, request.centre_longitude};
  map.coastlines = request.coastlines;
  map.title = request.title;
  const double width = map.projection == ProjectionKind::orthographic && !request.has("--width")
                           ? kViewWidth / request.width_mm * request.width()
                           : request.width();

  Drawing drawing;
  Teller teller;
  const DensityGrid grid = density_grid(request.model, request.choice, layout, teller);
  drawing.cells = layout.lattice.size();
  require(grid.summary.failed < drawing.cells, "the density could not be computed anywhere",
          "riemflow check tells more; a larger --tolerance may help", Fault::numerical);
  drawing.failed_cells = grid.summary.failed;
  map.density.rows = static_cast<int>(layout.lattice.rows.centres.size());
  map.density.columns = static_cast<int>(layout.lattice.columns.centres.size());
  for (const double log_p : grid.log_density) map.density.values.push_back(std::exp(log_p));
  std::vector<double> masses = grid.masses;  // shares of what the cells hold
  for (double& mass : masses) mass /= grid.summary.mass;
  map.bar.label =
      request.grid.per == "km2" ? "probability density per km²" : "probability density per steradian";
  set_scale(request, grid, masses, map.bar);
  add_contours(request, grid, masses, map);

  if (request.trajectories > 0) {
    MapLines paths{{},
                   {kPurple.with_alpha(0.75), 0.5},
                   0.25,
                   fmt::format("trajectories ({})", counted(request.trajectories))};
    MapDots ends{{}, kPurple, 0.9, ""};
    for (const Points<double>& path : drawn_paths(request, kTrajectoryFrames, drawing)) {
      paths.lines.push_back({vectors_of(path.values)});
      ends.points.push_back(paths.lines.back().points.back());
    }
    map.lines.push_back(std::move(paths));
    map.dots.push_back(std::move(ends));
  }
  const double radius =
      dot_radius(request.data.points.size() + request.test.points.size() + request.samples, width);
  const auto add_dots = [&](const Points<double>& points, const Colour& colour, const std::string& label) {
    if (points.size() == 0) return;
    const PlotPoints dots = dots_of(points, label);
    map.dots.push_back({vectors_of(dots.points.values), colour.with_alpha(dot_opacity(dots.points.size())),
                        radius, dots.label});
  };
  add_dots(drawn_samples(request, drawing), kPurple, "samples");
  add_dots(request.data.points, kBlue, request.data.label);
  add_dots(request.test.points, kTeal, request.test.label);
  const TaskProgress progress("Drawing", 0);
  drawing.bytes = map_figure(request.kind, width, request.dpi, map);
  return drawing;
}

}  // namespace riemflow::app
