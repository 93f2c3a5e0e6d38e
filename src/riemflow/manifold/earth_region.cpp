#include "riemflow/manifold/earth_region.hpp"

#include <fmt/format.h>

#include <cmath>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/earth.hpp"

namespace riemflow {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSide = 22.5;  // degrees

int pieces_of(double degrees) { return std::max(1, static_cast<int>(std::ceil(degrees / kSide - 1e-9))); }

void require_longitude(double value, const std::string& what) {
  require(value >= -180 && value <= 360, fmt::format("{} is {}", what, value),
          "give degrees from -180 to 180, or from 0 to 360", Fault::usage);
}

void require_latitude(double value, const std::string& what) {
  require(value >= -90 && value <= 90, fmt::format("{} is {}", what, value),
          "give degrees from -90 (south pole) to 90", Fault::usage);
}

/// (sin h − h cos h)/h = h²/3 − h⁴/30 + …, for 0 ≤ h ≤ π/2.
double sine_less_tangent(double h) {
  if (h > 0.1) return (std::sin(h) - h * std::cos(h)) / h;
  const double s = h * h;
  // Σ_n (−1)^{n+1} 2n h^{2n}/(2n+1)!; the fifth term is below 1e-17 of the first.
  return s * (1.0 / 3 - s * (1.0 / 30 - s * (1.0 / 840 - s * (1.0 / 45360 - s / 3991680))));
}

}  // namespace

EarthRegion earth_circle(double latitude, double longitude, double km) {
  require_latitude(latitude, "the latitude of the circle's centre");
  require_longitude(longitude, "the longitude of the circle's centre");
  const double half_way = kPi * kEarthRadiusKm;
  require(km > 0 && km <= half_way * (1 + 1e-9), fmt::format("the radius of the circle is {} km", km),
          fmt::format("give more than 0 and at most {:.3f}, the way to the antipode", half_way),
          Fault::usage);
  EarthRegion region;
  region.name = fmt::format("circle {},{},{}", latitude, longitude, km);
  const double radius = std::min(km / kEarthRadiusKm, kPi);
  region.steradians = 4 * kPi * std::pow(std::sin(radius / 2), 2);

  // x = cos r·c + sin r (cos a·north + sin a·east)
  struct Frame {
    double c[3], north[3], east[3];
  } frame;
  const double phi = latitude * kRadians, lambda = longitude * kRadians;
  earth_point(phi, lambda, frame.c);
  earth_point(phi + kPi / 2, lambda, frame.north);
  earth_point(0, lambda + kPi / 2, frame.east);
  Patch patch;
  patch.dimension = 2;
  patch.low = {0, -kPi, 0};
  patch.high = {radius, kPi, 0};
  patch.map = std::make_shared<const PatchMap>([frame](const double* u, double* x) {
    const double cr = std::cos(u[0]), sr = std::sin(u[0]), ca = std::cos(u[1]), sa = std::sin(u[1]);
    for (int i = 0; i < 3; ++i) x[i] = cr * frame.c[i] + sr * (ca * frame.north[i] + sa * frame.east[i]);
    return sr;
  });
  const int rings = pieces_of(radius / kRadians);
  region.patches = cut(patch, {rings, radius > kPi / 8 ? 10 : 3, 1});
  return region;
}

EarthRegion earth_box(double west, double south, double east, double north) {
  require_longitude(west, "the west of the box");
  require_longitude(east, "the east of the box");
  require_latitude(south, "the south of the box");
  require_latitude(north, "the north of the box");
  require(south < north, fmt::format("the box runs from south {} to north {}", south, north),
          "give W,S,E,N with S below N", Fault::usage);
  require(west != east, fmt::format("the box runs from west {} to east {}, which is no width", west, east),
          "give W,S,E,N; all longitudes are -180,S,180,N", Fault::usage);
  EarthRegion region;
  region.name = fmt::format("box {},{},{},{}", west, south, east, north);
  if (west > east) {
    region.remarks.push_back(
        fmt::format("the box runs eastward from {} to {}, {} degrees across the {}", west, east,
                    east + 360 - west, west <= 180 && west != 0 ? "antimeridian" : "end of the longitudes"));
    east += 360;
  }
  require(east - west <= 360, fmt::format("the box is {} degrees wide", east - west), "give at most 360",
          Fault::usage);
  const Trapezoid trapezoid{south, north, west, west, east, east};
  region.patches = patches_of(trapezoid);
  region.steradians = steradians_of(trapezoid);
  return region;
}

std::vector<Patch> patches_of(const Trapezoid& t) {
  Patch patch;
  patch.dimension = 2;
  const double scale = kRadians;
  patch.low = {t.south * scale, 0, 0};
  patch.high = {t.north * scale, 1, 0};
  patch.map = std::make_shared<const PatchMap>([t](const double* u, double* x) {
    const double share = (u[0] - t.south * kRadians) / ((t.north - t.south) * kRadians);
    const double left = t.left_south + share * (t.left_north - t.left_south);
    const double right = t.right_south + share * (t.right_north - t.right_south);
    earth_point(u[0], (left + u[1] * (right - left)) * kRadians, x);
    return std::max(0.0, std::cos(u[0]) * (right - left) * kRadians);
  });
  const double width = std::max(t.right_south - t.left_south, t.right_north - t.left_north);
  const double steep =
      std::max(std::abs(t.left_north - t.left_south), std::abs(t.right_north - t.right_south));
  return cut(patch, {pieces_of(std::max(t.north - t.south, steep)), pieces_of(width), 1});
}

double steradians_of(const Trapezoid& t) {
  const double m = 0.5 * (t.north + t.south) * kRadians, h = 0.5 * (t.north - t.south) * kRadians;
  const double south = (t.right_south - t.left_south) * kRadians,
               north = (t.right_north - t.left_north) * kRadians;
  const double w = 0.5 * (south + north), b = 0.5 * (north - south);
  return 2 * w * std::cos(m) * std::sin(h) - 2 * b * std::sin(m) * sine_less_tangent(h);
}

}  // namespace riemflow
