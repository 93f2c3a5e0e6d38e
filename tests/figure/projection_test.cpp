// Projected coordinates against PROJ's own tool.

#include "riemflow/figure/projection.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numbers>
#include <sstream>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

struct Case {
  ProjectionKind kind;
  LatLon centre;
  std::string definition;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const double longitude : {0.0, 180.0, -73.5, 110.0}) {
    all.push_back(
        {ProjectionKind::robinson, {0, longitude}, fmt::format("+proj=robin +lon_0={}", longitude)});
    all.push_back(
        {ProjectionKind::mollweide, {0, longitude}, fmt::format("+proj=moll +lon_0={}", longitude)});
    all.push_back(
        {ProjectionKind::plate_carree, {0, longitude}, fmt::format("+proj=eqc +lon_0={}", longitude)});
    for (const double latitude : {0.0, 90.0, -90.0, 50.0, -18.0})
      all.push_back({ProjectionKind::orthographic,
                     {latitude, longitude},
                     fmt::format("+proj=ortho +lat_0={} +lon_0={}", latitude, longitude)});
  }
  return all;
}

/// What `proj` says of "longitude latitude" lines (or of "x y" lines, inverse): two words a line, * for none.
std::vector<std::array<std::string, 2>> by_tool(const std::string& definition, const std::string& lines,
                                                bool inverse) {
  const std::string in = testing::TempDir() + "/proj_in", out = testing::TempDir() + "/proj_out";
  std::ofstream(in) << lines;
  const std::string command =
      fmt::format("proj {} -f %.12f +R=1 {} {} > {}", inverse ? "-I" : "", definition, in, out);
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(out);
  std::vector<std::array<std::string, 2>> result;
  for (std::array<std::string, 2> words; file >> words[0] >> words[1];) result.push_back(words);
  return result;
}

bool no_tool() { return std::system("proj >/dev/null 2>&1 </dev/null") != 0; }

TEST(Projection, GoesWhereProjGoes) {
  if (no_tool()) GTEST_SKIP() << "PROJ's tool `proj` is not installed (proj-bin)";
  for (const Case& c : cases()) {
    const Projection projection(c.kind, c.centre);
    std::vector<LatLon> places;
    // Every 15 degrees, poles and the seam of each centre (a hair on either side) included.
    for (int latitude = -90; latitude <= 90; latitude += 15) {
      for (int longitude = -180; longitude < 180; longitude += 15)
        places.push_back({double(latitude), longitude + 0.25});
      for (const double near : {-1e-7, 1e-7})
        places.push_back({double(latitude), wrapped(c.centre.longitude + 180 + near)});
    }
    std::string lines;
    for (const LatLon& place : places)
      lines += fmt::format("{:.9f} {:.9f}\n", place.longitude, place.latitude);
    const auto expected = by_tool(c.definition, lines, false);
    ASSERT_EQ(expected.size(), places.size()) << c.definition;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto got = projection.forward(places[i]);
      ASSERT_EQ(got.has_value(), expected[i][0] != "*")
          << c.definition << " at " << places[i].latitude << ", " << places[i].longitude;
      if (!got) continue;
      EXPECT_NEAR(got->x, std::stod(expected[i][0]), 1e-9) << c.definition;
      EXPECT_NEAR(got->y, std::stod(expected[i][1]), 1e-9) << c.definition;
    }
  }
}

TEST(Projection, ComesBackAsProjDoes) {
  if (no_tool()) GTEST_SKIP() << "PROJ's tool `proj` is not installed (proj-bin)";
  for (const Case& c : cases()) {
    const Projection projection(c.kind, c.centre);
    std::vector<Vec2> points;
    std::string lines;
    for (int i = -11; i <= 11; ++i)
      for (int j = -11; j <= 11; ++j) {
        const Vec2 half = projection.half_size();
        points.push_back({half.x * i / 10.7, half.y * j / 10.7});  // some are outside
        lines += fmt::format("{:.12f} {:.12f}\n", points.back().x, points.back().y);
      }
    const auto expected = by_tool(c.definition, lines, true);
    ASSERT_EQ(expected.size(), points.size());
    int inside = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto got = projection.inverse(points[i]);
      // PROJ's plate carrée goes on for ever.
      if (c.kind != ProjectionKind::plate_carree) {
        ASSERT_EQ(got.has_value(), expected[i][0] != "*")
            << c.definition << " " << points[i].x << " " << points[i].y;
      }
      if (!got) continue;
      ++inside;
      EXPECT_NEAR(got->latitude, std::stod(expected[i][1]), 1e-7) << c.definition;
      EXPECT_NEAR(wrapped(got->longitude - std::stod(expected[i][0]) + 1), 1, 1e-7) << c.definition;
    }
    EXPECT_GT(inside, 300);
    EXPECT_LT(inside, 500);
  }
}

TEST(Projection, HorizonIsAQuarterAway) {
  const Projection view(ProjectionKind::orthographic, {-18, 178});
  const auto at = [&](double angle, double bearing) {
    // The point at this angle from the centre.
    const double f = -18 * std::numbers::pi / 180, a = angle * std::numbers::pi / 180, b = bearing;
    const double latitude = std::asin(std::sin(f) * std::cos(a) + std::cos(f) * std::sin(a) * std::cos(b));
    const double longitude =
        std::atan2(std::sin(b) * std::sin(a) * std::cos(f), std::cos(a) - std::sin(f) * std::sin(latitude));
    return LatLon{latitude * 180 / std::numbers::pi, 178 + longitude * 180 / std::numbers::pi};
  };
  for (double bearing = 0.1; bearing < 6.2; bearing += 0.5) {
    const auto seen = view.forward(at(89.9, bearing));
    ASSERT_TRUE(seen);
    EXPECT_NEAR(std::hypot(seen->x, seen->y), std::sin(89.9 * std::numbers::pi / 180), 1e-9);
    EXPECT_FALSE(view.forward(at(90.1, bearing)));
  }
  EXPECT_FALSE(view.inverse({0.8, 0.7}));
}

TEST(Projection, BordersOfAWorldMapAreTwo) {
  for (const auto kind :
       {ProjectionKind::robinson, ProjectionKind::mollweide, ProjectionKind::plate_carree}) {
    const Projection map(kind, {0, 150});
    for (const double latitude : {-80.0, 0.0, 33.0}) {
      const Vec2 east = *map.forward_relative({latitude, 180}),
                 west = *map.forward_relative({latitude, -180});
      EXPECT_GT(east.x, 0);
      EXPECT_NEAR(west.x, -east.x, 1e-12);
    }
    EXPECT_EQ(map.outline().points.size(), 722u);
  }
}

TEST(Projection, UnknownNameOffersTheNames) {
  EXPECT_EQ(projection_kind("plate-carree"), ProjectionKind::plate_carree);
  try {
    projection_kind("molweide");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("perhaps you meant 'mollweide'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("orthographic"), std::string::npos);
    EXPECT_EQ(error.fault(), Fault::usage);
  }
}

}  // namespace
}  // namespace riemflow::figure
