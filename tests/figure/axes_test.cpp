#include "riemflow/figure/axes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/figure/colour_bar.hpp"
#include "riemflow/figure/legend.hpp"

namespace riemflow::figure {
namespace {

TEST(Frame, MapsDataToTheBox) {
  Canvas canvas(FileKind::svg, 200, 100);
  const Frame frame(canvas, {20, 10, 100, 50}, {"x", {-1, 1, false}}, {"y", {1, 100, true}});
  EXPECT_EQ(frame.at({-1, 1}), (Vec2{20, 60}));
  EXPECT_EQ(frame.at({1, 100}), (Vec2{120, 10}));
  EXPECT_NEAR(frame.at({0, 10}).x, 70, 1e-12);
  EXPECT_NEAR(frame.at({0, 10}).y, 35, 1e-12);
}

TEST(Frame, LabelsStayWithinTheOuterBox) {
  Canvas canvas(FileKind::svg, 200, 200);
  const Box outer{10, 20, 150, 120};
  const Axis x = degree_axis("φ"), y("density", {0, 1e-8, false});
  const Frame frame = Frame::within(canvas, outer, x, y);
  EXPECT_NEAR(frame.box().x - Frame::room_left(canvas, y), outer.x, 1e-9);
  EXPECT_NEAR(frame.box().bottom() + Frame::room_below(x), outer.bottom(), 1e-9);
  EXPECT_LT(frame.box().right(), outer.right() - 5);
}

// A dot drawn at a datum colours the pixel that at() names; one outside of the box is not drawn.
TEST(Frame, DrawsNothingOutsideOfTheBox) {
  const auto drawing = [](std::vector<Vec2> dots) {
    Canvas canvas(FileKind::svg, 200, 100);
    Frame frame(canvas, {20, 10, 100, 50}, {"", {0, 1, false}}, {"", {0, 1, false}});
    frame.dots(dots, 2, kBlue);
    return canvas.finish();
  };
  EXPECT_EQ(drawing({}), drawing({{1.2, 0.5}, {0.5, -0.1}, {NAN, 0.5}}));
  EXPECT_NE(drawing({}), drawing({{0.9, 0.5}}));
}

TEST(Legend, RowsAreBrokenAtTheWidth) {
  Canvas canvas(FileKind::svg, 200, 100);
  const std::vector<LegendEntry> entries = {{LegendEntry::Mark::dot, "training", {kBlue}},
                                            {LegendEntry::Mark::line, "riemannian", {kTeal}},
                                            {LegendEntry::Mark::patch, "50 %", {kOrange}}};
  const Vec2 row = legend_size(canvas, entries, 1e9);
  const Vec2 column = legend_size(canvas, entries, 0);
  const Vec2 broken = legend_size(canvas, entries, 0.8 * row.x);
  EXPECT_NEAR(column.y, 3 * row.y, 1e-9);
  EXPECT_NEAR(broken.y, 2 * row.y, 1e-9);
  EXPECT_LE(broken.x, 0.8 * row.x);
  EXPECT_GT(row.x, column.x);
  EXPECT_EQ(legend_size(canvas, {}, 1e9).y, 0);
}

TEST(ColourBar, RoomGrowsWithItsNumbers) {
  Canvas canvas(FileKind::svg, 200, 100);
  const ColourBar plain{{0, 1, false}, "density"}, tiny{{1e-9, 1.3e-9, false}, "density"};
  EXPECT_GT(tiny.room(canvas), plain.room(canvas) + 5);
  ColourBar bare = plain;
  bare.label = "";
  EXPECT_LT(bare.room(canvas), plain.room(canvas));
}

}  // namespace
}  // namespace riemflow::figure
