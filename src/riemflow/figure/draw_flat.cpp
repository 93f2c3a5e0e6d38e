// Densities of models on surfaces that are drawn flat: disk, torus, plane.

#include <cmath>
#include <numbers>

#include "riemflow/figure/draw_parts.hpp"

namespace riemflow::figure {
namespace {

/// factor: from the manifold's numbers to the axes'.
Vec2 on_axes(std::span<const double> point, double factor) { return {factor * point[0], factor * point[1]}; }

}  // namespace

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
