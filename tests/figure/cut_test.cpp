// Land and lines cut at the border of a map.

#include "riemflow/figure/cut.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "riemflow/manifold/earth.hpp"

namespace riemflow::figure {
namespace {

using std::numbers::pi;

const ProjectionKind kWorldMaps[] = {ProjectionKind::robinson, ProjectionKind::mollweide,
                                     ProjectionKind::plate_carree};

/// Of the sphere, from the rings alone: ∮ (1 + sin φ) dλ / 4π, edges straight in λ and φ.
double share_of_land(const Land& land) {
  double area = 0;
  for (const auto& ring : land) {
    double ring_area = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const LatLon &p = ring[i], &q = ring[(i + 1) % ring.size()];
      const double turn = wrapped(q.longitude - p.longitude) * kRadians;
      const double a = p.latitude * kRadians, b = q.latitude * kRadians;
      const double mean_sine = std::abs(b - a) < 1e-9 ? std::sin(a) : (std::cos(a) - std::cos(b)) / (b - a);
      ring_area += turn * (1 + mean_sine);
    }
    area += ring_area;  // outer rings have one sign, holes the other
  }
  return std::abs(area) / (4 * pi);
}

/// With short edges, so that it does not matter whether they are straight in longitude and latitude or arcs.
Land divided(const Land& land) {
  Land result;
  for (const auto& ring : land) {
    auto& fine = result.emplace_back();
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const LatLon &p = ring[i], &q = ring[(i + 1) % ring.size()];
      const double turn = wrapped(q.longitude - p.longitude), rise = q.latitude - p.latitude;
      const int pieces = std::max(1, int(std::ceil(std::max(std::abs(turn), std::abs(rise)))));
      for (int k = 0; k < pieces; ++k)
        fine.push_back({p.latitude + rise * k / pieces, wrapped(p.longitude + turn * k / pieces)});
    }
  }
  return result;
}

double area(const Line& ring) {
  double twice = 0;
  for (std::size_t i = 0; i < ring.points.size(); ++i) {
    const Vec2 &p = ring.points[i], &q = ring.points[(i + 1) % ring.points.size()];
    twice += p.x * q.y - q.x * p.y;
  }
  return twice / 2;
}

/// Even-odd.
bool inside(const Lines& rings, Vec2 at) {
  bool in = false;
  for (const Line& ring : rings)
    for (std::size_t i = 0; i < ring.points.size(); ++i) {
      const Vec2 &p = ring.points[i], &q = ring.points[(i + 1) % ring.points.size()];
      if ((p.y > at.y) != (q.y > at.y) && at.x < p.x + (q.x - p.x) * (at.y - p.y) / (q.y - p.y)) in = !in;
    }
  return in;
}

double longest(const Lines& lines) {
  double most = 0;
  for (const Line& line : lines)
    for (std::size_t i = 1; i < line.points.size(); ++i)
      most = std::max(
          most, std::hypot(line.points[i].x - line.points[i - 1].x, line.points[i].y - line.points[i - 1].y));
  return most;
}

TEST(Land, IsTheShareThatIsKnown) {
  // By d3.geoArea of the source.
  EXPECT_NEAR(share_of_land(land(LandScale::fine)), 0.287476, 1e-5);
  EXPECT_NEAR(share_of_land(land(LandScale::coarse)), 0.288699, 1e-4);
}

TEST(Land, HoldsPlaces) {
  for (const auto scale : {LandScale::fine, LandScale::coarse}) {
    const Land& all = land(scale);
    for (const LatLon place : {LatLon{48.2, 16.4}, LatLon{-90, 0}, LatLon{-85, 179.9}, LatLon{66.5, 179.5},
                               LatLon{66.5, -178}, LatLon{71.2, 179.5}, LatLon{-25, 134}, LatLon{0, 25}})
      EXPECT_TRUE(figure::inside(all, place)) << place.latitude << " " << place.longitude;
    for (const LatLon place : {LatLon{90, 0}, LatLon{0, 0}, LatLon{0, 180}, LatLon{0, -180}, LatLon{42, 50.5},
                               LatLon{-60, 90}, LatLon{80, 180}})
      EXPECT_FALSE(figure::inside(all, place)) << place.latitude << " " << place.longitude;
  }
}

TEST(Cut, NoCoastRunsAcrossTheMap) {
  for (const auto kind : kWorldMaps)
    for (int longitude = -180; longitude < 180; longitude += 20) {
      const Projection map(kind, {0, double(longitude)});
      for (const auto scale : {LandScale::fine, LandScale::coarse}) {
        const Lines lines = coasts(map, land(scale));
        // Edges of the data are up to 6° long, and cut to a degree of arc; near the poles that is many
        // degrees of longitude.
        EXPECT_LT(longest(lines), 0.03 * 2 * map.half_size().x) << int(kind) << " " << longitude;
      }
    }
}

TEST(Cut, ALineEndsAtTheBorderAndGoesOnAtTheOther) {
  for (const auto kind : kWorldMaps) {
    const Projection map(kind, {0, 30});  // the border is −150
    const Lines lines = cut(map, {SphereLine{{vector_of({10, -160}), vector_of({14, -140})}}});
    ASSERT_EQ(lines.size(), 2u);
    const Vec2 end = lines[0].points.back(), start = lines[1].points.front();
    EXPECT_NEAR(end.y, start.y, 1e-12);
    EXPECT_NEAR(end.x, -start.x, 1e-12);
    EXPECT_NEAR(end.x, map.forward_relative({map.inverse({0, end.y})->latitude, 180})->x, 1e-9);
    // On the great circle: the latitude where the normal is orthogonal.
    const Vec3 p = vector_of({10, -160}), q = vector_of({14, -140});
    const Vec3 n = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
    const Vec3 c = vector_of({map.inverse({0, end.y})->latitude, -150});
    EXPECT_NEAR(n[0] * c[0] + n[1] * c[1] + n[2] * c[2], 0, 1e-9);
  }
}

TEST(Cut, AreaOfLandIsKept) {
  const double share = share_of_land(land(LandScale::fine));
  for (const double longitude : {0.0, 180.0, -170.0, 20.0, 134.0}) {
    const Projection map(ProjectionKind::mollweide, {0, longitude});
    double all = 0;
    for (const Line& ring : filled(map, land(LandScale::fine))) all += area(ring);
    EXPECT_NEAR(std::abs(all) / std::abs(area(map.outline())), share, 1e-4) << longitude;
  }
}

TEST(Cut, FilledIsLandInSight) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  const Land all = divided(land(LandScale::coarse));
  const auto compare = [&](const Projection& map) {
    const Lines rings = filled(map, all);
    int wrong = 0, seen = 0;
    for (int i = 0; i < 1000; ++i) {
      Vec3 v = {normal(random), normal(random), normal(random)};
      const double length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
      for (double& x : v) x /= length;
      const auto at = map.forward(place_of(v));
      // The horizon is drawn as chords of a degree, which leave out a strip of 4e-5.
      if (!at || (!map.world() && std::hypot(at->x, at->y) > 1 - 1e-4)) continue;
      ++seen;
      if (inside(rings, *at) != figure::inside(all, place_of(v))) ++wrong;
    }
    EXPECT_LE(wrong, 1) << int(map.kind()) << " " << map.centre().latitude << " " << map.centre().longitude;
    EXPECT_GT(seen, 400);
  };
  for (const double latitude : {90.0, -90.0, 50.0, 0.0, -18.0, -60.0})
    for (const double longitude : {0.0, 10.0, 178.0, -90.0, 134.0})  // land and sea at the opposite point
      compare(Projection(ProjectionKind::orthographic, {latitude, longitude}));
  for (const auto kind : kWorldMaps)
    for (const double longitude : {0.0, 180.0, 100.0}) compare(Projection(kind, {0, longitude}));
}

TEST(Cut, AtTheHorizonLinesEndOnIt) {
  const Projection view(ProjectionKind::orthographic, {20, 100});
  const Lines lines = coasts(view, land(LandScale::coarse));
  EXPECT_GT(lines.size(), 20u);
  int ends_on_horizon = 0;
  for (const Line& line : lines)
    for (const Vec2& p : line.points) {
      const double r = std::hypot(p.x, p.y);
      EXPECT_LE(r, 1 + 1e-12);
      if (r > 1 - 1e-9) ++ends_on_horizon;
    }
  EXPECT_GE(ends_on_horizon, 8);
  EXPECT_LT(longest(lines), 0.03);
  // What is cut is the projection of what is not.
  const Vec2 direct = *view.forward({30, 120});
  const Vec2 drawn = cut(view, {SphereLine{{vector_of({30, 120}), vector_of({31, 120})}}})[0].points[0];
  EXPECT_NEAR(direct.x, drawn.x, 1e-12);
  EXPECT_NEAR(direct.y, drawn.y, 1e-12);
}

}  // namespace
}  // namespace riemflow::figure
