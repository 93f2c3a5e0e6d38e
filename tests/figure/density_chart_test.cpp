// Disk, torus and plane as pictures: what is drawn is where it belongs.

#include "riemflow/figure/density_chart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "riemflow/figure/disk.hpp"
#include "riemflow/figure/flat.hpp"
#include "tests/figure/golden.hpp"

namespace riemflow::figure {
namespace {

/// A bump around a place, over the square [−half, half]².
DensityChart bump(Vec2 middle, double width, double half, int n = 80) {
  DensityChart chart;
  chart.x = chart.y = {-half, half, false};
  chart.nx = chart.ny = n;
  for (int ix = 0; ix < n; ++ix)
    for (int iy = 0; iy < n; ++iy) {
      const double x = chart.x.value((ix + 0.5) / n) - middle.x, y = chart.y.value((iy + 0.5) / n) - middle.y;
      chart.density.push_back(std::exp(-(x * x + y * y) / (2 * width * width)));
    }
  chart.bar = bar_for(chart.density, "density");
  return chart;
}

TEST(Plane, DensityIsWhereItBelongs) {
  const Image image = read_png(draw_plane({FileKind::png, 200, 144, ""}, bump({1, -2}, 0.5, 4), {"x", "y"}));
  const Box frame = frame_of(image);
  ASSERT_GT(frame.width, 200);
  EXPECT_NEAR(frame.width, frame.height, 2);
  const Vec2 middle = middle_of_mass(image, frame);
  EXPECT_NEAR(middle.x, 5.0 / 8, 0.006);
  EXPECT_NEAR(middle.y, 2.0 / 8, 0.006);
}

TEST(Torus, DensityIsWhereItBelongs) {
  const Image image =
      read_png(draw_torus({FileKind::png, 200, 144, ""}, bump({-60, 120}, 15, 180), {"φ", "ψ"}));
  const Vec2 middle = middle_of_mass(image, frame_of(image));
  EXPECT_NEAR(middle.x, 120.0 / 360, 0.006);
  EXPECT_NEAR(middle.y, 300.0 / 360, 0.006);
}

TEST(Disk, DensityIsWhereItBelongsAndInsideOfTheRim) {
  Canvas canvas(FileKind::png, 100, 100, 144);
  Axis axis;
  axis.scale = {-2, 2, false};
  Frame frame(canvas, {0, 0, 100, 100}, axis, axis);
  draw_disk(canvas, frame, bump({0.8, -0.6}, 0.2, 2), -0.25, false);
  const Image image = read_png(canvas.finish());
  const Vec2 middle = middle_of_mass(image, {0, 0, 200, 200});
  EXPECT_NEAR(middle.x, 2.8 / 4, 0.006);
  EXPECT_NEAR(middle.y, 1.4 / 4, 0.006);
  // In the corners beyond the rim it is white, even where the density's grid has values.
  DensityChart full = bump({0, 0}, 1, 2);
  std::fill(full.density.begin(), full.density.end(), 1);
  Canvas other(FileKind::png, 100, 100, 144);
  Frame around(other, {0, 0, 100, 100}, axis, axis);
  draw_disk(other, around, full, -0.25, false);
  const Image filled = read_png(other.finish());
  int coloured = 0;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      const double r = std::hypot(x + 0.5 - 100, y + 0.5 - 100);
      if (r > 103) {
        EXPECT_LT(darkness(pixel(filled, x, y)), 1e-6);
      }
      coloured += r < 97 && darkness(pixel(filled, x, y)) > 0.5;
    }
  EXPECT_NEAR(coloured, std::numbers::pi * 97 * 97, 400);
}

// A geodesic meets the rim, and there at a right angle; its middle is the foot.
TEST(Disk, GeodesicsMeetTheRimAtRightAngles) {
  for (const double K : {-1.0, -0.25})
    for (const Vec2 foot : {Vec2{0.3, 0.4}, Vec2{-0.7, 0.1}, Vec2{0, -0.9}}) {
      const double R = 1 / std::sqrt(-K);
      const Line line = disk_geodesic(foot, K, 2001);
      const Vec2 end = line.points.front(), next = line.points[1], middle = line.points[1000];
      EXPECT_NEAR(std::hypot(end.x, end.y), R, 1e-12);
      EXPECT_NEAR(std::hypot(line.points.back().x, line.points.back().y), R, 1e-12);
      EXPECT_NEAR(middle.x, foot.x, 1e-9);
      EXPECT_NEAR(middle.y, foot.y, 1e-9);
      const double along = (next.x - end.x) * end.x + (next.y - end.y) * end.y;
      const double length = std::hypot(next.x - end.x, next.y - end.y) * R;
      EXPECT_NEAR(std::abs(along), length, 2e-3 * length);
    }
}

TEST(Colours, ALogScaleIsAskedForByTheMass) {
  // A wide bump in which a narrow one stands, 1000 times as high, that holds a tenth of the mass.
  const DensityChart wide = bump({0, 0}, 1, 4);
  std::vector<double> density = wide.density, mass = density;
  const double sum = std::accumulate(mass.begin(), mass.end(), 0.0);
  for (double& m : mass) m /= sum;
  EXPECT_FALSE(asks_for_log(density, mass));
  for (double& m : mass) m *= 0.9;
  density[wide.cell(40, 40)] = 1000;
  mass[wide.cell(40, 40)] = 0.1;
  mass[0] = density[0] = std::nan("");
  EXPECT_TRUE(asks_for_log(density, mass));
  const ColourBar bar = log_bar_for(density, mass, "density");
  EXPECT_TRUE(bar.scale.logarithmic);
  EXPECT_EQ(bar.scale.to, 1000);
  // 99.5 % of the mass lie above; of a normal density that is exp(−½ r²) = 0.005 of its top.
  EXPECT_GT(bar.scale.from, 0.003);
  EXPECT_LT(bar.scale.from, 0.02);
  EXPECT_TRUE(bar.open_below);
  const ColourBar flat = log_bar_for({2, 2, 2}, {0.1, 0.1, 0.1}, "");
  EXPECT_EQ(flat.scale.from, 1);
  EXPECT_EQ(flat.scale.to, 2);
}

TEST(Contours, LabelsHaveTheDigitsTheyNeed) {
  const DensityChart chart = bump({0, 0}, 1, 4);
  std::vector<std::string> labels;
  for (const ContourLines& lines : contours_of(chart, chart.density, {0.5, 0.9995, 0.99999}))
    labels.push_back(lines.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"50 %", "99.95 %", "99.999 %"}));
}

/// Pixels of about that colour.
int pixels_like(const Image& image, const Colour& colour, double within) {
  int n = 0;
  for (const Colour& p : image.pixels)
    n += std::abs(p.red - colour.red) + std::abs(p.green - colour.green) + std::abs(p.blue - colour.blue) <
         within;
  return n;
}

TEST(Clouds, ManyDotsDoNotHideTheDensity) {
  DensityChart chart = bump({0, 0}, 0.7, 4);
  Cloud cloud{"points", kBlue, {}};
  for (int i = 0; i < 30000; ++i)  // all over, closer than dots are wide
    cloud.points.push_back({-4 + 8 * ((i % 173) + 0.5) / 173, -4 + 8 * ((i / 173) + 0.5) / 173});
  chart.clouds.push_back(cloud);
  const Sheet sheet{FileKind::png, 200, 144, ""};
  const Image image = read_png(draw_plane(sheet, chart, {"x", "y"}));
  const Box frame = frame_of(image);
  const auto at = [&](double x, double y) {
    return pixel(image, static_cast<int>(frame.x + x * frame.width),
                 static_cast<int>(frame.y + y * frame.height));
  };
  EXPECT_GT(darkness(at(0.5, 0.5)) - darkness(at(0.1, 0.1)), 0.25);
  // A dot apart from the others, in the middle of which there is its colour alone.
  const auto apart = [](std::size_t others) {
    Canvas canvas(FileKind::png, 280, 280, 288);
    Axis axis;
    axis.scale = {-4, 4, false};
    Frame lone(canvas, {0, 0, 280, 280}, axis, axis);
    Cloud dots{"points", kBlue, std::vector<Vec2>(others, {-3, -3})};
    dots.points.push_back({2, 2});
    draw_clouds(lone, {dots});
    return darkness(pixel(read_png(canvas.finish()), 840, 280));
  };
  EXPECT_GT(apart(0), 0.5);
  EXPECT_NEAR(apart(1000), apart(0), 0.02);
  EXPECT_NEAR(apart(1500 * 4), apart(0) / 2, 0.02);
}

TEST(Clouds, AFewPointsBesideManyAreNoLarger) {
  DensityChart chart = bump({0, 0}, 1, 4);
  std::fill(chart.density.begin(), chart.density.end(), 0.0);
  const Cloud few{"test", kTeal, {{2, 2}}};
  Cloud many{"training", kBlue, {}};
  for (int i = 0; i < 20000; ++i) many.points.push_back({-3 + 1e-4 * i, -3});
  const auto drawn = [&](const std::vector<Cloud>& clouds) {
    Canvas canvas(FileKind::png, 280, 280, 288);
    Axis axis;
    axis.scale = {-4, 4, false};
    Frame frame(canvas, {0, 0, 280, 280}, axis, axis);
    draw_clouds(frame, clouds);
    return pixels_like(read_png(canvas.finish()), kTeal, 0.1);
  };
  const int alone = drawn({few}), beside = drawn({many, few});
  EXPECT_GT(beside, 2);
  EXPECT_LT(beside, alone / 4);
}

TEST(Disk, RadiusOfADistance) {
  EXPECT_NEAR(disk_radius(1, -1), std::tanh(0.5), 1e-15);
  EXPECT_NEAR(disk_radius(2, -0.25), 2 * std::tanh(0.5), 1e-15);
  // |x| small: the metric is 4 |dx|².
  EXPECT_NEAR(disk_radius(1e-4, -1), 0.5e-4, 1e-12);
}

TEST(Torus, PathsAreCutAtTheSeam) {
  const Lines cut = cut_at_seam({{{{170, 10}, {-170, 20}, {-150, 20}}}, {{{0, 0}, {90, 170}, {90, 190}}}});
  ASSERT_EQ(cut.size(), 4u);
  EXPECT_EQ(cut[0].points, (std::vector<Vec2>{{170, 10}, {190, 20}}));
  EXPECT_EQ(cut[1].points, (std::vector<Vec2>{{-190, 10}, {-170, 20}, {-150, 20}}));
  EXPECT_EQ(cut[2].points, (std::vector<Vec2>{{0, 0}, {90, 170}, {90, 190}}));
  EXPECT_EQ(cut[3].points, (std::vector<Vec2>{{90, -190}, {90, -170}}));
}

// The region of highest density of a bump across the seam is one: its outline is as long as elsewhere.
TEST(Torus, ContoursGoOnAcrossTheSeam) {
  const auto length = [](double middle) {
    DensityChart chart = bump({0, 0}, 20, 180, 90);
    std::vector<double> mass;
    for (int ix = 0; ix < 90; ++ix)
      for (int iy = 0; iy < 90; ++iy) {
        const auto turn = [&](int i) {
          return std::cos((chart.x.value((i + 0.5) / 90) - middle) * std::numbers::pi / 180);
        };
        chart.at(ix, iy) = std::exp(8 * (turn(ix) + turn(iy) - 2));
      }
    double total = 0;
    for (const double value : chart.density) total += value;
    for (const double value : chart.density) mass.push_back(value / total);
    double sum = 0;
    const std::vector<ContourLines> contours = contours_of(chart, mass, {0.9}, true);
    for (const Line& line : contours[0].lines)
      for (std::size_t i = 1; i < line.points.size() + (line.closed ? 1 : 0); ++i) {
        const Vec2 a = line.points[i - 1], b = line.points[i % line.points.size()];
        sum += std::hypot(a.x - b.x, a.y - b.y);
      }
    return sum;
  };
  EXPECT_NEAR(length(180), length(0), 1e-6);
  EXPECT_NEAR(length(178), length(-2), 1e-6);
  EXPECT_GT(length(0), 200);
}

TEST(Bar, GoesFromZeroToTheLargest) {
  const ColourBar bar = bar_for({1e-9, 0.5, 20, NAN, 0}, "d");
  EXPECT_EQ(bar.scale.from, 0);
  EXPECT_EQ(bar.scale.to, 20);
  EXPECT_EQ(bar_for({}, "d").scale.to, 1);
}

DensityChart everything() {
  DensityChart chart = bump({0.35, 0.2}, 0.25, 1);
  std::vector<double> mass;
  for (const double value : chart.density) mass.push_back(value * 4 / 6400 / (2 * std::numbers::pi * 0.0625));
  chart.contours = contours_of(chart, mass, {0.5, 0.9});
  chart.clouds = {{"training", kBlue, {{0.1, 0.1}, {0.4, 0.3}, {-0.5, 0.5}}}, {"test", kTeal, {{0, -0.6}}}};
  chart.paths = {{{{-0.6, -0.6}, {-0.2, -0.4}, {0.3, 0.2}}}};
  return chart;
}

TEST(Golden, Disk) { expect_golden("disk", draw_disk({FileKind::png, 160, 110, ""}, everything(), -1)); }

TEST(Golden, Torus) {
  DensityChart chart = everything();
  const auto stretch = [](Vec2& point) { point = {250 * point.x, 250 * point.y}; };
  chart.x = chart.y = {-180, 180, false};
  chart.contours.clear();
  for (Cloud& cloud : chart.clouds)
    for (Vec2& point : cloud.points) stretch(point);
  for (Vec2& point : chart.paths[0].points) stretch(point);
  expect_golden("torus", draw_torus({FileKind::png, 160, 110, ""}, chart, {"φ", "ψ"}));
}

// The comparison sees a density that moved by a twentieth of the picture, and a point that is not there.
TEST(Golden, SeesADifference) {
  const Image one = read_png(draw_disk({FileKind::png, 160, 110, ""}, everything(), -1));
  DensityChart moved = everything();
  moved.density = bump({0.45, 0.2}, 0.25, 1).density;
  EXPECT_GT(difference(one, read_png(draw_disk({FileKind::png, 160, 110, ""}, moved, -1))), 0.006);
  EXPECT_EQ(difference(one, one), 0);
}

}  // namespace
}  // namespace riemflow::figure
