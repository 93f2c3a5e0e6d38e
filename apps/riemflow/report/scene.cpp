#include "apps/riemflow/report/scene.hpp"

#include <algorithm>
#include <cmath>

#include "apps/riemflow/support/console.hpp"
#include "apps/riemflow/support/task_progress.hpp"
#include "apps/riemflow/support/with_flow.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/figure/contour.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::app {
namespace {

constexpr std::size_t kSamples = 2000, kSamplesAtOnce = 256;
static_assert(kSamplesAtOnce % kLanes == 0);  // the same bits as all at once
constexpr int kFrames = 40;
constexpr double kEarthResolution = 0.5, kTorusResolution = 1;  // degrees
constexpr int kCellsAcross = 360;                               // of ball and plane
constexpr double kDeepest = 14;  // nats below the largest: a millionth, 255 steps of 5.5 %

std::optional<SceneKind> kind_of(const Manifold<double>& manifold) {
  const auto factors = manifold.factors();
  if (factors.size() != 1 || manifold.dimension() != 2) return std::nullopt;
  switch (factors[0].geometry) {
    case Geometry::sphere:
      if (factors[0].curvature != 1) return std::nullopt;
      return SceneKind::globe;
    case Geometry::torus:
      return SceneKind::torus;
    case Geometry::ball:
      return SceneKind::disk;
    case Geometry::euclidean:
      return SceneKind::plane;
  }
  return std::nullopt;
}

/// Samples seen on their way, those that failed left out.
struct Paths {
  std::vector<Points<double>> frames;
  std::size_t lost = 0;
};

/// Of a pool, the flow with the largest weight shows how it moves.
Model shown_in_motion(const Model& model) {
  std::optional<Model> flow = leading_flow(model);
  return flow ? std::move(*flow) : model;
}

template <class T>
Carried<T> draw(Density<T>& density, std::size_t n, std::uint64_t first) {
  if (auto* flow = dynamic_cast<Transport<T>*>(&density))
    return flow->draw_paths(n, 0, first, equally_spaced(0, 1, kFrames));
  return density.sample(n, 0, first);
}

Paths draw_paths(const Model& model, const ModelChoice& choice) {
  return with_density(shown_in_motion(model), choice, [&]<class T>(Density<T>& density) {
    TaskProgress progress("Samples", kSamples);
    Paths paths;
    for (std::size_t first = 0; first < kSamples; first += kSamplesAtOnce) {
      const Carried<T> drawn = draw(density, std::min(kSamplesAtOnce, kSamples - first), first);
      paths.frames.resize(drawn.frames.size());
      for (auto& frame : paths.frames) frame.dimension = density.manifold().ambient();
      for (std::size_t i = 0; i < drawn.frames.front().size(); ++i) {
        const bool whole = std::all_of(drawn.frames.begin(), drawn.frames.end(),
                                       [&](const Points<T>& frame) { return is_finite<T>(frame[i]); });
        paths.lost += whole ? 0 : 1;
        for (std::size_t k = 0; whole && k < drawn.frames.size(); ++k)
          for (const T x : drawn.frames[k][i]) paths.frames[k].values.push_back(static_cast<double>(x));
      }
      progress.advance(static_cast<double>(drawn.frames.front().size()));
    }
    return paths;
  });
}

/// Half the side of a square that holds the samples and the data with some room, to two digits. What begins
/// farther out comes in on its way.
double half_of_plane(const Paths& paths, const Points<double>& data) {
  double most = 1e-3;
  for (const Points<double>* points : {&paths.frames.back(), &data})
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

void set_density(Scene& scene, const DensityGrid& grid) {
  const std::size_t first = grid.layout.lattice.rows.centres.size(),
                    second = grid.layout.lattice.columns.centres.size();
  scene.units = grid.layout.units;
  scene.measure = grid.layout.measure;
  scene.failed = grid.summary.failed;
  scene.log_density = grid.log_density;
  scene.rows = first;
  scene.columns = second;
  if (scene.kind != SceneKind::globe) {  // the first coordinate goes across
    std::swap(scene.rows, scene.columns);
    for (std::size_t i = 0; i < first; ++i)
      for (std::size_t j = 0; j < second; ++j)
        scene.log_density[j * first + i] = grid.log_density[i * second + j];
  }
  if (scene.kind == SceneKind::disk) extend_past_rim(scene);
  scene.high = std::log(grid.summary.largest);
  scene.low = std::max(std::log(grid.summary.smallest), scene.high - kDeepest);
  if (!(scene.high - scene.low > 1e-3)) scene.low = scene.high - 1;  // the same all over
  scene.lowest = std::log(grid.summary.smallest);
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
    if (kind == SceneKind::globe) {
      result.push_back(code(std::atan2(x[1], x[0]) / std::numbers::pi));
      result.push_back(code(std::atan2(x[2], std::hypot(x[0], x[1])) / (std::numbers::pi / 2)));
    } else if (kind == SceneKind::torus) {
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

std::optional<Scene> make_scene(const Model& model, const ModelChoice& choice, const Points<double>& data) {
  const auto manifold = parse_manifold<double>(model.config.manifold);
  const auto kind = kind_of(*manifold);
  if (!kind) return std::nullopt;
  Scene scene;
  scene.kind = *kind;
  scene.curvature = manifold->factors()[0].curvature;
  const Paths paths = draw_paths(model, choice);
  GridChoice grid;
  if (*kind == SceneKind::globe) {
    grid.resolution = kEarthResolution;
  } else if (*kind == SceneKind::torus) {
    grid.resolution = kTorusResolution;
  } else {
    scene.half = *kind == SceneKind::disk ? 1 / std::sqrt(-scene.curvature) : half_of_plane(paths, data);
    grid.resolution = 2 * scene.half / kCellsAcross;
    if (*kind == SceneKind::plane) grid.extent = scene.half;
  }
  const GridLayout layout = layout_of(grid, model);
  say("Computing the density in {} × {} cells.", layout.lattice.rows.centres.size(),
      layout.lattice.columns.centres.size());
  Teller teller;
  const DensityGrid density = density_grid(model, choice, layout, teller);
  require(density.summary.failed + density.summary.outside < layout.lattice.size(),
          "the density could not be computed anywhere",
          "riemflow check tells more; a larger --tolerance may help", Fault::numerical);
  set_density(scene, density);
  for (const auto& frame : paths.frames) scene.frames.push_back(scene.sheet(frame));
  scene.lost = paths.lost;
  return scene;
}

}  // namespace riemflow::app
