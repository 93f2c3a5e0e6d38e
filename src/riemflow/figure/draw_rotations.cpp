#include "riemflow/figure/draw_rotations.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/core/cancel.hpp"
#include "riemflow/figure/axis_angle.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/figure/euler_sections.hpp"
#include "riemflow/figure/pole_figure.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {
namespace {

constexpr double kWidth = 180;  // mm
/// Of a disc of poles, and of the circle of rotations behind each of its points.
constexpr int kAcross = 49, kAround = 48;
constexpr std::size_t kMostDots = 2000;

/// Of the data and the test, no more than can be told apart.
Points<double> dots_of(const DrawOptions& options) {
  Points<double> all = options.data.points;
  all.dimension = 4;
  all.values.insert(all.values.end(), options.test.points.values.begin(), options.test.points.values.end());
  return thinned(all, kMostDots);
}

std::string label_of(const Points<double>& dots) { return fmt::format("{} points", dots.size()); }

}  // namespace

Drawing draw_rotations(const Model& model, const std::string& group, const DrawOptions& options,
                       TaskObserver& observer) {
  const std::unique_ptr<Density> density = make_density(model, options.evaluation);
  Drawing drawing;
  Texture texture;
  texture.group = crystal_group(group);
  texture.log_uniform = -density->manifold().log_volume();
  texture.log_density = [&](const Points<double>& rotations) {
    give_up_if_asked();
    std::vector<double> values = density->log_prob(rotations).values;
    drawing.cells += values.size();
    drawing.failed_cells += static_cast<std::size_t>(
        std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
    return values;
  };
  const bool crystal = texture.group.elements.size() > 1;
  const RotationView view =
      options.rotations.value_or(crystal ? RotationView::poles : RotationView::axis_angle);
  const Sheet sheet{options.kind, width_in_points(options, kWidth), options.dpi, options.title};
  const Points<double> dots = dots_of(options);
  const ObservedTask task(observer, "Drawing");
  switch (view) {
    case RotationView::poles: {
      const std::vector<CrystalDirection> directions = usual_directions(texture.group);
      PoleFigures figures = pole_figures(texture, directions, kAcross, kAround);
      for (std::size_t k = 0; k < directions.size() && dots.size() > 0; ++k)
        for (const Direction& pole : poles_of(texture.group, directions[k].h, dots))
          figures.panels[k].poles.push_back(place_of_direction(pole));
      if (dots.size() > 0) figures.dots_label = label_of(dots);
      drawing.bytes = draw_pole_figures(sheet, figures);
      break;
    }
    case RotationView::sections:
      drawing.bytes = draw_euler_sections(sheet, euler_sections(texture));
      break;
    case RotationView::axis_angle: {
      AxisAngleViews views = axis_angle_views(texture);
      if (dots.size() > 0) {
        views.dots = axis_angle_dots(dots);
        views.dots_label = label_of(dots);
      }
      drawing.bytes = draw_axis_angle(sheet, views);
      break;
    }
  }
  return drawing;
}

}  // namespace riemflow::figure
