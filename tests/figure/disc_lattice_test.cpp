#include "riemflow/figure/disc_lattice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/figure/pixels.hpp"

namespace riemflow::figure {
namespace {

template <class Function>
DiscLattice lattice_of(int n, Function value) {
  DiscLattice lattice(n);
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix)
      if (lattice.has_value(ix, iy)) lattice.at(ix, iy) = value(lattice.place(ix, iy));
  return lattice;
}

TEST(DiscLattice, InterpolatesUpToTheRim) {
  const auto smooth = [](Vec2 p) { return 3 + std::sin(2 * p.x) + p.x * p.y; };
  const DiscLattice lattice = lattice_of(67, smooth);
  EXPECT_NEAR(lattice.place(3, 3).x, -1, 1e-15);
  EXPECT_NEAR(lattice.place(63, 63).y, 1, 1e-15);
  for (int i = 0; i < 500; ++i) {
    const double r = std::sqrt(i / 499.0), a = 2.4 * i;
    const Vec2 p{r * std::cos(a), r * std::sin(a)};
    EXPECT_NEAR(lattice.between(p), smooth(p), 3e-5);
  }
  for (const Vec2 p : {Vec2{1, 0}, Vec2{-1, 0}, Vec2{0, 1}, Vec2{0, -1}})
    EXPECT_NEAR(lattice.between(p), smooth(p), 3e-5);
  EXPECT_NEAR(lattice.mean(), 3, 1e-3);
  EXPECT_NEAR(lattice_of(67, [](Vec2 p) { return p.x * p.x + p.y * p.y; }).mean(), 0.5, 1e-3);
}

TEST(DiscLattice, ANarrowPeakStaysPositive) {
  const DiscLattice lattice =
      lattice_of(47, [](Vec2 p) { return std::exp(-2000 * (p.x * p.x + p.y * p.y)); });
  for (int i = 0; i < 2000; ++i) {
    const double value = lattice.between({0.2 * std::sin(1.7 * i), 0.2 * std::cos(2.9 * i)});
    EXPECT_GE(value, 0);
    EXPECT_LE(value, 1.5);
  }
}

TEST(DiscLattice, WhatIsMissingIsMissing) {
  DiscLattice lattice = lattice_of(47, [](Vec2) { return 2.0; });
  lattice.at(20, 20) = NAN;
  EXPECT_EQ(lattice.between(lattice.place(20.5, 20.5)), 2);
  EXPECT_TRUE(std::isnan(lattice.between(lattice.place(20, 20))));
}

TEST(DiscView, GoesForthAndBack) {
  for (const bool x_up : {false, true})
    for (const auto projection : {HemisphereProjection::equal_area, HemisphereProjection::stereographic}) {
      const DiscView view{{100, 80}, 40, projection, x_up};
      for (const Vec2 p : {Vec2{0, 0}, Vec2{0.3, -0.6}, Vec2{-1, 0}, Vec2{0, 0.99}}) {
        const Vec2 back = view.on_lattice(view.on_sheet(p));
        EXPECT_NEAR(back.x, p.x, 1e-14);
        EXPECT_NEAR(back.y, p.y, 1e-14);
      }
      // The rim is the rim; 45° from the pole at √2 sin 22.5° or tan 22.5° of the radius.
      const double eighth = std::numbers::pi / 8;
      const Vec2 rim = view.on_sheet({1, 0}), at = view.on_sheet({std::sqrt(2) * std::sin(eighth), 0});
      const double expected =
          40 * (projection == HemisphereProjection::equal_area ? std::sqrt(2) * std::sin(eighth)
                                                               : std::tan(eighth));
      EXPECT_NEAR(x_up ? rim.y : rim.x, x_up ? 40 : 140, 1e-12);
      EXPECT_NEAR(x_up ? 80 - at.y : at.x - 100, expected, 1e-12);
    }
}

TEST(DiscView, ContoursAndColoursAreWhereTheyBelong) {
  const Vec2 middle{0.5, 0.3};
  const DiscLattice lattice = lattice_of(67, [&](Vec2 p) {
    return std::exp(-40 * (std::pow(p.x - middle.x, 2) + std::pow(p.y - middle.y, 2)));
  });
  const DiscView view{{50, 50}, 45};
  const Lines lines = lattice_contours(view, lattice, {std::exp(-40 * 0.04)})[0];
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
  for (const Vec2 p : lines[0].points) {
    const Vec2 on = view.on_lattice(p);
    EXPECT_NEAR(std::hypot(on.x - middle.x, on.y - middle.y), 0.2, 2e-3);
  }
  Canvas canvas(FileKind::png, 100, 100, 144);
  draw_lattice(canvas, view, lattice, {0, 1, false});
  const Vec2 seen = middle_of_mass(read_png(canvas.finish()), {0, 0, 200, 200});
  EXPECT_NEAR(seen.x, 0.5 + 0.45 * middle.x, 0.006);
  EXPECT_NEAR(seen.y, 0.5 + 0.45 * middle.y, 0.006);
}

}  // namespace
}  // namespace riemflow::figure
