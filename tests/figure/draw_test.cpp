// Models as figures: what is drawn is the model's density, where it is.

#include "riemflow/figure/draw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/cancel.hpp"
#include "riemflow/core/error.hpp"
#include "riemflow/figure/axis_names.hpp"
#include "riemflow/figure/draw_parts.hpp"
#include "riemflow/manifold/earth.hpp"
#include "riemflow/model/space.hpp"
#include "tests/figure/models.hpp"
#include "tests/figure/pixels.hpp"

namespace riemflow {
namespace {

using figure::Box;
using figure::DensityChart;
using figure::LatLon;
using figure::Map;
using figure::ProjectionKind;
using figure::Vec2;
using figure::Vec3;

constexpr double kDegree = std::numbers::pi / 180;
const LatLon kPhiladelphia{40, -75};

Model on_the_earth(double bandwidth = 0.3) {
  const Vec3 m = figure::vector_of(kPhiladelphia);
  return kernel_at("sphere:2", {m[0], m[1], m[2]}, bandwidth);
}

DensityGrid grid_of(const Model& model, const GridChoice& choice) {
  TaskObserver silent;
  return figure::computed_grid(model, {}, layout_of(choice, model), silent);
}

GridChoice cells(double resolution, const std::string& per = "", double extent = 0) {
  GridChoice choice;
  choice.resolution = resolution;
  choice.per = per;
  choice.extent = extent;
  return choice;
}

double cosine(LatLon a, LatLon b) {
  const Vec3 x = figure::vector_of(a), y = figure::vector_of(b);
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

// Of κ/(2π(1 − e^{−2κ})) exp(κ (cos θ − 1)), the region with share s of the mass has densities above (1 − s)
// of the largest, but for e^{−2κ}.
TEST(DrawnMap, HoldsTheDensityOfTheModel) {
  const double kappa = 1 / 0.09, peak = kappa / (2 * std::numbers::pi * -std::expm1(-2 * kappa));
  for (const std::string west : {"-180", "0"})
    for (const std::string per : {"sr", "km2"}) {
      GridChoice choice = cells(2, per);
      choice.longitude = west;
      DrawOptions options;
      options.contours = {0.5, 0.9};
      const Map map = figure::globe_map(grid_of(on_the_earth(), choice), {}, {}, options);
      const double unit = per == "sr" ? 1 : kEarthKm2PerSr;
      for (const LatLon place : {kPhiladelphia, LatLon{20, -75}, LatLon{40, -100}, LatLon{65, -40}})
        EXPECT_NEAR(map.density.at(place) * unit / peak, std::exp(kappa * (cosine(place, kPhiladelphia) - 1)),
                    0.004)
            << west << " " << per << " " << place.latitude;
      EXPECT_EQ(map.bar.label,
                per == "sr" ? "probability density per steradian" : "probability density per km²");
      EXPECT_TRUE(map.bar.scale.logarithmic);
      EXPECT_TRUE(map.bar.open_below);
      EXPECT_NEAR(map.bar.scale.to * unit, peak, 0.005 * peak);
      EXPECT_NEAR(map.bar.scale.from * unit, 0.005 * peak, 0.0003 * peak);
      ASSERT_EQ(map.lines.size(), 2u);
      EXPECT_EQ(map.lines[1].label, "90 % of the mass");
      for (const std::size_t i : {0u, 1u}) {
        ASSERT_FALSE(map.lines[i].lines.empty());
        for (const Vec3& point : map.lines[i].lines[0].points)
          EXPECT_NEAR(cosine(figure::place_of(point), kPhiladelphia),
                      1 + std::log(1 - options.contours[i]) / kappa, 0.004);
      }
      options.log_scale = false;
      const Map linear = figure::globe_map(grid_of(on_the_earth(), choice), {}, {}, options);
      EXPECT_EQ(linear.bar.scale.from, 0);
      EXPECT_NEAR(linear.bar.scale.to * unit, 0.95 * peak, 0.01 * peak);
      EXPECT_TRUE(linear.bar.open_above);
    }
}

TEST(DrawnMap, IsThatOfAModelOnTheSheet) {
  DrawOptions options;
  options.projection = ProjectionKind::plate_carree;
  options.coastlines = false;
  options.log_scale = false;
  options.grid.resolution = 2;
  options.dpi = 144;
  for (const double centre : {0.0, -75.0, 400.0 - 75}) {
    options.centre = LatLon{0, centre};
    TaskObserver silent;
    const figure::Image image = figure::read_png(draw(on_the_earth(0.1), options, silent).bytes);
    EXPECT_NEAR(image.width, 180 / 25.4 * 144, 1);
    Box frame = figure::frame_of(image);
    ASSERT_GT(frame.width, 500);
    frame.height = frame.width / 2;  // below it is the colour bar
    const Vec2 middle = figure::middle_of_mass(image, frame);
    EXPECT_NEAR(middle.x, 0.5 + std::remainder(-75 - centre, 360) / 360, 0.006);
    EXPECT_NEAR(middle.y, (90 + 40) / 180.0, 0.008);
  }
}

TEST(DrawnPlane, HoldsTheDensityOfTheModel) {
  const double h = 0.4, peak = 1 / (2 * std::numbers::pi * h * h);
  DrawOptions options;
  options.contours = {0.5};
  const Points<double> paths[] = {Points<double>(1, 2), Points<double>(1, 2)};
  std::vector<Points<double>> frames(paths, paths + 2);
  frames[1].values = {0.5, -0.25};
  const DensityChart chart = figure::sheet_chart(
      grid_of(kernel_at("euclidean:2", {0.525, -0.275}, h), cells(0.05, "", 2)), {}, frames, options, false);
  ASSERT_EQ(chart.nx, 80);
  for (const auto& [ix, iy] : {std::pair{50, 34}, {40, 34}, {60, 40}, {49, 20}}) {
    const double x = chart.x.value((ix + 0.5) / 80) - 0.525, y = chart.y.value((iy + 0.5) / 80) + 0.275;
    EXPECT_NEAR(chart.at(ix, iy) / peak, std::exp(-(x * x + y * y) / (2 * h * h)), 0.003) << ix << " " << iy;
  }
  EXPECT_EQ(chart.bar.label, "density per area");
  EXPECT_FALSE(chart.bar.scale.logarithmic);
  EXPECT_NEAR(chart.bar.scale.to, peak, 0.004 * peak);
  ASSERT_EQ(chart.contours[0].lines.size(), 1u);
  for (const Vec2 point : chart.contours[0].lines[0].points)
    EXPECT_NEAR(std::hypot(point.x - 0.525, point.y + 0.275), h * std::sqrt(2 * std::log(2)), 0.01);
  ASSERT_EQ(chart.paths.size(), 1u);
  EXPECT_EQ(chart.paths[0].points, (std::vector<Vec2>{{0, 0}, {0.5, -0.25}}));
}

TEST(DrawnTorus, HoldsTheDensityOfTheModelInDegrees) {
  const double kappa = 1 / 0.25, one = 1 / (2 * std::numbers::pi * std::cyl_bessel_i(0, kappa));
  const Model model = kernel_at("torus:2", {60 * kDegree, -150 * kDegree}, 0.5);
  TaskObserver silent;
  std::vector<figure::Layer> layers;
  Points<double> point(1, 2);
  point.values = {60 * kDegree, -150 * kDegree};
  figure::add_layer(layers, {point, "here"}, figure::kBlue, silent);
  DrawOptions options;
  options.log_scale = true;
  const DensityChart chart = figure::sheet_chart(grid_of(model, cells(2)), layers, {}, options, true);
  const auto exact = [&](double x, double y) {
    return std::exp(kappa * (std::cos((x - 60) * kDegree) + std::cos((y + 150) * kDegree)));
  };
  for (const auto& [ix, iy] : {std::pair{120, 15}, {100, 15}, {120, 179}, {140, 30}}) {
    const double wanted = one * one * exact(chart.x.value((ix + 0.5) / 180), chart.y.value((iy + 0.5) / 180));
    EXPECT_NEAR(chart.at(ix, iy), wanted, 0.002 * wanted) << ix << " " << iy;
  }
  EXPECT_TRUE(chart.bar.scale.logarithmic);
  EXPECT_EQ(chart.bar.label, "density per square radian");
  ASSERT_EQ(chart.clouds.size(), 1u);
  EXPECT_EQ(chart.clouds[0].label, "here (1)");
  EXPECT_NEAR(chart.clouds[0].points[0].x, 60, 1e-9);
  EXPECT_NEAR(chart.clouds[0].points[0].y, -150, 1e-9);
}

// λ² at (0.4, −0.2) is (2/0.8)²: so much larger is the density per Euclidean area.
TEST(DrawnDisk, HoldsTheDensityOfTheModel) {
  const double h = 0.3, peak = 1 / (2 * std::numbers::pi * h * h);
  const Model model = kernel_at("ball:2", {0.4, -0.2}, h);
  for (const std::string per : {"volume", "euclid"}) {
    const DensityChart chart =
        figure::sheet_chart(grid_of(model, cells(0.02, per)), {}, {}, DrawOptions(), false);
    const auto cell = [&](double x, double y) {
      return chart.at(static_cast<int>((x + 1) * 50), static_cast<int>((y + 1) * 50));
    };
    EXPECT_NEAR(cell(0.401, -0.199) / peak, per == "volume" ? 1 : 6.25, 0.02 * 6.25);
    EXPECT_LT(cell(-0.2, 0.4), 0.1 * peak);
    EXPECT_TRUE(std::isnan(cell(0.99, 0.99)));
    EXPECT_EQ(chart.bar.label,
              per == "volume" ? "density per hyperbolic area" : "density per Euclidean area of the disk");
  }
}

TEST(DrawnSheets, ShowTheDensityWhereItIs) {
  DrawOptions options;
  options.dpi = 144;
  options.log_scale = false;
  const auto middle = [&](const Model& model, bool framed) {
    TaskObserver silent;
    const figure::Image image = figure::read_png(draw(model, options, silent).bytes);
    EXPECT_NEAR(image.width, 120 / 25.4 * 144, 1);
    return figure::middle_of_mass(image, framed ? figure::frame_of(image) : Box{0, 0, 600, 600});
  };
  options.grid.resolution = 6;
  const Vec2 torus = middle(kernel_at("torus:2", {-60 * kDegree, 120 * kDegree}, 0.2), true);
  EXPECT_NEAR(torus.x, 120 / 360.0, 0.008);
  EXPECT_NEAR(torus.y, 300 / 360.0, 0.008);
  options.grid.resolution = 0.05;
  // The disk has no frame, and its colour bar stays where it is.
  const Vec2 right = middle(kernel_at("ball:2", {0.5, 0}, 0.3), false),
             up = middle(kernel_at("ball:2", {0, 0.5}, 0.3), false);
  EXPECT_GT(right.x - up.x, 0.1);
  EXPECT_GT(up.y - right.y, 0.1);
  options.grid.extent = 4;
  const Vec2 plane = middle(kernel_at("euclidean:2", {1, -2}, 0.4), true);
  EXPECT_NEAR(plane.x, 5 / 8.0, 0.008);
  EXPECT_NEAR(plane.y, 2 / 8.0, 0.008);
}

TEST(DrawnPlane, IsWhereThePointsAre) {
  DrawOptions options;
  options.dpi = 144;
  options.log_scale = false;
  options.data.points = Points<double>(2, 2);
  options.data.points.values = {1, 2, 3, 2.5};
  Listener listener;
  const Model model = kernel_at("euclidean:2", {1.5, 2.8}, 0.15);
  const figure::Image image = figure::read_png(draw(model, options, listener).bytes);
  const Vec2 middle = figure::middle_of_mass(image, figure::frame_of(image));
  EXPECT_NEAR(middle.x, (1.5 - 0.9) / 2.2, 0.02);
  EXPECT_NEAR(middle.y, (2.8 - 1.15) / 2.2, 0.02);
  ASSERT_EQ(listener.sentences.size(), 1u);
  EXPECT_EQ(
      listener.sentences[0],
      "Drawn: x in 0.9 … 3.1, y in 1.15 … 3.35, where the points are; ‹extent› draws the square around 0.");
  options.data = {};
  listener.sentences.clear();
  draw(model, options, listener);
  EXPECT_NE(listener.sentences.at(0).find("where the samples are"), std::string::npos);
}

TEST(DrawnPairs, HoldTheCoordinatesOfTheSamples) {
  Model model = kernel_at("torus:3", {30 * kDegree, -60 * kDegree, 120 * kDegree}, 0.05);
  model.metadata["provenance"] = R"({"columns":["phi_deg","chi1","distance_to_something_very_far_away"]})";
  TaskObserver silent;
  Failures failures;
  const Points<double> samples = figure::draws_of(model, {}, 500, 7, 1, failures, silent).front();
  std::vector<figure::Layer> layers;
  figure::add_layer(layers, {samples, "same"}, figure::kTeal, silent);
  const figure::PairsChart chart = figure::pairs_chart(model, samples, layers, silent);
  ASSERT_EQ(chart.samples.size(), 3u);
  const double wanted[] = {30, -60, 120};
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = 0;
    for (const double x : chart.samples[k]) sum += x / 500;
    EXPECT_NEAR(sum, wanted[k], 5 * 0.05 / kDegree / std::sqrt(500));
    EXPECT_EQ(chart.axes[k].scale.from, -180);
    EXPECT_EQ(chart.data[0].points[k], chart.samples[k]);
  }
  EXPECT_EQ(chart.axes[0].label, "φ");
  EXPECT_EQ(chart.axes[1].label, "χ₁");
  EXPECT_EQ(chart.axes[2].label, "distance_to_something_very_far…");
  EXPECT_EQ(chart.data[0].label, "same (500)");
  EXPECT_EQ(chart.note, "500 samples of the model: the darker, the more");
}

// −x is the same axis as x.
TEST(DrawnPairs, HoldDataAsSamplesAreWritten) {
  Model model = kernel_at("sphere:3", {0.5, 0.5, -0.1, 0.7}, 0.2);
  keep_space(model, Space("axis:3"));
  TaskObserver silent;
  Points<double> data(2, 4);
  data.values = {-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5};
  std::vector<figure::Layer> layers;
  figure::add_layer(layers, {data, "data"}, figure::kTeal, silent);
  const figure::PairsChart chart = figure::pairs_chart(model, data, layers, silent);
  for (std::size_t k = 0; k < 4; ++k) {
    const double kept = k == 2 ? -0.5 : 0.5;
    for (const std::size_t i : {0u, 1u}) {
      EXPECT_EQ(chart.data[0].points[k][i], kept);
      EXPECT_EQ(chart.samples[k][i], kept);
    }
  }
}

// A circle and a line have a histogram; of many coordinates the first are drawn.
TEST(DrawnPairs, AreOfAnyDimension) {
  DrawOptions options;
  options.samples = 200;
  options.dpi = 40;
  Listener listener;
  const auto drawn = [&](const Model& model) {
    return figure::read_png(draw(model, options, listener).bytes);
  };
  for (const std::string manifold : {"torus:1", "euclidean:1"}) {
    const figure::Image one = drawn(kernel_at(manifold, {1}, 0.2)),
                        other = drawn(kernel_at(manifold, {-1}, 0.2));
    ASSERT_GT(one.width, 200);
    EXPECT_GT(std::count_if(one.pixels.begin(), one.pixels.end(),
                            [](const figure::Colour& c) { return figure::hue(c) > 0.1; }),
              100);
    if (manifold != "torus:1") continue;  // the axis of a line goes where the samples are
    const Box all{0, 0, static_cast<double>(one.width), static_cast<double>(one.height)};
    EXPECT_GT(figure::middle_of_mass(one, all).x, figure::middle_of_mass(other, all).x + 0.1);
  }
  EXPECT_TRUE(listener.sentences.empty());
  drawn(kernel_at("euclidean:12", std::vector<double>(12, 0.5), 0.2));
  EXPECT_EQ(listener.sentences, (std::vector<std::string>{"The first 8 of 12 coordinates are drawn."}));
}

// Both ends have the same spot: the middle of both is on the equator, halfway.
TEST(DrawnAxes, HaveBothEndsOnAGlobe) {
  const auto seen = [](const std::string& space) {
    Model model = on_the_earth(0.1);
    keep_space(model, Space(space));
    DrawOptions options;
    options.projection = ProjectionKind::plate_carree;
    options.log_scale = false;
    options.coastlines = space == "axis:2";  // an axis has no coast anyway
    options.grid.resolution = 2;
    options.dpi = 144;
    TaskObserver silent;
    const figure::Image image = figure::read_png(draw(model, options, silent).bytes);
    Box frame = figure::frame_of(image);
    frame.height = frame.width / 2;
    return figure::middle_of_mass(image, frame);
  };
  const Vec2 place = seen("sphere:2"), ends = seen("axis:2");
  EXPECT_NEAR(place.x, 0.5 - 75 / 360.0, 0.006);
  EXPECT_NEAR(ends.x, 0.5 + 15 / 360.0, 0.006);
  EXPECT_NEAR(ends.y, 0.5, 0.006);
  DrawOptions options;
  TaskObserver silent;
  Model axes = on_the_earth();
  keep_space(axes, Space("axis:2"));
  options.grid.per = "km2";
  EXPECT_THROW(draw(axes, options, silent), Error);
}

/// One kernel around the rotation by `angle` about z.
Model on_rotations(const std::string& space, double bandwidth, double angle = 0.3) {
  Model model =
      kernel_at("sphere:3,K=0.25", {2 * std::cos(angle / 2), 0, 0, 2 * std::sin(angle / 2)}, bandwidth);
  keep_space(model, Space(space));
  return model;
}

TEST(DrawnRotations, EveryOptionIsSeen) {
  DrawOptions plain;
  plain.kind = figure::FileKind::svg;
  plain.dpi = 50;
  Points<double> points(3, 4);
  points.values = {1, 0, 0, 0, 0.8, 0.6, 0, 0, 0.6, 0, 0.8, 0};
  for (const auto& [view, space] :
       {std::pair{RotationView::poles, "rotation:3/432"}, std::pair{RotationView::sections, "rotation:3/432"},
        std::pair{RotationView::axis_angle, "rotation:3"}}) {
    const Model model = on_rotations(space, 0.4);
    plain.rotations = view;
    TaskObserver silent;
    const std::string before = draw(model, plain, silent).bytes;
    const std::string name = space;
    const auto expect_seen = [&](const auto& change, const char* what) {
      DrawOptions options = plain;
      change(options);
      EXPECT_TRUE(draw(model, options, silent).bytes != before) << what << ' ' << name;
    };
    expect_seen([](DrawOptions& o) { o.samples = 20; }, "samples");
    expect_seen([](DrawOptions& o) { o.log_scale = true; }, "scale");
    expect_seen([&](DrawOptions& o) { o.data = {points, "data"}; }, "data");
    expect_seen([&](DrawOptions& o) { o.test = {points, "test points"}; }, "test");
    DrawOptions one = plain, other = plain;
    one.samples = other.samples = 20;
    other.seed = 1;
    EXPECT_TRUE(draw(model, one, silent).bytes != draw(model, other, silent).bytes) << "seed " << space;
    other.seed = 0;
    other.evaluation.threads = 3;
    EXPECT_TRUE(draw(model, one, silent).bytes == draw(model, other, silent).bytes) << "threads " << space;
  }
}

// Which view it is, follows from the options; what has no meaning in a view is refused.
TEST(DrawnRotations, ChoicesOfViews) {
  const Model model = on_rotations("rotation:3/432", 0.4);
  TaskObserver silent;
  const auto drawn = [&](const auto& change) {
    DrawOptions options;
    options.kind = figure::FileKind::svg;
    options.dpi = 50;
    change(options);
    return draw(model, options, silent).bytes;
  };
  const auto refused = [&](const auto& change) {
    try {
      drawn(change);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("drawn");
  };
  const std::string usual = drawn([](DrawOptions&) {});
  EXPECT_TRUE(drawn([](DrawOptions& o) { o.rotations = RotationView::poles; }) == usual);
  EXPECT_TRUE(drawn([](DrawOptions& o) { o.poles = {"100", "110", "111"}; }) == usual);
  EXPECT_TRUE(drawn([](DrawOptions& o) { o.poles = {"100", "110", "311"}; }) != usual);
  EXPECT_TRUE(drawn([](DrawOptions& o) { o.sections = 5; }) ==
              drawn([](DrawOptions& o) { o.rotations = RotationView::sections; }));
  EXPECT_TRUE(drawn([](DrawOptions& o) { o.sections = 15; }) !=
              drawn([](DrawOptions& o) { o.sections = 5; }));
  EXPECT_TRUE(drawn([](DrawOptions& o) { o.phi1 = 90; }) != drawn([](DrawOptions& o) { o.phi1 = 360; }));
  EXPECT_NE(refused([](DrawOptions& o) { o.phi1 = 400; }).find("φ1 goes to 360°"), std::string::npos);
  EXPECT_NE(refused([](DrawOptions& o) { o.poles = {"11"}; }).find("no indices of a plane"),
            std::string::npos);
  EXPECT_NE(refused([](DrawOptions& o) {
              o.poles = {"111"};
              o.rotations = RotationView::sections;
            }).find("‹poles› has no meaning in sections of Euler angles"),
            std::string::npos);
  EXPECT_NE(refused([](DrawOptions& o) {
              o.sections = 5;
              o.rotations = RotationView::axis_angle;
            }).find("‹sections› has no meaning in the ball"),
            std::string::npos);
  EXPECT_NE(
      refused([](DrawOptions& o) { o.contours = {0.5}; }).find("‹contours› has no meaning in pole figures"),
      std::string::npos);
  EXPECT_NE(refused([](DrawOptions& o) { o.trajectories = 3; }).find("‹trajectories› has no meaning"),
            std::string::npos);
}

TEST(Draws, AreThoseOfTheModelInOnePiece) {
  const Model model = on_the_earth();
  TaskObserver silent;
  Failures failures;
  const std::size_t n = 20'000;  // more than are drawn at once
  const Points<double> drawn = figure::draws_of(model, {}, n, 3, 1, failures, silent).front();
  EXPECT_EQ(drawn.values, make_density(model)->sample(n, 3).frames.front().values);
  // Paths begin at the base and end at the samples; so many frames are drawn in two pieces.
  const Model flow = some_flow("torus:2");
  const auto paths = figure::draws_of(flow, {}, 300, 3, 81, failures, silent);
  const Points<double> ends = figure::draws_of(flow, {}, 300, 3, 1, failures, silent).front();
  ASSERT_EQ(paths.size(), 81u);
  double moved = 0;
  for (std::size_t i = 0; i < ends.values.size(); ++i) {
    EXPECT_NEAR(std::remainder(paths.back().values[i] - ends.values[i], 2 * std::numbers::pi), 0, 2e-3);
    moved = std::max(moved, std::abs(paths.front().values[i] - ends.values[i]));
  }
  EXPECT_GT(moved, 0.05);
  EXPECT_EQ(failures.count, 0u);
}

TEST(Draw, ManyPointsAreThinnedAndToldOf) {
  Listener listener;
  std::vector<figure::Layer> layers;
  figure::add_layer(layers, {Points<double>(30'001, 2), "all"}, figure::kBlue, listener);
  figure::add_layer(layers, {Points<double>(0, 2), "none"}, figure::kBlue, listener);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].label, "all (30,000 of 30,001)");
  EXPECT_EQ(layers[0].points.size(), 30'000u);
  EXPECT_EQ(listener.sentences.size(), 1u);
  figure::add_layer(layers, {Points<double>(3000, 4), "some"}, figure::kTeal, listener, 2000);
  EXPECT_EQ(layers[1].label, "some (2,000 of 3,000)");
  EXPECT_EQ(layers[1].points.size(), 2000u);
}

TEST(Draw, SameBytesForAnyThreads) {
  const Model model = some_flow("torus:2");
  DrawOptions options;
  options.kind = figure::FileKind::svg;
  options.grid.resolution = 10;
  options.samples = 100;
  options.trajectories = 4;
  TaskObserver silent;
  options.evaluation.threads = 1;
  const Drawing one = draw(model, options, silent);
  options.evaluation.threads = 3;
  const Drawing three = draw(model, options, silent);
  EXPECT_EQ(one.bytes, three.bytes);
  EXPECT_EQ(one.cells, 36u * 36u);
  EXPECT_EQ(one.failed_cells + one.failures.count, 0u);
  options.seed = 1;
  EXPECT_NE(draw(model, options, silent).bytes, one.bytes);
}

TEST(Draw, WhatFailedIsCounted) {
  DrawOptions options;
  options.grid.resolution = 20;
  options.samples = 100;
  options.trajectories = 30;
  options.dpi = 40;
  TaskObserver silent;
  const Drawing drawing = draw(some_flow("sphere:2", 1.8, 40, 1e-6), options, silent);
  EXPECT_EQ(drawing.cells, 9u * 18u);
  EXPECT_GT(drawing.failed_cells, 0u);
  EXPECT_LT(drawing.failed_cells, drawing.cells);
  EXPECT_GT(drawing.failures.count, 0u);
  EXPECT_EQ(drawing.failures.named[0].place.substr(0, 11), "trajectory ");
  EXPECT_GT(figure::read_png(drawing.bytes).width, 0);
}

TEST(Draw, EndsWhenCancelled) {
  Listener listener;
  listener.cancel = true;
  EXPECT_THROW(draw(on_the_earth(), {}, listener), Cancelled);
  DrawOptions options;
  options.samples = 100'000;
  EXPECT_THROW(draw(kernel_at("torus:3", {1, 2, 3}, 0.2), options, listener), Cancelled);
}

TEST(Draw, RefusesWhatHasNoMeaning) {
  const auto refused = [](const Model& model, const DrawOptions& options) {
    TaskObserver silent;
    try {
      draw(model, options, silent);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("drawn");
  };
  const Model earth = on_the_earth(), torus = kernel_at("torus:2", {0, 0}, 0.2),
              many = kernel_at("torus:3", {0, 0, 0}, 0.2);
  DrawOptions options;
  options.projection = ProjectionKind::robinson;
  EXPECT_EQ(refused(torus, options),
            "‹projection› has no meaning in a figure of torus:2; leave it out for folder/one.model");
  options = {};
  options.coastlines = false;
  EXPECT_NE(refused(torus, options).find("‹no-coastlines› has no meaning"), std::string::npos);
  options = {};
  options.grid.extent = 1;
  EXPECT_NE(refused(earth, options).find("‹extent› has no meaning in a figure of sphere:2"),
            std::string::npos);
  options = {};
  options.contours = {0.5};
  EXPECT_NE(refused(many, options).find("‹contours› has no meaning in a figure of the coordinates"),
            std::string::npos);
  options.contours = {1};
  EXPECT_NE(refused(earth, options).find("‹contours›: 100 % of the mass has no contour"), std::string::npos);
  options = {};
  options.trajectories = 1;
  EXPECT_NE(refused(earth, options).find("has no trajectories"), std::string::npos);
  options = {};
  options.centre = LatLon{-18, 178};
  EXPECT_NE(refused(earth, options).find("on the equator; give ‹center› 0,178, or ‹projection› orthographic"),
            std::string::npos);
  options.centre = LatLon{91, 0};
  EXPECT_NE(refused(earth, options).find("there is no such place"), std::string::npos);
  options = {};
  options.width = 1000;
  options.dpi = 1200;
  EXPECT_NE(refused(earth, options).find("are 47244 pixels"), std::string::npos);
}

TEST(DrawTraining, HasAPanelForEachObjectiveAndTheEvaluations) {
  const auto stage = [](Objective objective, double from) {
    TrainingStage result{"flow 1", objective, {}};
    for (int i = 0; i < 20; ++i)
      result.entries.push_back({from + i, from + i, 3 - 0.1 * i, 13, i % 5 == 0 ? 2.5 : NAN});
    return result;
  };
  TrainingHistory history;
  history.stages = {stage(Objective::likelihood, 0)};
  DrawOptions options;
  options.dpi = 72;
  const figure::Image one = figure::read_png(draw_training(history, options));
  EXPECT_NEAR(one.width, 180 / 25.4 * 72, 1);
  history.stages.push_back(stage(Objective::flow_matching, 20));
  history.named = true;
  EXPECT_GT(figure::read_png(draw_training(history, options)).height, 2 * one.height - 30);
  options.width = 90;
  EXPECT_NEAR(figure::read_png(draw_training(history, options)).width, 90 / 25.4 * 72, 1);
}

}  // namespace
}  // namespace riemflow
