#include "riemflow/figure/curves.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/figure/pairs.hpp"
#include "tests/figure/golden.hpp"

namespace riemflow::figure {
namespace {

TEST(Curves, MeanAndInterval) {
  const Curve curve = mean_curve("nll", {}, {1, 2, 3}, {{1, 5, 2}, {3, 5, NAN}, {5, 5}});
  EXPECT_EQ(curve.y, (std::vector<double>{3, 5, 2}));
  // s = 2, n = 3.
  EXPECT_NEAR(curve.high[0] - 3, 1.96 * 2 / std::sqrt(3), 1e-12);
  EXPECT_NEAR(3 - curve.low[0], 1.96 * 2 / std::sqrt(3), 1e-12);
  EXPECT_EQ(curve.low[1], 5);
  EXPECT_TRUE(std::isnan(curve.low[2]));
  EXPECT_TRUE(mean_curve("one", {}, {1}, {{4}}).low.empty());
}

TEST(Curves, SmoothedKeepsStraightLinesAndTakesNoise) {
  std::vector<double> line, noise;
  for (int i = 0; i < 100; ++i) {
    line.push_back(3 - 0.1 * i);
    noise.push_back(i % 2 == 0 ? 1 : -1);
  }
  const std::vector<double> same = smoothed(line, 5), calm = smoothed(noise, 5);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(same[i], line[i], 1e-12);
  for (std::size_t i = 16; i < 84; ++i) EXPECT_LT(std::abs(calm[i]), 0.02);
}

TEST(Curves, ABadBeginningDoesNotFlattenTheRest) {
  CurvePanel panel;
  Curve curve;
  for (int i = 0; i < 200; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(1 + std::exp(-i / 50.0) + (i < 3 ? 1000 : 0));
  }
  panel.curves = {curve};
  EXPECT_LT(y_range(panel).to, 5);
  EXPECT_LE(y_range(panel).from, 1);
  EXPECT_GT(y_range(panel).from, 0);
  panel.zero = true;
  EXPECT_EQ(y_range(panel).from, 0);
}

TEST(Pairs, HistogramIsADensity) {
  const Scale scale{-1, 1, false};
  const std::vector<double> heights = histogram({-1, -0.9, 0.2, 1, 1.5, NAN}, scale, 4);
  EXPECT_NEAR(heights[0], 2.0 / 6 / 0.5, 1e-12);
  EXPECT_EQ(heights[1], 0);
  EXPECT_NEAR(heights[2], 1.0 / 6 / 0.5, 1e-12);
  EXPECT_NEAR(heights[3], 1.0 / 6 / 0.5, 1e-12);
  EXPECT_EQ(histogram({}, scale, 3), (std::vector<double>{0, 0, 0}));
}

TEST(Golden, Curves) {
  CurvePanel panel;
  panel.x_label = "iteration";
  panel.y_label = "loss";
  std::vector<double> x;
  std::vector<std::vector<double>> runs(3);
  for (int i = 1; i <= 50; ++i) {
    x.push_back(10 * i);
    for (int k = 0; k < 3; ++k)
      runs[static_cast<std::size_t>(k)].push_back(2 + 3 * std::exp(-0.08 * i) + 0.2 * k);
  }
  panel.curves = {{"", {kInk, 0.7, {4, 2}}, {0, 500}, {2, 2}, {}}, mean_curve("", {kBlue, 1.5}, x, runs)};
  panel.marks = {{{400, 2.4}, "", kOrange}};
  CurvePanel log = panel;
  log.curves.erase(log.curves.begin());
  log.log_y = true;
  expect_golden("curves", draw_curves({FileKind::png, 240, 110, ""}, {panel, log}, 2, 90));
}

TEST(Golden, Pairs) {
  PairsChart chart;
  chart.axes = {degree_axis("φ"), degree_axis("ψ"), {"x", {-1, 1, false}}};
  chart.samples.resize(3);
  chart.data = {{"data", kBlue, std::vector<std::vector<double>>(3)}};
  for (int i = 0; i < 4000; ++i) {
    const double u = std::fmod(i * 0.6180339887, 1.0), v = std::fmod(i * 0.7548776662, 1.0);
    const double row[] = {360 * u * u - 180, 360 * v * u - 180, v * v};
    for (std::size_t k = 0; k < 3; ++k) {
      chart.samples[k].push_back(row[k]);
      if (i % 20 == 0) chart.data[0].points[k].push_back(row[k]);
    }
  }
  expect_golden("pairs", draw_pairs({FileKind::png, 200, 110, ""}, chart));
}

}  // namespace
}  // namespace riemflow::figure
