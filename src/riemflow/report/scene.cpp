#include "riemflow/report/scene.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/figure/contour.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow::report {
namespace {

using figure::Surface;

constexpr std::size_t kSamples = 2000;
constexpr int kFrames = 40;
constexpr double kEarthResolution = 0.5, kTorusResolution = 1;          // degrees
constexpr int kCellsAcross = 360;                                       // of ball and plane
constexpr double kStillDpi = 110, kMapWidth = 520, kSquareWidth = 380;  // points
constexpr double kDeepest = 14;  // nats below the largest: a millionth, 255 steps of 5.5 %

/// Half the side of a square that holds the samples and the data with some room, to two digits. What begins
/// farther out comes in on its way.
double half_of_plane(const Points<double>& samples, const Points<double>& data) {
  double most = 1e-3;
  for (const Points<double>* points : {&samples, &data})
    for (const double x : points->values) most = std::max(most, std::abs(x));
  const double digit = std::pow(10, std::floor(std::log10(most)) - 1);
  return std::ceil(1.25 * most / digit) * digit;
}

/// The ball's picture goes on beyond its rim, so that interpolation near it meets no hole.
void extend_past_rim(Scene& scene) {
  const auto n = static_cast<double>(scene.columns);
  const std::vector<double> inside = scene.log_density;
  for (std::size_t row = 0; row < scene.rows; ++row)
    for (std::size_t column = 0; column < scene.columns; ++column) {
      const double x = (2 * static_cast<double>(column) + 1) / n - 1,
                   y = (2 * static_cast<double>(row) + 1) / n - 1, r = std::hypot(x, y);
      if (r < 1) continue;
      const double shrink = (1 - 2 / n) / r;
      const auto cell = [&](double z) { return static_cast<std::size_t>((z * shrink + 1) * n / 2); };
      scene.log_density[row * scene.columns + column] = inside[cell(y) * scene.columns + cell(x)];
    }
}

void set_density(Scene& scene) {
  const DensityGrid& grid = scene.grid;
  const std::size_t first = grid.layout.lattice.rows.centres.size(),
                    second = grid.layout.lattice.columns.centres.size();
  scene.log_density = grid.log_density;
  scene.rows = first;
  scene.columns = second;
  if (scene.surface != Surface::globe) {  // the first coordinate goes across
    std::swap(scene.rows, scene.columns);
    for (std::size_t i = 0; i < first; ++i)
      for (std::size_t j = 0; j < second; ++j)
        scene.log_density[j * first + i] = grid.log_density[i * second + j];
  }
  if (scene.surface == Surface::disk) extend_past_rim(scene);
  scene.high = std::log(grid.summary.largest);
  scene.low = std::max(std::log(grid.summary.smallest), scene.high - kDeepest);
  if (!(scene.high - scene.low > 1e-3)) scene.low = scene.high - 1;  // the same all over
  std::vector<double> masses = grid.masses;
  for (double& mass : masses) mass /= grid.summary.mass;
  scene.shown_low = std::max(scene.low, figure::highest_density_level(grid.log_density, masses, 0.995));
  if (!(scene.high - scene.shown_low > 1e-3)) scene.shown_low = scene.low;
}

}  // namespace

SheetPoints Scene::sheet(const Points<double>& points) const {
  const auto code = [](double share) {
    return static_cast<std::int16_t>(std::lround(32767 * std::clamp(share, -1.0, 1.0)));
  };
  SheetPoints result;
  result.reserve(2 * points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto x = points[i];
    if (surface == Surface::globe) {
      result.push_back(code(std::atan2(x[1], x[0]) / std::numbers::pi));
      result.push_back(code(std::atan2(x[2], std::hypot(x[0], x[1])) / (std::numbers::pi / 2)));
    } else if (surface == Surface::torus) {
      for (int k = 0; k < 2; ++k)
        result.push_back(
            code(std::remainder(x[static_cast<std::size_t>(k)], 2 * std::numbers::pi) / std::numbers::pi));
    } else {
      for (int k = 0; k < 2; ++k) result.push_back(code(x[static_cast<std::size_t>(k)] / half));
    }
  }
  return result;
}

std::string Scene::codes() const {
  std::string result;
  result.reserve(log_density.size());
  for (const double value : log_density) {
    const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
    result += static_cast<char>(std::isnan(value) ? 0 : 1 + std::lround(254 * share));
  }
  return result;
}

double Scene::precision() const { return std::expm1((high - low) / 254 / 2); }

std::optional<Scene> make_scene(const Model& model, const Evaluation& how, const Points<double>& data,
                                TaskObserver& observer) {
  const auto manifold = space_of(model).on<double>();
  const auto surface = figure::surface_of(*manifold);
  if (!surface) return std::nullopt;
  Scene scene;
  scene.surface = *surface;
  scene.curvature = manifold->curvature();
  Failures failures;
  const std::vector<Points<double>> frames =
      figure::draws_of(model, how, kSamples, 0, leading_flow(model) ? kFrames : 1, failures, observer);
  GridChoice choice;
  if (*surface == Surface::globe) {
    choice.resolution = kEarthResolution;
  } else if (*surface == Surface::torus) {
    choice.resolution = kTorusResolution;
  } else {
    scene.half =
        *surface == Surface::disk ? 1 / std::sqrt(-scene.curvature) : half_of_plane(frames.back(), data);
    choice.resolution = 2 * scene.half / kCellsAcross;
    if (*surface == Surface::plane) choice.extent = scene.half;
  }
  const GridLayout layout = layout_of(choice, model);
  observer.tell("Computing the density in {} × {} cells.", layout.lattice.rows.centres.size(),
                layout.lattice.columns.centres.size());
  scene.grid = figure::computed_grid(model, how, layout, observer);
  set_density(scene);
  for (const auto& frame : frames) scene.frames.push_back(scene.sheet(frame));
  scene.lost = kSamples - frames.back().size();
  return scene;
}

std::string still_png(const Model& model, const Scene& scene, const ModelData* data) {
  DrawOptions options;
  options.dpi = kStillDpi;
  options.width = (scene.surface == Surface::globe ? kMapWidth : kSquareWidth) / 72 * 25.4;
  options.log_scale = true;
  std::vector<figure::Layer> layers;
  TaskObserver silent;  // the legend says how many
  if (data != nullptr)
    figure::add_layer(layers, {data->test, data->split_known ? "test points" : "data"}, figure::kTeal,
                      silent);
  return figure::draw_grid(model, scene.surface, scene.grid, layers, {}, options);
}

std::string drawn_png(const Model& model, const Evaluation& how, const ModelData* data,
                      TaskObserver& observer) {
  DrawOptions options;
  options.dpi = kStillDpi;
  options.width = kMapWidth / 72 * 25.4;
  options.evaluation = how;
  if (data != nullptr) options.test = {data->test, data->split_known ? "test points" : "data"};
  return draw(model, options, observer).bytes;
}

}  // namespace riemflow::report
