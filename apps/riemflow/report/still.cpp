#include "apps/riemflow/report/still.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/riemflow/plot/request.hpp"
#include "apps/riemflow/support/console.hpp"
#include "riemflow/figure/disk.hpp"
#include "riemflow/figure/flat.hpp"
#include "riemflow/figure/map.hpp"

namespace riemflow::app {
namespace {

using namespace figure;

constexpr double kDpi = 110, kMapWidth = 520, kSquareWidth = 380;  // points

ColourBar bar_of(const Scene& scene) {
  ColourBar bar;
  bar.scale = {std::exp(scene.shown_low), std::exp(scene.high), true};
  bar.label = "probability density per " + scene.measure;
  bar.open_below = scene.shown_low > scene.lowest;
  return bar;
}

bool has_dots(const ModelData* data) { return data != nullptr && data->test.size() > 0; }

/// What is drawn of the data: the test points.
PlotPoints still_dots(const ModelData& data) {
  const Silence silence;  // the legend says how many
  return dots_of(data.test, data.split_known ? "test points" : "data");
}

std::string map_png(const Scene& scene, const ModelData* data) {
  Map map;
  map.density.rows = static_cast<int>(scene.rows);
  map.density.columns = static_cast<int>(scene.columns);
  for (const double value : scene.log_density) map.density.values.push_back(std::exp(value));
  map.bar = bar_of(scene);
  if (has_dots(data)) {
    const PlotPoints dots = still_dots(*data);
    const std::size_t n = dots.points.size();
    map.dots.push_back({vectors_of(dots.points.values), kTeal.with_alpha(dot_opacity(n)),
                        std::min(0.9, dot_radius(n)), dots.label});
  }
  return map_figure(FileKind::png, kMapWidth, kDpi, map);
}

std::string square_png(const Scene& scene, const ModelData* data, const std::array<std::string, 2>& names) {
  DensityChart chart;
  chart.x = chart.y = {-scene.half, scene.half, false};
  chart.nx = static_cast<int>(scene.columns);
  chart.ny = static_cast<int>(scene.rows);
  chart.density.resize(scene.log_density.size());
  for (int ix = 0; ix < chart.nx; ++ix)
    for (int iy = 0; iy < chart.ny; ++iy)
      chart.at(ix, iy) = std::exp(scene.log_density[static_cast<std::size_t>(iy * chart.nx + ix)]);
  chart.bar = bar_of(scene);
  if (has_dots(data)) {
    const PlotPoints dots = still_dots(*data);
    const SheetPoints at = scene.sheet(dots.points);
    Cloud cloud{dots.label, kTeal, {}};
    for (std::size_t i = 0; i < at.size(); i += 2)
      cloud.points.push_back({scene.half * at[i] / 32767.0, scene.half * at[i + 1] / 32767.0});
    chart.clouds.push_back(std::move(cloud));
  }
  const Sheet sheet{FileKind::png, kSquareWidth, kDpi, ""};
  return scene.kind == SceneKind::disk    ? draw_disk(sheet, chart, scene.curvature)
         : scene.kind == SceneKind::torus ? draw_torus(sheet, chart, names)
                                          : draw_plane(sheet, chart, names);
}

}  // namespace

std::string still_png(const Scene& scene, const ModelData* data, const std::array<std::string, 2>& names) {
  return scene.kind == SceneKind::globe ? map_png(scene, data) : square_png(scene, data, names);
}

}  // namespace riemflow::app
