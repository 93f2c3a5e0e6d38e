// The density of a model as plain data: on the Earth a map, on disk, torus and plane a chart.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/text.hpp"
#include "riemflow/figure/draw_parts.hpp"

namespace riemflow::figure {
namespace {

constexpr double kWorldWidth = 180, kViewWidth = 120;  // mm; a view is of half the sphere

/// Smaller where there are many.
double map_dot_radius(std::size_t n, double width) {
  const double usual = n > 20000 ? 0.45 : n > 2000 ? 0.65 : n > 300 ? 0.9 : 1.3;
  return usual * std::clamp(width / 510, 0.6, 1.5);
}

/// Of the colours: linear ones from 0 to the level above which 5 % of the mass lie, logarithmic ones from
/// that which 99.5 % lie above to the largest.
void set_scale(bool logarithmic, const DensityGrid& grid, const std::vector<double>& masses, ColourBar& bar) {
  const auto level = [&](double share) {
    return std::exp(highest_density_level(grid.log_density, masses, share));
  };
  bar.scale = logarithmic ? Scale{std::max(grid.summary.smallest, level(0.995)), grid.summary.largest, true}
                          : Scale{0, level(0.05), false};
  if (!(bar.scale.to > bar.scale.from * (1 + 1e-3)))  // the same everywhere
    bar.scale = {bar.scale.to / 2, bar.scale.to * 2, logarithmic};
  bar.open_below = logarithmic && grid.summary.smallest < bar.scale.from * (1 - 1e-9);
  bar.open_above = grid.summary.largest > bar.scale.to * (1 + 1e-9);
}

void add_contours(const std::vector<double>& shares, const DensityGrid& grid,
                  const std::vector<double>& masses, Map& map) {
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const double level = std::exp(highest_density_level(grid.log_density, masses, shares[i]));
    MapLines& outline = map.lines.emplace_back();
    outline.lines = map.density.contour(level);
    outline.pen = contour_pen(i);
    outline.halo = 0.4;
    outline.label = fmt::format("{:g} % of the mass", 100 * shares[i]);
  }
}

/// factor: from the manifold's numbers to the axes'.
Vec2 on_axes(std::span<const double> point, double factor) { return {factor * point[0], factor * point[1]}; }

}  // namespace

double globe_width(const DrawOptions& options) {
  return width_in_points(options,
                         options.projection == ProjectionKind::orthographic ? kViewWidth : kWorldWidth);
}

Map globe_map(const DensityGrid& grid, const std::vector<Layer>& layers,
              const std::vector<Points<double>>& paths, const DrawOptions& options) {
  Map map;
  map.projection = options.projection.value_or(ProjectionKind::robinson);
  map.centre = options.centre.value_or(LatLon{0, 0});
  map.centre.longitude = std::remainder(map.centre.longitude, 360);
  map.coastlines = options.coastlines;
  map.title = options.title;
  map.density.rows = static_cast<int>(grid.layout.lattice.rows.centres.size());
  map.density.columns = static_cast<int>(grid.layout.lattice.columns.centres.size());
  map.density.west = grid.layout.lattice.columns.edges.front();
  for (const double log_p : grid.log_density) map.density.values.push_back(std::exp(log_p));
  std::vector<double> masses = grid.masses;  // shares of what the cells hold
  for (double& mass : masses) mass /= grid.summary.mass;
  map.bar.label = "probability density per " + (grid.layout.units == "km-2" ? "km²" : grid.layout.measure);
  set_scale(options.log_scale.value_or(true), grid, masses, map.bar);
  add_contours(options.contours, grid, masses, map);

  const std::size_t n = paths.empty() ? 0 : paths.front().size();
  if (n > 0) {
    MapLines lines{{}, {kPurple.with_alpha(0.75), 0.5}, 0.25, fmt::format("trajectories ({})", counted(n))};
    for (std::size_t i = 0; i < n; ++i) {
      SphereLine& line = lines.lines.emplace_back();
      for (const Points<double>& frame : paths) line.points.push_back(vectors_of(frame[i]).front());
    }
    map.lines.push_back(std::move(lines));
    map.dots.push_back({vectors_of(paths.back().values), kPurple, 0.9, ""});
  }
  std::size_t dots = 0;
  for (const Layer& layer : layers) dots += layer.points.size();
  for (const Layer& layer : layers)
    map.dots.push_back({vectors_of(layer.points.values),
                        layer.colour.with_alpha(dot_opacity(layer.points.size())),
                        map_dot_radius(dots, globe_width(options)), layer.label});
  return map;
}

DensityChart sheet_chart(const DensityGrid& grid, const std::vector<Layer>& layers,
                         const std::vector<Points<double>>& paths, const DrawOptions& options, bool torus) {
  const Lattice& lattice = grid.layout.lattice;
  DensityChart chart;
  chart.nx = static_cast<int>(lattice.rows.centres.size());
  chart.ny = static_cast<int>(lattice.columns.centres.size());
  chart.x = {lattice.rows.edges.front(), lattice.rows.edges.back(), false};
  chart.y = {lattice.columns.edges.front(), lattice.columns.edges.back(), false};
  for (const double log_p : grid.log_density) chart.density.push_back(std::exp(log_p));
  const std::string label = "density per " + grid.layout.measure;
  const bool log = options.log_scale ? *options.log_scale : asks_for_log(chart.density, grid.masses);
  chart.bar = log ? log_bar_for(chart.density, grid.masses, label) : bar_for(chart.density, label);
  chart.contours = contours_of(chart, grid.masses, options.contours, torus);
  const double factor = torus ? 180 / std::numbers::pi : 1;
  for (std::size_t i = 0; i < (paths.empty() ? 0 : paths.front().size()); ++i) {
    Line& line = chart.paths.emplace_back();
    for (const Points<double>& frame : paths) line.points.push_back(on_axes(frame[i], factor));
  }
  for (const Layer& layer : layers) {
    Cloud& cloud = chart.clouds.emplace_back(Cloud{layer.label, layer.colour, {}});
    for (std::size_t i = 0; i < layer.points.size(); ++i)
      cloud.points.push_back(on_axes(layer.points[i], factor));
  }
  return chart;
}

}  // namespace riemflow::figure
