#include "riemflow/figure/density_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "riemflow/figure/contour.hpp"

namespace riemflow::figure {
namespace {

constexpr double kChartMargin = 8;
constexpr double kBarGap = 12;

const Pen kPathPen{kInk.with_alpha(0.55), 0.45};

/// The density above which a share of the mass lies.
double density_level(const std::vector<double>& density, const std::vector<double>& mass, double share) {
  std::vector<double> shares = mass;
  double total = 0;
  for (const double m : mass) total += std::isfinite(m) ? m : 0;
  for (double& m : shares) m /= total;
  return highest_density_level(density, shares, share);
}

}  // namespace

ColourBar bar_for(const std::vector<double>& values, std::string label) {
  double high = 0;
  for (const double value : values)
    if (std::isfinite(value)) high = std::max(high, value);
  ColourBar bar;
  bar.label = std::move(label);
  bar.scale = {0, high > 0 ? high : 1, false};
  return bar;
}

bool asks_for_log(const std::vector<double>& density, const std::vector<double>& mass) {
  const double level = density_level(density, mass, 0.5);
  return std::isfinite(level) && level < 0.1 * bar_for(density, "").scale.to;
}

ColourBar log_bar_for(const std::vector<double>& density, const std::vector<double>& mass,
                      std::string label) {
  ColourBar bar = bar_for(density, std::move(label));
  double low = INFINITY;
  for (const double value : density)
    if (std::isfinite(value)) low = std::min(low, value);
  const double level = density_level(density, mass, 0.995);
  double from = std::isfinite(level) ? std::max(low, level) : low;
  if (!(from > 0 && from < bar.scale.to / 2)) from = bar.scale.to / 2;  // the same everywhere
  bar.scale = {from, bar.scale.to, true};
  bar.open_below = low < from * (1 - 1e-9);
  return bar;
}

Image image_of(const DensityChart& chart) {
  Image image(chart.nx, chart.ny);
  for (int ix = 0; ix < chart.nx; ++ix)
    for (int iy = 0; iy < chart.ny; ++iy)
      image.at(ix, chart.ny - 1 - iy) = chart.bar.scale.colour(chart.at(ix, iy));
  return image;
}

std::vector<ContourLines> contours_of(const DensityChart& chart, const std::vector<double>& mass,
                                      const std::vector<double>& shares, bool periodic) {
  // Rows of the raster go along x. In the logarithm, which is smoother.
  Raster raster{chart.nx, chart.ny, {}, periodic, periodic};
  for (const double value : chart.density) raster.values.push_back(std::log(value));
  std::vector<ContourLines> result;
  for (const double share : shares) {
    const double level = highest_density_level(raster.values, mass, share);
    ContourLines outline{short_number(100 * share, 9) + " %", {}};
    if (std::isfinite(level))
      for (Line line : contour(raster, level)) {
        for (Vec2& point : line.points)
          point = {chart.x.value((point.y + 0.5) / chart.nx), chart.y.value((point.x + 0.5) / chart.ny)};
        outline.lines.push_back(std::move(line));
      }
    result.push_back(std::move(outline));
  }
  return result;
}

double dot_radius(std::size_t points) {
  return std::clamp(1.3 * std::pow(static_cast<double>(std::max<std::size_t>(points, 1)) / 200, -0.22), 0.45,
                    1.3);
}

double dot_opacity(std::size_t points) {
  return std::clamp(std::sqrt(1500 / static_cast<double>(std::max<std::size_t>(points, 1))), 0.35, 1.0);
}

Pen contour_pen(std::size_t i) {
  const std::array<std::vector<double>, 3> dashes = {std::vector<double>{}, {4, 2}, {1, 1.8}};
  return {kInk, 0.8, dashes[std::min<std::size_t>(i, 2)]};
}

void draw_contours(Frame& frame, const std::vector<ContourLines>& contours) {
  for (std::size_t i = 0; i < contours.size(); ++i) {
    frame.lines(contours[i].lines, {kWhite.with_alpha(0.7), 1.6});
    frame.lines(contours[i].lines, contour_pen(i));
  }
}

void draw_paths(Frame& frame, const Lines& pieces, const Lines& paths) {
  frame.lines(pieces, {kWhite.with_alpha(0.6), 1.1});
  frame.lines(pieces, kPathPen);
  std::vector<Vec2> ends;
  for (const Line& path : paths)
    if (!path.points.empty()) ends.push_back(path.points.back());
  frame.dots(ends, 1.1, kInk, 0.3);
}

void draw_clouds(Frame& frame, const std::vector<Cloud>& clouds) {
  const double small = std::clamp(frame.box().width / 280, 0.6, 1.0);
  std::size_t all = 0;
  for (const Cloud& cloud : clouds) all += cloud.points.size();
  const double radius = small * dot_radius(all);
  for (const Cloud& cloud : clouds)
    frame.dots(cloud.points, radius, cloud.colour.with_alpha(dot_opacity(cloud.points.size())),
               radius > 0.85 ? 0.25 : 0);
}

std::vector<LegendEntry> legend_of(const DensityChart& chart) {
  std::vector<LegendEntry> legend;
  for (const Cloud& cloud : chart.clouds)
    if (!cloud.points.empty()) legend.push_back({LegendEntry::Mark::dot, cloud.label, {cloud.colour}});
  if (!chart.paths.empty())
    legend.push_back({LegendEntry::Mark::line, "paths from the base, ending in a dot", {kInk, 0.6}});
  for (std::size_t i = 0; i < chart.contours.size(); ++i)
    legend.push_back({LegendEntry::Mark::line, chart.contours[i].label + " of the mass", contour_pen(i)});
  return legend;
}

std::string draw_square(const Sheet& sheet, const DensityChart& chart, const Axis& x, const Axis& y,
                        const std::vector<LegendEntry>& legend,
                        const std::function<void(Canvas&, Frame&)>& picture) {
  Canvas ruler(FileKind::svg, 1, 1);
  const bool with_bar = !chart.density.empty();
  const double bar_room = with_bar ? kBarGap + kBarThickness + chart.bar.room(ruler) : 0;
  const double left = y.ticks.empty() ? 0 : Frame::room_left(ruler, y);
  const double below = x.ticks.empty() ? 0 : Frame::room_below(x);
  const double top = kChartMargin + (sheet.title.empty() ? kTickText / 2 : 2 * kTitleText);
  const double inside = sheet.width - 2 * kChartMargin;
  const double side = std::max(20.0, inside - left - bar_room - (with_bar ? 0 : kChartMargin));
  const double legend_high = legend_size(ruler, legend, inside - left).y;
  const double height = top + side + below + (legend.empty() ? 0 : kChartMargin + legend_high) + kChartMargin;

  Canvas canvas(sheet.kind, sheet.width, height, sheet.dpi);
  Frame frame(canvas, {kChartMargin + left, top, side, side}, x, y);
  picture(canvas, frame);
  if (!sheet.title.empty()) frame.draw_title(sheet.title);
  if (with_bar) {
    const double tip = chart.bar.open_below ? kBarThickness : 0;
    chart.bar.draw(canvas, {frame.box().right() + kBarGap, top, kBarThickness, side - tip});
  }
  draw_legend(canvas, {kChartMargin + left, height - kChartMargin - legend_high}, legend, inside - left);
  return canvas.finish();
}

}  // namespace riemflow::figure
