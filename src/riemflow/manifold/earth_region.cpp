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

constexpr int kArcs = 36;
constexpr double kEdge = 10;  // degrees

/// radius: half the length at most.
BorderPiece piece_of(std::function<void(double, double*, double*)> at, double radius) {
  BorderPiece piece{std::move(at), {}, radius * (1 + 1e-12)};
  double velocity[3];
  piece.at(0.5, piece.middle, velocity);
  return piece;
}

/// From one place to the other, both in degrees, straight in longitude over latitude.
void add_edge(double south, double west, double north, double east, std::vector<BorderPiece>& border) {
  const int n = std::max(
      1, static_cast<int>(std::ceil(std::max(std::abs(north - south), std::abs(east - west)) / kEdge)));
  const double up = (north - south) * kRadians / n, along = (east - west) * kRadians / n;
  for (int i = 0; i < n; ++i) {
    const double phi = south * kRadians + i * up, lambda = west * kRadians + i * along;
    const bool crosses = phi * (phi + up) < 0;  // the equator
    const double widest = crosses ? 1 : std::max(std::cos(phi), std::cos(phi + up));
    const double length = std::hypot(up, widest * along);
    if (!(length > 1e-15)) continue;  // along a pole
    border.push_back(piece_of(
        [phi, lambda, up, along](double t, double* x, double* velocity) {
          const double sp = std::sin(phi + t * up), cp = std::cos(phi + t * up);
          const double sl = std::sin(lambda + t * along), cl = std::cos(lambda + t * along);
          x[0] = cp * cl;
          x[1] = cp * sl;
          x[2] = sp;
          velocity[0] = -sp * cl * up - cp * sl * along;
          velocity[1] = -sp * sl * up + cp * cl * along;
          velocity[2] = cp * up;
        },
        0.5 * length));
  }
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

  // Clockwise is with falling a: x runs from north by west.
  const double cr = std::cos(radius), sr = std::sin(radius), arc = 2 * kPi / kArcs;
  for (int i = 0; i < kArcs && radius < kPi; ++i)
    region.border.push_back(piece_of(
        [frame, cr, sr, arc, i](double t, double* x, double* velocity) {
          const double a = -arc * (i + t), ca = std::cos(a), sa = std::sin(a);
          for (int k = 0; k < 3; ++k) {
            x[k] = cr * frame.c[k] + sr * (ca * frame.north[k] + sa * frame.east[k]);
            velocity[k] = -arc * sr * (-sa * frame.north[k] + ca * frame.east[k]);
          }
        },
        0.5 * arc * sr));
  region.contains = [frame, radius](const double* x) {
    double square = 0;  // of the chord, which is exact for small circles
    for (int k = 0; k < 3; ++k) square += (x[k] - frame.c[k]) * (x[k] - frame.c[k]);
    return square <= 4 * std::pow(std::sin(radius / 2), 2);
  };
  if (radius > kPi / 2 && half_way > km)
    region.rest = std::make_shared<const EarthRegion>(
        earth_circle(-latitude, longitude > 0 ? longitude - 180 : longitude + 180, half_way - km));
  return region;
}

EarthRegion earth_box(double west, double south, double east, double north) {
  require_longitude(west, "the west of the box");
  require_longitude(east, "the east of the box");
  require_latitude(south, "the south of the box");
  require_latitude(north, "the north of the box");
  require(south < north, fmt::format("the box runs from south {} to north {}", south, north),
          "give W,S,E,N with S below N", Fault::usage);
  EarthRegion region;
  region.name = fmt::format("box {},{},{},{}", west, south, east, north);
  const double given_east = east;
  if (west > east) east += 360;
  require(east > west,
          fmt::format("the box runs from west {} to east {}, which is no width", west, given_east),
          "give W,S,E,N; all longitudes are -180,S,180,N", Fault::usage);
  if (east != given_east)
    region.remarks.push_back(fmt::format("the box runs eastward from {} to {}, {} degrees across {}", west,
                                         given_east, east - west,
                                         west <= 180 ? "the antimeridian" : "Greenwich"));
  require(east - west <= 360, fmt::format("the box is {} degrees wide", east - west), "give at most 360",
          Fault::usage);
  add_trapezoids({{south, north, west, west, east, east}}, region);
  return region;
}

void add_trapezoids(const std::vector<Trapezoid>& trapezoids, EarthRegion& region) {
  for (const Trapezoid& t : trapezoids) {
    region.steradians += steradians_of(t);
    for (const Patch& patch : patches_of(t)) region.patches.push_back(patch);
    add_edge(t.south, t.left_south, t.south, t.right_south, region.border);
    add_edge(t.south, t.right_south, t.north, t.right_north, region.border);
    add_edge(t.north, t.right_north, t.north, t.left_north, region.border);
    add_edge(t.north, t.left_north, t.south, t.left_south, region.border);
  }
  region.contains = [trapezoids](const double* x) {
    const double latitude = std::atan2(x[2], std::hypot(x[0], x[1])) / kRadians;
    const double longitude = std::atan2(x[1], x[0]) / kRadians;
    for (const Trapezoid& t : trapezoids) {
      if (!(latitude >= t.south && latitude < t.north)) continue;
      const double share = (latitude - t.south) / (t.north - t.south);
      const double left = t.left_south + share * (t.left_north - t.left_south);
      const double width = t.right_south + share * (t.right_north - t.right_south) - left;
      const double east = longitude - left - 360 * std::floor((longitude - left) / 360);
      if (east < width) return true;
    }
    return false;
  };
}

std::vector<Patch> patches_of(const Trapezoid& t) {
  Patch patch;
  patch.dimension = 2;
  patch.low = {t.south * kRadians, 0, 0};
  patch.high = {t.north * kRadians, 1, 0};
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
