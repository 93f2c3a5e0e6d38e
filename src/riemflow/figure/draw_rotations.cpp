#include "riemflow/figure/draw_rotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/figure/axis_angle.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/figure/euler_sections.hpp"
#include "riemflow/figure/pole_figure.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {
namespace {

constexpr double kTextureWidth = 180;            // mm
constexpr std::size_t kMostOrientations = 2000;  // of a kind; each has several dots
/// Draws that take as long as the density at one place, where it is a sum over kernels and where it takes
/// solves.
constexpr double kDrawsAKernelSum = 5, kDrawsASolve = 50;

RotationView view_of(const DrawOptions& options, const CrystalGroup& group) {
  if (options.rotations) return *options.rotations;
  if (!options.poles.empty()) return RotationView::poles;
  if (options.sections > 0 || options.phi1 > 0) return RotationView::sections;
  return group.elements.size() > 1 ? RotationView::poles : RotationView::axis_angle;
}

std::vector<CrystalDirection> directions_of(const DrawOptions& options, const CrystalGroup& group) {
  if (options.poles.empty()) return usual_directions(group);
  std::vector<CrystalDirection> directions;
  for (const std::string& indices : options.poles)
    directions.push_back(crystal_plane(group, indices, options.lattice));
  return directions;
}

void require_meaning_of(const Model& model, const DrawOptions& options, RotationView view) {
  const std::string of = view == RotationView::poles      ? "pole figures"
                         : view == RotationView::sections ? "sections of Euler angles"
                                                          : "the ball of rotation vectors";
  const auto refuse = [&](bool given, const char* name, const std::string& advice) {
    require(!given, fmt::format("‹{}› has no meaning in {}", name, of), advice, Fault::usage);
  };
  const std::string leave = fmt::format("leave it out for {}", model.path);
  refuse(options.projection.has_value(), "projection", leave);
  refuse(options.centre.has_value(), "center", leave);
  refuse(!options.coastlines, "no-coastlines", leave);
  refuse(options.grid.extent > 0, "extent", leave);
  refuse(!options.grid.per.empty(), "per", "densities are multiples of the uniform one");
  refuse(options.grid.resolution > 0, "resolution", "they are as fine as the density is narrow");
  refuse(!options.contours.empty(), "contours", "contours are at multiples of the uniform density");
  refuse(options.trajectories > 0, "trajectories", leave);
  if (view != RotationView::poles) {
    refuse(!options.poles.empty(), "poles", "give ‹view› poles with it");
    refuse(options.lattice.has_value(), "lattice", "give ‹view› poles with it");
  }
  if (view != RotationView::sections) {
    refuse(options.sections > 0, "sections", "give ‹view› sections with it");
    refuse(options.phi1 > 0, "phi1", "give ‹view› sections with it");
  }
}

}  // namespace

Drawing draw_rotations(const Model& model, const std::string& group, const DrawOptions& options,
                       TaskObserver& observer) {
  Drawing drawing;
  Texture texture;
  texture.group = crystal_group(group);
  const RotationView view = view_of(options, texture.group);
  require_meaning_of(model, options, view);
  const Sheet sheet{options.kind, width_in_points(options, kTextureWidth), options.dpi, options.title};
  const std::vector<CrystalDirection> directions =
      view == RotationView::poles ? directions_of(options, texture.group) : std::vector<CrystalDirection>();

  const std::unique_ptr<Density> density = make_exact_density(model, options.evaluation, observer);
  texture.log_uniform = -density->manifold().log_volume();
  texture.log_density = [&](const Points<double>& rotations) {
    give_up_if_asked();
    std::vector<double> values = density->log_prob(rotations).values;
    drawing.cells += values.size();
    drawing.failed_cells += static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
    return values;
  };
  Points<double> drawn(0, 4);
  std::uint64_t asked = 0;
  texture.draws = [&](std::size_t n) {
    if (const std::uint64_t last = (n + kLanes - 1) / kLanes * kLanes; last > asked) {
      const Points<double> more = draws_of(*density, asked, last, options.seed, drawing.failures, observer);
      drawn.values.insert(drawn.values.end(), more.values.begin(), more.values.end());
      asked = last;
    }
    Points<double> first(0, 4);
    first.values.assign(drawn.values.begin(),
                        drawn.values.begin() + static_cast<std::ptrdiff_t>(4 * std::min(n, drawn.size())));
    return first;
  };
  texture.draws_a_value = density->tolerance() > 0 ? kDrawsASolve : kDrawsAKernelSum;
  std::vector<Layer> layers;
  add_layer(layers, {texture.draws(options.samples), "samples"}, kPurple, observer, kMostOrientations);
  add_layer(layers, options.data, kBlue, observer, kMostOrientations);
  add_layer(layers, options.test, kTeal, observer, kMostOrientations);

  const ObservedTask task(observer, "Drawing");
  switch (view) {
    case RotationView::poles: {
      PoleFigures figures = pole_figures(texture, directions, options.log_scale);
      for (const Layer& layer : layers)
        for (std::size_t k = 0; k < directions.size(); ++k) {
          Cloud cloud{layer.label, layer.colour, {}};
          for (const Direction& pole : poles_of(texture.group, directions[k].h, layer.points))
            cloud.points.push_back(place_of_direction(pole));
          figures.panels[k].clouds.push_back(std::move(cloud));
        }
      drawing.bytes = draw_pole_figures(sheet, figures);
      break;
    }
    case RotationView::sections: {
      EulerSections sections = euler_sections(texture, {options.phi1, options.sections, options.log_scale});
      for (const Layer& layer : layers)
        add_to_sections(sections, texture.group, {layer.label, layer.colour, {}}, layer.points);
      drawing.bytes = draw_euler_sections(sheet, sections);
      break;
    }
    case RotationView::axis_angle: {
      AxisAngleViews views = axis_angle_views(texture, options.log_scale);
      for (const Layer& layer : layers) {
        const auto dots = axis_angle_dots(texture.group, views.zone, layer.points);
        for (std::size_t k = 0; k < dots.size(); ++k)
          views.clouds[k].push_back({layer.label, layer.colour, dots[k]});
      }
      drawing.bytes = draw_axis_angle(sheet, views);
      break;
    }
  }
  return drawing;
}

}  // namespace riemflow::figure
