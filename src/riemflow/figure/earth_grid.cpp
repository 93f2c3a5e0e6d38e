#include "riemflow/figure/earth_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "riemflow/manifold/earth.hpp"

namespace riemflow::figure {

double EarthGrid::at(LatLon place) const {
  // Beyond the first and the last row lies the row itself, half a turn away: bilinear over the pole.
  const double y = (place.latitude + 90) / 180 * rows - 0.5;
  const double x = (wrapped(place.longitude - west - 180) + 180) / 360 * columns - 0.5;
  const int row = static_cast<int>(std::floor(y)), column = static_cast<int>(std::floor(x));
  const auto value = [&](int i, int j) {
    if (i < 0 || i >= rows) {
      i = std::clamp(i, 0, rows - 1);
      j += columns / 2;
    }
    j = (j % columns + columns) % columns;
    return values[static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) +
                  static_cast<std::size_t>(j)];
  };
  const double s = y - row, t = x - column;
  return (1 - s) * ((1 - t) * value(row, column) + t * value(row, column + 1)) +
         s * ((1 - t) * value(row + 1, column) + t * value(row + 1, column + 1));
}

std::vector<SphereLine> EarthGrid::contour(double level) const {
  // A row for each pole, so that a line around it closes in what is drawn.
  Raster raster{rows + 2, columns, {}, true, false};
  const auto n = static_cast<std::ptrdiff_t>(columns);
  const auto add_pole = [&](std::ptrdiff_t row) {
    const auto first = values.begin() + row * n;
    raster.values.insert(raster.values.end(), static_cast<std::size_t>(columns),
                         std::accumulate(first, first + n, 0.0) / columns);
  };
  add_pole(0);
  raster.values.insert(raster.values.end(), values.begin(), values.end());
  add_pole(rows - 1);
  std::vector<SphereLine> result;
  for (const Line& line : figure::contour(raster, level)) {
    SphereLine& on_sphere = result.emplace_back(SphereLine{{}, line.closed});
    for (const Vec2& p : line.points)
      on_sphere.points.push_back(vector_of({std::clamp(latitude(p.y - 1), -90.0, 90.0), longitude(p.x)}));
  }
  return result;
}

}  // namespace riemflow::figure
