#include "riemflow/figure/disc_lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "riemflow/figure/contour.hpp"

namespace riemflow::figure {
namespace {

constexpr double kStepsBeyond = 3;

// At the angle θ from the pole: √2 sin θ/2 in equal areas, tan θ/2 in the stereographic projection.
double stereographic_radius(double equal_area) {
  return equal_area / std::sqrt(std::max(1e-3, 2 - equal_area * equal_area));
}
double equal_area_radius(double stereographic) {
  return std::numbers::sqrt2 * stereographic / std::sqrt(1 + stereographic * stereographic);
}

/// Of the points at −1, 0, 1, 2 for a place t in [0, 1].
std::array<double, 4> cubic_weights(double t) {
  const double s = 1 - t;
  return {-0.5 * t * s * s, s * (1 + t - 1.5 * t * t), t * (1 + s - 1.5 * s * s), -0.5 * s * t * t};
}

Vec2 scaled(Vec2 p, double (*radius)(double)) {
  const double r = std::hypot(p.x, p.y);
  const double scale = r > 0 ? radius(r) / r : 1;
  return {scale * p.x, scale * p.y};
}

}  // namespace

DiscLattice::DiscLattice(int points)
    : n(points),
      values(static_cast<std::size_t>(points) * static_cast<std::size_t>(points),
             std::numeric_limits<double>::quiet_NaN()) {}

bool DiscLattice::has_value(int ix, int iy) const {
  const Vec2 p = place(ix, iy);
  return std::hypot(p.x, p.y) <= 1 + kStepsBeyond * step();
}

double DiscLattice::between(Vec2 p) const {
  const double x = std::clamp((p.x + 1) / step() + 3, 1.0, n - 2.0),
               y = std::clamp((p.y + 1) / step() + 3, 1.0, n - 2.0);
  const int ix = std::min(static_cast<int>(x), n - 3), iy = std::min(static_cast<int>(y), n - 3);
  const auto u = cubic_weights(x - ix), v = cubic_weights(y - iy);
  double cubic = 0, low = INFINITY, high = -INFINITY;
  for (int dy = -1; dy <= 2; ++dy)
    for (int dx = -1; dx <= 2; ++dx) {
      const double value = at(ix + dx, iy + dy);
      cubic += u[static_cast<std::size_t>(dx + 1)] * v[static_cast<std::size_t>(dy + 1)] * value;
      if (dx < 0 || dx > 1 || dy < 0 || dy > 1) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (!std::isnan(cubic)) {
    const double more = (high - low) / 2;
    return std::clamp(cubic, std::min(std::max(low - more, 0.0), low), high + more);
  }

  double sum = 0, weights = 0;
  for (const int dx : {0, 1})
    for (const int dy : {0, 1}) {
      const double value = at(ix + dx, iy + dy);
      const double weight = std::abs(1 - dx - (x - ix)) * std::abs(1 - dy - (y - iy));
      if (std::isnan(value)) continue;
      sum += weight * value;
      weights += weight;
    }
  return weights > 0 ? sum / weights : std::numeric_limits<double>::quiet_NaN();
}

double DiscLattice::mean() const {
  // Rings of equal width, of as many places as their length has steps.
  double sum = 0, weights = 0;
  for (int i = 0; i < n; ++i) {
    const double r = (i + 0.5) / n;
    const int places = 8 + 6 * i;
    for (int k = 0; k < places; ++k) {
      const double angle = 2 * std::numbers::pi * (k + 0.5) / places;
      const double value = between({r * std::cos(angle), r * std::sin(angle)});
      if (std::isnan(value)) continue;
      sum += value * r / places;
      weights += r / places;
    }
  }
  return sum / weights;
}

std::vector<double> DiscLattice::inside() const {
  std::vector<double> result;
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix)
      if (const Vec2 p = place(ix, iy); std::hypot(p.x, p.y) <= 1) result.push_back(at(ix, iy));
  return result;
}

Vec2 DiscView::on_sheet(Vec2 on_lattice) const {
  const Vec2 p = projection == HemisphereProjection::stereographic ? scaled(on_lattice, stereographic_radius)
                                                                   : on_lattice;
  const Vec2 turned = x_up ? Vec2{-p.y, p.x} : p;
  return {centre.x + radius * turned.x, centre.y - radius * turned.y};
}

Vec2 DiscView::on_lattice(Vec2 on_sheet) const {
  const Vec2 turned{(on_sheet.x - centre.x) / radius, (centre.y - on_sheet.y) / radius};
  const Vec2 p = x_up ? Vec2{turned.y, -turned.x} : turned;
  return projection == HemisphereProjection::stereographic ? scaled(p, equal_area_radius) : p;
}

void draw_lattice(Canvas& canvas, const DiscView& view, const DiscLattice& lattice, const Scale& scale,
                  const Lines& outline) {
  const Canvas::Clip clip(canvas, outline.empty() ? Lines{ring(view.centre, view.radius, 720)} : outline);
  const Box box{view.centre.x - view.radius, view.centre.y - view.radius, 2 * view.radius, 2 * view.radius};
  const int pixels = std::max(2, static_cast<int>(std::ceil(box.width * canvas.dpi() / 72)));
  const int finer = std::max(1, static_cast<int>(std::ceil(static_cast<double>(lattice.n - 7) / pixels)));
  const double side = box.width / pixels / finer;
  Image image(pixels, pixels);
  for (int row = 0; row < pixels; ++row)
    for (int column = 0; column < pixels; ++column) {
      double largest = std::numeric_limits<double>::quiet_NaN();
      for (int i = 0; i < finer * finer; ++i) {
        Vec2 at{box.x + (finer * column + i % finer + 0.5) * side,
                box.y + (finer * row + i / finer + 0.5) * side};
        // A pixel across the rim has the rim's value; what is farther is not seen.
        const double r = std::hypot(at.x - view.centre.x, at.y - view.centre.y) / view.radius;
        if (r > 1)
          at = {view.centre.x + (at.x - view.centre.x) / r, view.centre.y + (at.y - view.centre.y) / r};
        const double value = lattice.between(view.on_lattice(at));
        if (!(largest >= value)) largest = value;
      }
      image.at(column, row) = scale.colour(largest);
    }
  canvas.image(image, box);
}

std::vector<Lines> lattice_contours(const DiscView& view, const DiscLattice& lattice,
                                    const std::vector<double>& levels) {
  // Finer than a coarse lattice, so that a small ring is round.
  const int finer = lattice.n < 150 ? 3 : 1, n = finer * (lattice.n - 1) + 1;
  Raster raster{n, n, {}};
  raster.values.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix) {
      const Vec2 at = lattice.place(static_cast<double>(ix) / finer, static_cast<double>(iy) / finer);
      const bool seen = std::hypot(at.x, at.y) < 1 + lattice.step();
      raster.values.push_back(seen ? lattice.between(at) : std::numeric_limits<double>::quiet_NaN());
    }
  std::vector<Lines> result;
  for (const double level : levels) {
    Lines& lines = result.emplace_back(contour(raster, level));
    for (Line& line : lines)
      for (Vec2& p : line.points) p = view.on_sheet(lattice.place(p.x / finer, p.y / finer));
  }
  return result;
}

}  // namespace riemflow::figure
