#include "riemflow/figure/disk.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

constexpr int kCircles = 3;
const Pen kNetPen{kInk.with_alpha(0.28), 0.35};
const Pen kCirclePen{kInk.with_alpha(0.55), 0.45, {3, 2}};

double rim(double K) { return 1 / std::sqrt(-K); }

/// Cells whose centre is beyond the rim, of which a part may be seen, take the value of the nearest ones
/// within.
Image image_to_the_rim(const DensityChart& chart, double R) {
  DensityChart filled = chart;
  const auto outside = [&](int ix, int iy) {
    return std::hypot(chart.x.value((ix + 0.5) / chart.nx), chart.y.value((iy + 0.5) / chart.ny)) >=
           0.9999 * R;
  };
  for (int ix = 0; ix < chart.nx; ++ix)
    for (int iy = 0; iy < chart.ny; ++iy) {
      if (!outside(ix, iy)) continue;
      double sum = 0, n = 0;
      for (int kx = std::max(0, ix - 2); kx <= std::min(chart.nx - 1, ix + 2); ++kx)
        for (int ky = std::max(0, iy - 2); ky <= std::min(chart.ny - 1, iy + 2); ++ky) {
          if (outside(kx, ky) || std::isnan(chart.at(kx, ky))) continue;
          const double weight = std::pow(std::hypot(kx - ix, ky - iy), -4);
          sum += weight * chart.at(kx, ky);
          n += weight;
        }
      filled.at(ix, iy) = n > 0 ? sum / n : 0;
    }
  return image_of(filled);
}

Lines net(double K) {
  Lines lines = {disk_geodesic({0, 0}, K), {{{-rim(K), 0}, {rim(K), 0}}}};
  for (int k = 1; k <= kCircles; ++k) {
    const double r = disk_radius(k / std::sqrt(-K), K);
    for (const Vec2 foot : {Vec2{r, 0}, Vec2{-r, 0}, Vec2{0, r}, Vec2{0, -r}})
      lines.push_back(disk_geodesic(foot, K));
  }
  return lines;
}

}  // namespace

double disk_radius(double distance, double K) { return rim(K) * std::tanh(std::sqrt(-K) * distance / 2); }

Line disk_geodesic(Vec2 foot, double K, int points) {
  const double R = rim(K), r = std::hypot(foot.x, foot.y);
  if (r < 1e-9 * R) return {{{0, -R}, {0, R}}};
  // Centre at distance c = (R² + r²)/2r along the radius, radius ρ = c − r, and c² = R² + ρ².
  const double c = (R * R + r * r) / (2 * r), rho = c - r, half = std::atan2(R, rho);
  Line line;
  for (int i = 0; i < points; ++i) {
    const double angle = half * (2.0 * i / (points - 1) - 1);
    const double along = c - rho * std::cos(angle), across = rho * std::sin(angle);
    line.points.push_back({(along * foot.x - across * foot.y) / r, (along * foot.y + across * foot.x) / r});
  }
  return line;
}

void draw_disk(Canvas& canvas, Frame& frame, const DensityChart& chart, double K, bool labels) {
  const double R = rim(K);
  const Vec2 centre = frame.at({0, 0});
  const double radius = frame.at({R, 0}).x - centre.x;
  {
    const Canvas::Clip clip(canvas, Lines{ring(centre, radius, 720)});
    if (!chart.density.empty()) frame.image(image_to_the_rim(chart, R), chart.x, chart.y);
    canvas.stroke(frame.at(net(K)), kNetPen);
    for (int k = 1; k <= kCircles; ++k)
      canvas.circle(centre, radius / R * disk_radius(k / std::sqrt(-K), K), kCirclePen);
    draw_clouds(frame, chart.clouds);
    draw_paths(frame, chart.paths, chart.paths);
    draw_contours(frame, chart.contours);
  }
  canvas.circle(centre, radius, {kInk, 1});
  if (!labels) return;
  constexpr double kAt = -0.75 * std::numbers::pi;  // upper left, between the axes
  for (int k = 1; k <= kCircles; ++k) {
    const double r = radius / R * disk_radius(k / std::sqrt(-K), K);
    canvas.text({centre.x + r * std::cos(kAt), centre.y + r * std::sin(kAt)}, short_number(k / std::sqrt(-K)),
                {.size = kTickText, .align = Align::centre, .rise = Rise::middle, .halo = 1.5});
  }
}

std::string draw_disk(const Sheet& sheet, const DensityChart& chart, double K) {
  const double R = rim(K);
  Axis axis;
  axis.scale = {-1.01 * R, 1.01 * R, false};
  std::vector<LegendEntry> legend = legend_of(chart);
  legend.push_back(
      {LegendEntry::Mark::line, "distance from the centre (curvature " + short_number(K) + ")", kCirclePen});
  legend.push_back({LegendEntry::Mark::line, "geodesics", kNetPen});
  return draw_square(sheet, chart, axis, axis, legend,
                     [&](Canvas& canvas, Frame& frame) { draw_disk(canvas, frame, chart, K); });
}

}  // namespace riemflow::figure
