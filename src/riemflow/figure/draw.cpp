#include "riemflow/figure/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/core/text.hpp"
#include "riemflow/figure/axis_names.hpp"
#include "riemflow/figure/disk.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/figure/draw_rotations.hpp"
#include "riemflow/figure/flat.hpp"
#include "riemflow/model/covered_density.hpp"
#include "riemflow/model/flow_density.hpp"
#include "riemflow/model/space.hpp"

namespace riemflow {
namespace {

using figure::Surface;

constexpr double kMostPixels = 15'000;  // of a side
/// Points of paths computed between two words of progress; the paths of a piece are whole tiles.
constexpr std::uint64_t kDrawsAtOnce = 16'384;
constexpr std::uint64_t kUsualSamples = 20'000, kSamplesForExtent = 1000;
constexpr int kPathFrames = 81;
constexpr int kCellsAcross = 200;                        // where the manifold has no degrees
constexpr double kMapResolution = 0.5;                   // degrees
constexpr double kSquareWidth = 120, kPairsWidth = 180;  // mm

void require_meaning(const Model& model, const DrawOptions& options, std::optional<Surface> surface,
                     bool axes) {
  const std::string what = surface ? space_of(model).name() : "the coordinates of samples, by pairs";
  const auto refuse = [&](bool given, const char* name) {
    require(!given, fmt::format("‹{}› has no meaning in a figure of {}", name, what),
            fmt::format("leave it out for {}", model.path), Fault::usage);
  };
  if (surface != Surface::globe) {
    refuse(options.projection.has_value(), "projection");
    refuse(options.centre.has_value(), "center");
  }
  if (surface != Surface::globe || axes) refuse(!options.coastlines, "no-coastlines");
  require(!axes || options.grid.per.empty() || options.grid.per == "sr",
          fmt::format("‹per› {} has no meaning on {}", options.grid.per, what), "give sr", Fault::usage);
  if (surface != Surface::plane) refuse(options.grid.extent > 0, "extent");
  if (!surface) {
    refuse(!options.grid.per.empty(), "per");
    refuse(options.grid.resolution > 0, "resolution");
    refuse(options.log_scale.has_value(), "scale");
    refuse(!options.contours.empty(), "contours");
    refuse(options.trajectories > 0, "trajectories");
  }
  refuse(options.rotations.has_value(), "view");
  refuse(!options.poles.empty(), "poles");
  refuse(options.lattice.has_value(), "lattice");
  refuse(options.sections > 0, "sections");
  refuse(options.phi1 > 0, "phi1");
  for (const double share : options.contours)
    require(share > 0 && share < 1, fmt::format("‹contours›: {:g} % of the mass has no contour", 100 * share),
            "give per cents between 0 and 100, or none", Fault::usage);
  if (!options.centre) return;
  const auto [latitude, longitude] = *options.centre;
  require(std::abs(latitude) <= 90 && std::abs(longitude) <= 360,
          fmt::format("‹center› {:g},{:g}: there is no such place", latitude, longitude),
          "give a latitude in -90..90 and a longitude in -180..180, in degrees", Fault::usage);
  require(latitude == 0 || options.projection == figure::ProjectionKind::orthographic,
          fmt::format("‹center› {:g},{:g}: the middle of a map of the whole world is on the equator",
                      latitude, longitude),
          fmt::format("give ‹center› 0,{:g}, or ‹projection› orthographic", longitude), Fault::usage);
}

/// A square around the points: its middle and half its side.
struct Square {
  figure::Vec2 middle;
  double half;
};

Square square_around(const std::vector<const Points<double>*>& clouds) {
  figure::Vec2 low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};
  for (const Points<double>* points : clouds)
    for (std::size_t i = 0; i < points->size(); ++i) {
      const auto point = (*points)[i];
      low = {std::min(low.x, point[0]), std::min(low.y, point[1])};
      high = {std::max(high.x, point[0]), std::max(high.y, point[1])};
    }
  require(low.x <= high.x, "there is no sample to tell what part of the plane to draw", "give ‹extent›",
          Fault::numerical);
  const double half = 0.55 * std::max(high.x - low.x, high.y - low.y);
  return {{(low.x + high.x) / 2, (low.y + high.y) / 2}, half > 0 ? half : 1};
}

/// What part of the plane is drawn where none is given: that with the points, or with some samples.
Square seen_part(const Model& model, const DrawOptions& options, const Points<double>& samples,
                 TaskObserver& observer) {
  const bool points = samples.size() + options.data.points.size() + options.test.points.size() > 0;
  Failures unseen;
  const Points<double> few = figure::draws_of(model, options.evaluation, points ? 0 : kSamplesForExtent,
                                              options.seed, 1, unseen, observer)
                                 .front();
  Square square = square_around({&options.data.points, &options.test.points, &samples, &few});
  if (options.grid.resolution > 0)
    square.half = std::ceil(square.half / options.grid.resolution) * options.grid.resolution;
  observer.tell(
      "Drawn: x in {:.4g} … {:.4g}, y in {:.4g} … {:.4g}, where the {} are; ‹extent› draws the square "
      "around 0.",
      square.middle.x - square.half, square.middle.x + square.half, square.middle.y - square.half,
      square.middle.y + square.half, points ? "points" : "samples");
  return square;
}

GridLayout layout_drawn(const Model& model, Surface surface, GridChoice choice, const Square& square) {
  if (surface == Surface::globe && choice.resolution == 0) choice.resolution = kMapResolution;
  if (surface == Surface::disk && choice.resolution == 0) {
    const double K = space_of(model)->curvature();
    choice.resolution = 2 / std::sqrt(-K) / kCellsAcross;
  }
  if (surface != Surface::plane) return layout_of(choice, model);
  choice.extent = square.half;
  if (choice.resolution == 0) choice.resolution = 2 * square.half / kCellsAcross;
  GridLayout layout = layout_of(choice, model);
  layout.lattice =
      euclidean_lattice(layout.lattice.rows.centres.size(), square.half, square.middle.x, square.middle.y);
  return layout;
}

/// Of axes, whose density p(x) + p(−x) of a sphere's p is drawn at both ends.
void add_opposite_ends(DensityGrid& grid) {
  const std::size_t rows = grid.layout.lattice.rows.centres.size(),
                    columns = grid.layout.lattice.columns.centres.size();
  const std::vector<double> log_density = grid.log_density, masses = grid.masses;
  grid.layout.measure = "steradian of axes, both ends";
  grid.summary.mass *= 2;
  grid.summary.largest = 0;
  grid.summary.smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < log_density.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const std::size_t opposite = (rows - 1 - row) * columns + (column + columns / 2) % columns;
    const double density = std::exp(log_density[i]) + std::exp(log_density[opposite]);
    grid.log_density[i] = std::log(density);
    grid.masses[i] = masses[i] + masses[opposite];
    if (std::isnan(density)) continue;
    grid.summary.largest = std::max(grid.summary.largest, density);
    grid.summary.smallest = std::min(grid.summary.smallest, density);
  }
}

/// ends: of axes, their covering; null for others.
Drawing draw_density(const Model& model, const DrawOptions& options, Surface surface, const Covering* ends,
                     TaskObserver& observer) {
  Drawing drawing;
  const bool by_points = surface == Surface::plane && options.grid.extent == 0;
  Square square{{0, 0}, options.grid.extent};
  std::optional<GridLayout> layout;
  const Model on_sheet = ends != nullptr ? on_cover(model) : model;
  // What may be refused, first.
  if (!by_points) layout = layout_drawn(on_sheet, surface, options.grid, square);
  if (options.trajectories > 0 && model.config.model == ModelKind::pool)
    observer.say("The trajectories are those of the pool's flow with the largest weight.");
  const std::vector<Points<double>> paths = figure::draws_of(
      model, options.evaluation, options.trajectories, options.seed, kPathFrames, drawing.failures, observer);
  const Points<double> samples = figure::draws_of(model, options.evaluation, options.samples, options.seed, 1,
                                                  drawing.failures, observer)
                                     .front();
  if (by_points)
    layout = layout_drawn(model, surface, options.grid, seen_part(model, options, samples, observer));
  DensityGrid grid = figure::computed_grid(on_sheet, options.evaluation, *layout, observer);
  drawing.cells = layout->lattice.size() - grid.summary.outside;
  drawing.failed_cells = grid.summary.failed;
  std::vector<figure::Layer> layers;
  figure::add_layer(layers, {samples, "samples"}, figure::kPurple, observer);
  figure::add_layer(layers, options.data, figure::kBlue, observer);
  figure::add_layer(layers, options.test, figure::kTeal, observer);
  if (ends != nullptr) {
    add_opposite_ends(grid);
    for (figure::Layer& layer : layers) layer.points = lifts_of(*ends, layer.points);
  }
  const ObservedTask task(observer, "Drawing");
  drawing.bytes = figure::draw_grid(on_sheet, surface, grid, layers, paths, options);
  return drawing;
}

Drawing draw_samples(const Model& model, const DrawOptions& options, TaskObserver& observer) {
  Drawing drawing;
  const Points<double> samples =
      figure::draws_of(model, options.evaluation, options.samples > 0 ? options.samples : kUsualSamples,
                       options.seed, 1, drawing.failures, observer)
          .front();
  require(samples.size() > 0, "none of the samples could be drawn from the model",
          "riemflow check tells more", Fault::numerical);
  std::vector<figure::Layer> layers;
  figure::add_layer(layers, options.data, figure::kBlue, observer);
  figure::add_layer(layers, options.test, figure::kTeal, observer);
  const figure::PairsChart chart = figure::pairs_chart(model, samples, layers, observer);
  const ObservedTask task(observer, "Drawing");
  const double width = figure::width_in_points(options, kPairsWidth);
  drawing.bytes = figure::draw_pairs({options.kind, width, options.dpi, options.title}, chart);
  return drawing;
}

}  // namespace

Drawing draw(const Model& model, const DrawOptions& options, TaskObserver& observer) {
  const auto manifold = space_of(model).on<double>();
  const Picture picture = manifold->picture();
  if (picture.kind == Picture::Kind::cover) {
    DrawOptions above = options;
    for (Points<double>* points : {&above.data.points, &above.test.points})
      if (points->size() > 0) *points = lifts_of(*manifold->covering(), *points);
    const Model ball = on_cover(model);
    observer.tell("The figure is that of {}, in whose coordinates {} is drawn.", ball.config.manifold.name(),
                  manifold->name());
    return draw(ball, above, observer);
  }
  const CancelScope scope([&] { return observer.cancelled(); });
  figure::width_in_points(options, 0);
  if (picture.kind == Picture::Kind::rotations)
    return figure::draw_rotations(model, picture.group, options, observer);
  const bool axes = picture.kind == Picture::Kind::axes;
  const auto surface = axes ? std::optional(Surface::globe) : figure::surface_of(*manifold);
  require_meaning(model, options, surface, axes);
  require(options.trajectories == 0 || leading_flow(model).has_value(),
          fmt::format("{}a {} has no trajectories", about(model), name_of(model.config.model)),
          "give a model that is a flow, or leave out ‹trajectories›");
  if (!surface) return draw_samples(model, options, observer);
  if (!axes) return draw_density(model, options, *surface, nullptr, observer);
  DrawOptions plain = options;
  plain.coastlines = false;
  return draw_density(model, plain, *surface, manifold->covering().get(), observer);
}

namespace figure {

std::string draw_grid(const Model& model, Surface surface, const DensityGrid& grid,
                      const std::vector<Layer>& layers, const std::vector<Points<double>>& paths,
                      const DrawOptions& options) {
  if (surface == Surface::globe)
    return map_figure(options.kind, globe_width(options), options.dpi,
                      globe_map(grid, layers, paths, options));
  const DensityChart chart = sheet_chart(grid, layers, paths, options, surface == Surface::torus);
  const Sheet sheet{options.kind, width_in_points(options, kSquareWidth), options.dpi, options.title};
  if (surface == Surface::disk) return draw_disk(sheet, chart, space_of(model)->curvature());
  const std::array<std::string, 2> names = sheet_names(model);
  return surface == Surface::torus ? draw_torus(sheet, chart, names) : draw_plane(sheet, chart, names);
}

void add_layer(std::vector<Layer>& layers, const NamedPoints& all, const Colour& colour,
               TaskObserver& observer, std::size_t most) {
  if (all.points.size() == 0) return;
  Layer layer{thinned(all.points, most), all.label, colour};
  const std::string drawn = counted(layer.points.size()), of = counted(all.points.size());
  layer.label += drawn == of ? fmt::format(" ({})", drawn) : fmt::format(" ({} of {})", drawn, of);
  if (drawn != of)
    observer.tell("{}: {} of {} points are drawn, more cannot be told apart.", all.label, drawn, of);
  layers.push_back(std::move(layer));
}

namespace {

using DrawSome = std::function<Carried<double>(std::size_t n, std::uint64_t first)>;

/// [frame][draw] of those numbered first … last − 1, which `some` draws.
std::vector<Points<double>> drawn_in_pieces(const DrawSome& some, const char* what, int ambient, int frames,
                                            std::uint64_t first, std::uint64_t last, Failures& failures,
                                            TaskObserver& observer) {
  std::vector<Points<double>> result(static_cast<std::size_t>(frames), Points<double>(0, ambient));
  ObservedTask task(observer, "Samples", static_cast<double>(last - first));
  const std::uint64_t at_once =
      std::max<std::uint64_t>(1, kDrawsAtOnce / static_cast<std::uint64_t>(frames) / kLanes) * kLanes;
  for (; first < last; first += at_once) {
    give_up_if_asked();
    const auto n = static_cast<std::size_t>(std::min(at_once, last - first));
    const Carried<double> drawn = some(n, first);
    for (std::size_t i = 0; i < n; ++i) {
      if (!std::all_of(drawn.frames.begin(), drawn.frames.end(),
                       [&](const Points<double>& frame) { return is_finite<double>(frame[i]); }))
        continue;
      for (std::size_t k = 0; k < drawn.frames.size(); ++k)
        for (const double x : drawn.frames[k][i]) result[k].values.push_back(x);
    }
    for (const Failure& failure : drawn.summary.failures)
      failures.add([&] { return fmt::format("{} {}", what, first + failure.point + 1); }, failure.status);
    task.advance(static_cast<double>(n));
  }
  return result;
}

}  // namespace

std::vector<Points<double>> draws_of(const Model& model, const Evaluation& how, std::uint64_t n,
                                     std::uint64_t seed, int frames, Failures& failures,
                                     TaskObserver& observer) {
  if (n == 0) return std::vector<Points<double>>(static_cast<std::size_t>(frames));
  const std::optional<Model> flow = frames > 1 ? leading_flow(model) : std::nullopt;
  const std::unique_ptr<Density> density = make_density(flow ? *flow : model, how);
  const DrawSome some = [&](std::size_t count, std::uint64_t first) {
    return frames > 1
               ? density->parts().front().flow()->draw_paths(count, seed, first, equally_spaced(0, 1, frames))
               : density->sample(count, seed, first);
  };
  return drawn_in_pieces(some, frames > 1 ? "trajectory" : "draw", density->manifold().ambient(), frames, 0,
                         n, failures, observer);
}

Points<double> draws_of(const Density& density, std::uint64_t first, std::uint64_t last, std::uint64_t seed,
                        Failures& failures, TaskObserver& observer) {
  const DrawSome some = [&](std::size_t n, std::uint64_t from) { return density.sample(n, seed, from); };
  return drawn_in_pieces(some, "draw", density.manifold().ambient(), 1, first, last, failures, observer)
      .front();
}

double width_in_points(const DrawOptions& options, double usual_mm) {
  const double mm = options.width > 0 ? options.width : usual_mm, pixels = mm / 25.4 * options.dpi;
  require(pixels <= kMostPixels,
          fmt::format("{:g} mm at {:g} dpi are {:.0f} pixels", mm, options.dpi, pixels),
          fmt::format("give a smaller ‹width› or ‹dpi›, for at most {:.0f}", kMostPixels), Fault::usage);
  return mm / 25.4 * 72;
}

DensityGrid computed_grid(const Model& model, const Evaluation& how, const GridLayout& layout,
                          TaskObserver& observer) {
  DensityGrid grid = density_grid(model, how, layout, observer);
  require(grid.summary.failed + grid.summary.outside < layout.lattice.size(),
          "the density could not be computed anywhere",
          "riemflow check tells more; a larger ‹tolerance› may help", Fault::numerical);
  return grid;
}

}  // namespace figure
}  // namespace riemflow
