#include "riemflow/figure/graticule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace riemflow::figure {
namespace {

constexpr int kParallels = 30, kMeridians = 30;  // degrees between two

std::string latitude_text(int degrees) {
  return degrees == 0 ? "0°" : fmt::format("{}° {}", std::abs(degrees), degrees > 0 ? "N" : "S");
}

std::string longitude_text(int degrees) {
  if (degrees == 0 || std::abs(degrees) == 180) return fmt::format("{}°", std::abs(degrees));
  return fmt::format("{}° {}", std::abs(degrees), degrees > 0 ? "E" : "W");
}

SphereLine parallel(int latitude) {
  SphereLine line{{}, true};
  for (int i = 0; i < 360; ++i) line.points.push_back(vector_of({double(latitude), double(i)}));
  return line;
}

SphereLine meridian(int longitude) {
  SphereLine line;
  for (int i = -90; i <= 90; ++i) line.points.push_back(vector_of({double(i), double(longitude)}));
  return line;
}

/// Where a line ends on the horizon.
void add_ends(const Projection& projection, const SphereLine& line, const std::string& text,
              std::vector<DegreeLabel>& labels) {
  for (const Line& piece : cut(projection, {line}))
    for (const Vec2& end : {piece.points.front(), piece.points.back()})
      if (std::hypot(end.x, end.y) > 1 - 1e-6) labels.push_back({end, end, text});
}

}  // namespace

Lines graticule(const Projection& projection) {
  Lines lines;
  if (projection.world()) {
    const auto add = [&](LatLon from, LatLon to) {
      Line line;
      for (int k = 0; k <= 180; ++k)
        line.points.push_back(
            *projection.forward_relative({from.latitude + (to.latitude - from.latitude) * k / 180,
                                          from.longitude + (to.longitude - from.longitude) * k / 180}));
      lines.push_back(std::move(line));
    };
    for (int latitude = -90 + kParallels; latitude < 90; latitude += kParallels)
      add({double(latitude), -180}, {double(latitude), 180});
    for (int longitude = -180; longitude < 180; longitude += kMeridians) {
      const double x = wrapped(longitude - projection.centre().longitude);
      if (x > -180) add({-90, x}, {90, x});
    }
    return lines;
  }
  std::vector<SphereLine> all;
  for (int latitude = -90 + kParallels; latitude < 90; latitude += kParallels)
    all.push_back(parallel(latitude));
  for (int longitude = -180; longitude < 180; longitude += kMeridians) all.push_back(meridian(longitude));
  return cut(projection, all);
}

std::vector<DegreeLabel> degree_labels(const Projection& projection) {
  std::vector<DegreeLabel> labels;
  if (!projection.world()) {
    for (int latitude = -90 + kParallels; latitude < 90; latitude += kParallels)
      add_ends(projection, parallel(latitude), latitude_text(latitude), labels);
    for (const int step : {90, kMeridians})
      for (int longitude = -180; longitude < 180; longitude += step)
        add_ends(projection, meridian(longitude), longitude_text(longitude), labels);
    return labels;
  }
  for (int latitude = -90 + kParallels; latitude < 90; latitude += kParallels) {
    Vec2 at = *projection.forward_relative({double(latitude), -180});
    for (const int aside : {-3, 3})  // as high as the text is, so that an oblique border does not meet it
      at.x = std::min(at.x, projection.forward_relative({double(latitude + aside), -180})->x);
    labels.push_back({at, {-1, 0}, latitude_text(latitude)});
  }
  // Where the pole is a point, on the equator.
  const bool to_a_point = projection.kind() == ProjectionKind::mollweide;
  for (int longitude = -180; longitude < 180; longitude += 2 * kMeridians) {
    const double x = wrapped(longitude - projection.centre().longitude);
    if (to_a_point && x == -180) continue;
    const double latitude = to_a_point ? 0 : -90;
    labels.push_back({*projection.forward_relative({latitude, x}), {0, -1}, longitude_text(longitude)});
    if (x == -180)
      labels.push_back({*projection.forward_relative({latitude, 180}), {0, -1}, longitude_text(longitude)});
  }
  return labels;
}

}  // namespace riemflow::figure
