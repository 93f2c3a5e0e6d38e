#include "riemflow/figure/flat.hpp"

#include <cmath>

#include "riemflow/figure/land.hpp"

namespace riemflow::figure {
namespace {

constexpr double kTurn = 360;

std::string draw_flat(const Sheet& sheet, const DensityChart& chart, const Axis& x, const Axis& y,
                      const Lines& pieces) {
  return draw_square(sheet, chart, x, y, legend_of(chart), [&](Canvas&, Frame& frame) {
    if (chart.density.empty())
      frame.draw_grid();
    else
      frame.image(image_of(chart), chart.x, chart.y);
    draw_clouds(frame, chart.clouds);
    draw_paths(frame, pieces, chart.paths);
    draw_contours(frame, chart.contours);
    frame.draw_axes();
  });
}

/// A contour of a periodic lattice ends half a cell beyond the seam, and begins half a cell after it.
Lines on_both_sides(const Lines& lines) {
  Lines result;
  for (const double dx : {0.0, -kTurn})
    for (const double dy : {0.0, -kTurn})
      for (Line line : lines) {
        for (Vec2& point : line.points) point = {point.x + dx, point.y + dy};
        result.push_back(std::move(line));
      }
  return result;
}

}  // namespace

Lines cut_at_seam(const Lines& lines) {
  Lines result;
  for (const Line& line : lines) {
    Line piece;
    for (std::size_t i = 0; i < line.points.size(); ++i) {
      const Vec2 here{wrapped(line.points[i].x), wrapped(line.points[i].y)};
      if (!piece.points.empty()) {
        const Vec2 last = piece.points.back();
        const Vec2 near{last.x + wrapped(here.x - last.x), last.y + wrapped(here.y - last.y)};
        if (std::hypot(near.x - here.x, near.y - here.y) > 1e-6) {
          piece.points.push_back(near);
          result.push_back(std::move(piece));
          piece = {{{here.x + last.x - near.x, here.y + last.y - near.y}}, false};
        }
      }
      piece.points.push_back(here);
    }
    result.push_back(std::move(piece));
  }
  return result;
}

std::string draw_torus(const Sheet& sheet, const DensityChart& chart,
                       const std::array<std::string, 2>& names) {
  DensityChart drawn = chart;
  for (Line& path : drawn.paths)
    for (Vec2& point : path.points) point = {wrapped(point.x), wrapped(point.y)};
  for (Cloud& cloud : drawn.clouds)
    for (Vec2& point : cloud.points) point = {wrapped(point.x), wrapped(point.y)};
  for (ContourLines& contour : drawn.contours) contour.lines = on_both_sides(contour.lines);
  const int least = sheet.width < 300 ? 5 : 6;  // every 90 degrees, or every 60
  return draw_flat(sheet, drawn, degree_axis(names[0], -180, 180, least),
                   degree_axis(names[1], -180, 180, least), cut_at_seam(drawn.paths));
}

std::string draw_plane(const Sheet& sheet, const DensityChart& chart,
                       const std::array<std::string, 2>& names) {
  return draw_flat(sheet, chart, {names[0], chart.x}, {names[1], chart.y}, chart.paths);
}

}  // namespace riemflow::figure
