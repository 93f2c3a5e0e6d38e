#include "riemflow/manifold/earth_polygon.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/manifold/earth.hpp"

namespace riemflow {
namespace {

constexpr double kPi = std::numbers::pi;

double area(const std::vector<Polygon>& polygons) { return earth_polygons(polygons, "test").steradians; }

/// ∮ −sin φ dλ along edges that are straight in λ over φ, counter-clockwise: the area of a ring that is
/// unrolled and goes round no pole. ∫ sin φ dλ over an edge = Δλ sin m·sin h/h, m the
/// middle and h half the difference of its latitudes.
double green(const Ring& ring) {
  double sum = 0;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const LonLat &a = ring[i], &b = ring[(i + 1) % ring.size()];
    const double p = a.latitude * kRadians, q = b.latitude * kRadians;
    const double half = 0.5 * (q - p);
    const double mean = std::sin(0.5 * (p + q)) * (half == 0 ? 1 : std::sin(half) / half);
    sum -= mean * (b.longitude - a.longitude) * kRadians;
  }
  return sum;
}

/// Counter-clockwise about a centre, so that it does not cross itself.
Ring star(Random& random, double longitude, double latitude, double size, int corners) {
  Ring ring;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * kPi * (i + 0.8 * random.uniform()) / corners;
    const double radius = size * (0.2 + 0.8 * random.uniform());
    ring.push_back({longitude + radius * std::cos(angle), latitude + radius * std::sin(angle)});
  }
  return ring;
}

Ring moved(Ring ring, double east) {
  for (LonLat& position : ring) position.longitude += east;
  return ring;
}

Ring reversed(Ring ring) {
  std::reverse(ring.begin(), ring.end());
  return ring;
}

/// Longitudes in [−180, 180), as a file that jumps at the antimeridian has them.
Ring wrapped(Ring ring) {
  for (LonLat& position : ring) position.longitude -= 360 * std::floor((position.longitude + 180) / 360);
  return ring;
}

Ring box(double west, double south, double east, double north) {
  return {{west, south}, {east, south}, {east, north}, {west, north}};
}

TEST(EarthPolygon, RandomAreasAreGreens) {
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random(1, Purpose::test, 0, i);
    const double longitude = 360 * random.uniform() - 180, latitude = 140 * random.uniform() - 70;
    const Ring ring = star(random, longitude, latitude, 20 * random.uniform(), 3 + static_cast<int>(i % 20));
    const double expected = green(ring);
    EXPECT_NEAR(area({{ring}}), expected, 1e-13 + 1e-12 * expected) << i;
    EXPECT_NEAR(area({{reversed(ring)}}), expected, 1e-13 + 1e-12 * expected) << i;
    EXPECT_NEAR(area({{wrapped(ring)}}), expected, 1e-12) << i;
    EXPECT_NEAR(area({{moved(ring, 360)}}), expected, 1e-12) << i;
  }
}

TEST(EarthPolygon, HolesAndSeveral) {
  const Ring outer = box(170, -10, 190, 10), hole = box(-179, -5, -175, 5);
  EXPECT_NEAR(area({{outer, hole}}), green(outer) - green(hole), 1e-13);
  EXPECT_NEAR(area({{outer, reversed(hole)}}), green(outer) - green(hole), 1e-13);
  // Polygons that overlap count once, and those that touch are the sum.
  EXPECT_NEAR(area({{box(0, 0, 10, 10)}, {box(5, 0, 15, 10)}}), green(box(0, 0, 15, 10)), 1e-13);
  EXPECT_NEAR(area({{box(0, 0, 10, 10)}, {box(10, 0, 15, 10)}}), green(box(0, 0, 15, 10)), 1e-13);
  EXPECT_NEAR(area({{outer}, {hole}}), green(outer), 1e-13);
  // Cut at the antimeridian, as RFC 7946 wants it.
  EXPECT_NEAR(area({{box(170, -10, 180, 10)}, {box(-180, -10, -170, 10)}}), green(outer), 1e-13);
}

TEST(EarthPolygon, CrossingEdgesAreEvenOdd) {
  // A bow tie: two triangles that meet at (5, 5).
  const Ring bow = {{0, 0}, {10, 10}, {10, 0}, {0, 10}};
  EXPECT_NEAR(area({{bow}}), green({{0, 0}, {5, 5}, {0, 10}}) + green({{10, 0}, {10, 10}, {5, 5}}), 1e-13);
  std::vector<std::string> remarks;
  trapezoids_of({{bow}}, "test", remarks);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("cross"), std::string::npos);
  // A ring that goes twice round the same square encloses nothing.
  Ring twice = box(0, 0, 10, 10);
  const Ring once = twice;
  twice.insert(twice.end(), once.begin(), once.end());
  EXPECT_THROW(area({{twice}}), Error);
}

TEST(EarthPolygon, Poles) {
  const double cap = 2 * kPi * (1 - std::sin(60 * kRadians));
  Ring east;
  for (int i = 0; i < 12; ++i) east.push_back({-180.0 + 30 * i, 60});
  EXPECT_NEAR(area({{east}}), cap, 1e-13);
  EXPECT_NEAR(area({{reversed(east)}}), 4 * kPi - cap, 1e-12);
  Ring south = east;
  for (LonLat& position : south) position.latitude = -60;
  EXPECT_NEAR(area({{reversed(south)}}), cap, 1e-13);
  // A hole leaves out the same pole, whichever way it runs.
  Ring hole = east;
  for (LonLat& position : hole) position.latitude = 80;
  const double inner = 2 * kPi * (1 - std::sin(80 * kRadians));
  EXPECT_NEAR(area({{east, hole}}), cap - inner, 1e-13);
  EXPECT_NEAR(area({{east, reversed(hole)}}), cap - inner, 1e-13);
  // A wavy one: the north pole's area is ∫ (1 − sin φ) dλ.
  Ring wavy;
  for (int i = 0; i < 36; ++i) wavy.push_back({10.0 * i, 50 + 20 * std::sin(1.3 * i)});
  Ring closed = wavy;
  closed.push_back({360, wavy[0].latitude});
  closed.push_back({360, 90});
  closed.push_back({0, 90});
  EXPECT_NEAR(area({{wavy}}), green(closed), 1e-12);
  EXPECT_NEAR(area({{wavy}}) + area({{reversed(wavy)}}), 4 * kPi, 1e-12);
  // As map files write Antarctica: along the pole, and 360 degrees in one edge.
  EXPECT_NEAR(area({{box(-180, -90, 180, -60)}}), cap, 1e-13);
  EXPECT_NEAR(area({{box(-180, -90, 180, 90)}}), 4 * kPi, 1e-13);
  // A hole in such a ring runs the other way round the pole that it leaves out.
  EXPECT_NEAR(area({{box(-180, -90, 180, 90), reversed(east)}}), 4 * kPi - cap, 1e-12);
  EXPECT_NEAR(area({{box(-180, -90, 180, 90), south}}), 4 * kPi - cap, 1e-12);
  EXPECT_NEAR(area({{{{-170, -60}, {0, -60}, {170, -60}, {170, -90}, {-170, -90}}}}), cap * 340 / 360, 1e-12);
}

TEST(EarthPolygon, HolesOutsideTheirRingAreFound) {
  const auto how = [](const Polygon& polygon) -> int {
    const auto hole = misplaced_hole(polygon, "test");
    return hole ? hole->how : -1;
  };
  const Ring outer = box(170, -10, 190, 10);
  EXPECT_EQ(how({outer}), -1);
  for (double turn : {-360., 0., 360.}) {
    EXPECT_EQ(how({outer, moved(box(181, -5, 185, 5), turn)}), -1);
    EXPECT_EQ(how({outer, moved(box(191, -5, 195, 5), turn)}), MisplacedHole::outside);
    EXPECT_EQ(how({outer, moved(box(189.999, -5, 190.001, 5), turn)}), MisplacedHole::across);
  }
  EXPECT_EQ(how({outer, box(171, -5, 175, 5), box(176, -5, 180, 5)}), -1);
  EXPECT_EQ(how({outer, box(171, -5, 175, 5), box(175, -5, 180, 5)}), -1);  // they touch
  EXPECT_EQ(how({outer, box(171, -5, 175, 5), box(174.99, -5, 180, 5)}), MisplacedHole::overlapping);
  // Of those that overlap, the largest is named.
  EXPECT_EQ(misplaced_hole({outer, box(171, -5, 175, 5), box(174.99, -5, 180, 5)}, "test")->ring, 2u);
  EXPECT_EQ(misplaced_hole({outer, box(174.99, -5, 180, 5), box(171, -5, 175, 5)}, "test")->ring, 1u);
  EXPECT_EQ(how({outer, box(171, 5, 171.001, 5.001)}), -1);
  EXPECT_EQ(how({outer, box(171, 15, 171.001, 15.001)}), MisplacedHole::outside);
  // Stars of many corners, a hole of the same shape in the middle.
  Random random(7, Purpose::test, 0, 0);
  for (int i = 0; i < 20; ++i) {
    const double longitude = 360 * random.uniform() - 180;
    const Ring shell = star(random, longitude, 20, 30, 40);
    Ring hole = shell;
    for (LonLat& p : hole) p = {longitude + 0.9 * (p.longitude - longitude), 20 + 0.9 * (p.latitude - 20)};
    EXPECT_EQ(how({wrapped(shell), wrapped(reversed(hole))}), -1);
    hole[3] = {longitude + 1.2 * (shell[3].longitude - longitude), 20 + 1.2 * (shell[3].latitude - 20)};
    EXPECT_EQ(how({wrapped(shell), wrapped(hole)}), MisplacedHole::across);
  }
  // Round the pole, either way.
  Ring cap, inner, other;
  for (double longitude : {-180., -60., 60.}) {
    cap.push_back({longitude, 60});
    inner.push_back({longitude, 80});
    other.push_back({longitude, 50});
  }
  for (const Ring& hole : {inner, reversed(inner)}) EXPECT_EQ(how({cap, hole}), -1);
  for (const Ring& hole : {other, reversed(other)}) EXPECT_EQ(how({cap, hole}), MisplacedHole::across);
}

TEST(EarthPolygon, LongEdgesTakeTheShortWayAndSaySo) {
  const EarthRegion jump = earth_polygons({{wrapped(box(170, -10, 190, 10))}}, "test");
  EXPECT_NEAR(jump.steradians, green(box(170, -10, 190, 10)), 1e-13);
  ASSERT_EQ(jump.remarks.size(), 1u);
  EXPECT_NE(jump.remarks[0].find("2 edges of more than 180"), std::string::npos) << jump.remarks[0];
}

TEST(EarthPolygon, TurnsBeyondOneAreRefused) {
  Ring ring;
  for (int i = 0; i < 24; ++i) ring.push_back({30.0 * i, 60.0 + i});
  EXPECT_THROW(area({{ring}}), Error);
}

/// Natural borders have thousands of corners: the trapezoids are about as many, not their square.
TEST(EarthPolygon, ManyCorners) {
  Random random(2, Purpose::test, 0, 0);
  const Ring ring = star(random, 30, 20, 25, 5000);
  std::vector<std::string> remarks;
  const std::vector<Trapezoid> trapezoids = trapezoids_of({{ring}}, "test", remarks);
  EXPECT_LT(trapezoids.size(), 10000u);
  EXPECT_NEAR(area({{ring}}), green(ring), 1e-11);
}

TEST(EarthRegion, CirclesAndBoxes) {
  EXPECT_NEAR(earth_circle(10, 20, kPi * kEarthRadiusKm).steradians, 4 * kPi, 1e-14);
  EXPECT_NEAR(earth_circle(10, 20, 1).steradians * kEarthKm2PerSr, kPi, 1e-7);
  EXPECT_NEAR(earth_box(-180, -90, 180, 90).steradians, 4 * kPi, 1e-14);
  EXPECT_NEAR(earth_box(0, 0, 360, 90).steradians, 2 * kPi, 1e-14);
  EXPECT_NEAR(earth_box(170, -10, -170, 10).steradians, green(box(170, -10, 190, 10)), 1e-14);
  EXPECT_EQ(earth_box(350, -10, 10, 10).remarks.at(0),
            "the box runs eastward from 350 to 10, 20 degrees across Greenwich");
  EXPECT_TRUE(earth_box(-180, -10, 180, 10).remarks.empty());
  EXPECT_NEAR(earth_box(350, -10, 10, 10).steradians, green(box(350, -10, 370, 10)), 1e-14);
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(3, Purpose::test, 0, i);
    const double west = 360 * random.uniform() - 180, width = 180 * random.uniform();
    const double a = 180 * random.uniform() - 90, b = 180 * random.uniform() - 90;
    const double east = west + width > 180 ? west + width - 360 : west + width;
    const double expected = width * kRadians * std::abs(std::sin(a * kRadians) - std::sin(b * kRadians));
    EXPECT_NEAR(earth_box(west, std::min(a, b), east, std::max(a, b)).steradians, expected, 1e-13);
  }
  EXPECT_THROW(earth_circle(95, 0, 10), Error);
  EXPECT_THROW(earth_circle(0, 400, 10), Error);
  EXPECT_THROW(earth_circle(0, 0, 0), Error);
  EXPECT_THROW(earth_circle(0, 0, 20016), Error);
  EXPECT_THROW(earth_circle(0, 0, std::nan("")), Error);
  EXPECT_THROW(earth_box(0, 10, 10, 0), Error);
  EXPECT_THROW(earth_box(10, 0, 10, 10), Error);
  EXPECT_THROW(earth_box(180, 0, -180, 10), Error);  // the same meridian
  EXPECT_THROW(earth_box(-180, 0, 360, 10), Error);
}

TEST(EarthRegion, ThinTrapezoidsKeepTheirDigits) {
  // Simpson's rule is exact to rounding at this height; the textbook's closed form loses nine digits.
  const double height = 0x1p-13;
  const Trapezoid t{70, 70 + height, 10, 10.5, 11, 12};
  const auto slice = [](double latitude, double width) {
    return width * kRadians * std::cos(latitude * kRadians);
  };
  const double expected =
      height * kRadians / 6 * (slice(70, 1) + 4 * slice(70 + height / 2, 1.25) + slice(70 + height, 1.5));
  EXPECT_NEAR(steradians_of(t), expected, 1e-14 * expected);
}

}  // namespace
}  // namespace riemflow
