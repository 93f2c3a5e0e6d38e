// Maps as pictures: what is drawn is where it belongs.

#include "riemflow/figure/map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/manifold/earth.hpp"
#include "tests/figure/golden.hpp"

namespace riemflow::figure {
namespace {

/// exp(κ (cos θ − 1)) around a place: 1 there.
EarthGrid bump(double kappa, LatLon mean, int rows = 90) {
  EarthGrid grid{rows, 2 * rows, -180, {}};
  const Vec3 m = vector_of(mean);
  for (int i = 0; i < grid.rows; ++i)
    for (int j = 0; j < grid.columns; ++j) {
      const Vec3 x = vector_of({grid.latitude(i), grid.longitude(j)});
      grid.values.push_back(std::exp(kappa * (m[0] * x[0] + m[1] * x[1] + m[2] * x[2] - 1)));
    }
  return grid;
}

Map bump_map(ProjectionKind kind, LatLon centre, LatLon mean) {
  Map map;
  map.projection = kind;
  map.centre = centre;
  map.density = bump(60, mean);
  map.bar.scale = {0, 1};
  map.bar.label = "density per steradian";
  return map;
}

TEST(EarthGrid, InterpolatesAcrossSeamAndPoles) {
  // Linear in the unit vector: bilinear interpolation is off by the square of a cell, 2°.
  for (const double west : {-180.0, 0.0}) {
    EarthGrid grid{90, 180, west, {}};
    const auto f = [](LatLon p) {
      const Vec3 x = vector_of(p);
      return 0.3 * x[0] - 0.8 * x[1] + 0.5 * x[2];
    };
    for (int i = 0; i < 90; ++i)
      for (int j = 0; j < 180; ++j) grid.values.push_back(f({grid.latitude(i), grid.longitude(j)}));
    for (const double latitude : {-90.0, -89.7, -89.0, -45.3, 0.0, 60.2, 89.4, 90.0})
      for (double longitude = -180; longitude < 180; longitude += 0.7)
        ASSERT_NEAR(grid.at({latitude, longitude}), f({latitude, longitude}), 4e-4)
            << latitude << " " << longitude;
    EXPECT_DOUBLE_EQ(grid.at({grid.latitude(7), grid.longitude(9)}), grid.values[7 * 180 + 9]);
  }
}

// Of exp(κ cos θ), the region with share s of the mass is the cap with cos θ = 1 + log(1 − s)/κ, for large κ.
TEST(EarthGrid, ContoursOfHighestDensityAreCaps) {
  const double kappa = 12;
  for (const LatLon mean : {LatLon{10, 40}, LatLon{-35, 180}, LatLon{78, -100}, LatLon{-88, 0}}) {
    const EarthGrid grid = bump(kappa, mean, 180);
    std::vector<double> logs, masses;
    double total = 0;
    for (std::size_t i = 0; i < grid.values.size(); ++i) {
      logs.push_back(std::log(grid.values[i]));
      const int row = static_cast<int>(i) / grid.columns;
      const double south = grid.latitude(row - 0.5) * kRadians, north = grid.latitude(row + 0.5) * kRadians;
      masses.push_back(grid.values[i] * 2 * std::numbers::pi / grid.columns *
                       (std::sin(north) - std::sin(south)));
      total += masses.back();
    }
    EXPECT_NEAR(total, 2 * std::numbers::pi / kappa, 1e-3);
    for (double& mass : masses) mass /= total;
    const Vec3 m = vector_of(mean);
    for (const double share : {0.5, 0.9, 0.95}) {
      const double angle = std::acos(1 + std::log(1 - share) / kappa) / kRadians;
      const auto lines = grid.contour(std::exp(highest_density_level(logs, masses, share)));
      std::size_t points = 0;
      for (const SphereLine& line : lines)
        for (const Vec3& x : line.points) {
          const double cosine = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
          EXPECT_NEAR(std::acos(std::min(1.0, cosine)) / kRadians, angle, 0.2);
          ++points;
        }
      EXPECT_GT(points, 100u);
    }
  }
}

// The picture's mass: how dark a pixel is, weighted with the area that it stands for on the sphere.
TEST(Map, MassIsWhereTheDensityIs) {
  for (const auto kind : {ProjectionKind::robinson, ProjectionKind::mollweide, ProjectionKind::plate_carree,
                          ProjectionKind::orthographic})
    for (const LatLon mean : {LatLon{35, 140}, LatLon{-20, -172}, LatLon{10, 179}}) {
      Map map = bump_map(kind, {0, 165}, mean);
      map.coastlines = false;
      const double width = 360, height = width / map_aspect(map);
      Canvas canvas(FileKind::png, width, height, 72);
      draw_map(canvas, {0, 0, width, height}, map, false);
      Image picture = read_png(canvas.finish());
      const Projection projection(map.projection, map.centre);
      const Vec2 half = projection.half_size();
      double total = 0;
      Vec3 centre = {0, 0, 0};
      for (int row = 2; row < picture.height - 2; ++row)
        for (int column = 2; column < picture.width - 2; ++column) {
          const double dark =
              std::max(0.0, 0.8 - picture.at(column, row).green);  // green falls all along heat()
          const auto at = [&](double x, double y) {
            return projection.inverse({half.x * (x / width * 2 - 1), half.y * (1 - y / height * 2)});
          };
          const auto place = at(column + 0.5, row + 0.5);
          if (dark == 0 || !place) continue;
          if (!at(column - 2, row) || !at(column + 2, row) || !at(column, row - 2) || !at(column, row + 2))
            continue;  // the border
          const Vec3 x = vector_of(*place), m = vector_of(mean);
          EXPECT_GT(x[0] * m[0] + x[1] * m[1] + x[2] * m[2], std::cos(15 * kRadians)) << "dark far away";
          for (std::size_t i = 0; i < 3; ++i) centre[i] += dark * x[i];
          total += dark;
        }
      ASSERT_GT(total, 20);
      const LatLon found = place_of(centre);
      EXPECT_NEAR(found.latitude, mean.latitude, 1) << int(kind);
      EXPECT_NEAR(wrapped(found.longitude - mean.longitude), 0, 1) << int(kind);
    }
}

TEST(Map, SameMapSameBytes) {
  Map map = bump_map(ProjectionKind::orthographic, {-18, 178}, {-20, -172});
  map.dots = {{{vector_of({0, 180}), vector_of({-40, 170})}, kBlue, 2, "two points"}};
  map.lines = {{map.density.contour(0.5), {kBlack, 0.8}, 0.3, "half"}};
  for (const auto kind : {FileKind::png, FileKind::svg, FileKind::pdf})
    EXPECT_EQ(map_figure(kind, 200, 72, map), map_figure(kind, 200, 72, map));
}

Map golden_map(ProjectionKind kind, LatLon centre) {
  Map map = bump_map(kind, centre, {10, 120});
  map.title = "A bump";
  map.dots = {{{}, kBlue, 1.2, "points"}};
  for (int i = 0; i < 20; ++i) map.dots[0].points.push_back(vector_of({-60.0 + 5 * i, 18.0 * i}));
  map.lines = {{map.density.contour(0.3), {kBlack, 0.8, {3, 2}}, 0.4, "contour"}};
  return map;
}

std::string golden_png(const Map& map) { return map_figure(FileKind::png, 240, 72, map); }

TEST(Golden, Maps) {
  expect_golden("robinson", golden_png(golden_map(ProjectionKind::robinson, {0, 150})));
  expect_golden("orthographic", golden_png(golden_map(ProjectionKind::orthographic, {30, 100})));
}

TEST(Golden, SeesAMapMovedByTwoDegrees) {
  for (const auto kind : {ProjectionKind::robinson, ProjectionKind::orthographic})
    EXPECT_GT(difference(read_png(golden_png(golden_map(kind, {30, 100}))),
                         read_png(golden_png(golden_map(kind, {30, 102})))),
              0.004);
}

}  // namespace
}  // namespace riemflow::figure
