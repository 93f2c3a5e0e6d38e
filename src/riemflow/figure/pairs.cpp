#include "riemflow/figure/pairs.hpp"

#include <algorithm>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

constexpr int kBins = 36;  // 10 degrees of an angle
constexpr double kPairsMargin = 8, kPairsGap = 5;

int bin_of(double value, const Scale& scale, int n) {
  const double share = scale.share(value);
  if (!(share >= 0 && share <= 1)) return -1;
  return std::min(n - 1, static_cast<int>(share * n));
}

/// Of a pair: shares of the points that are in a cell, relative to the fullest.
DensityChart pair_of(const PairsChart& chart, std::size_t across, std::size_t up) {
  DensityChart pair;
  pair.x = chart.axes[across].scale;
  pair.y = chart.axes[up].scale;
  pair.nx = pair.ny = kBins;
  pair.density.assign(static_cast<std::size_t>(kBins) * kBins, 0);
  double largest = 0;
  for (std::size_t i = 0; i < chart.samples[across].size(); ++i) {
    const int ix = bin_of(chart.samples[across][i], pair.x, kBins);
    const int iy = bin_of(chart.samples[up][i], pair.y, kBins);
    if (ix >= 0 && iy >= 0) largest = std::max(largest, ++pair.at(ix, iy));
  }
  for (double& value : pair.density) value /= std::max(1.0, largest);
  pair.bar.scale = {0, 1, false};
  return pair;
}

void draw_data(Frame& frame, const PairsChart& chart, std::size_t across, std::size_t up) {
  for (const PairsChart::Data& data : chart.data) {
    std::vector<Vec2> dots;
    for (std::size_t i = 0; i < data.points[across].size(); ++i)
      dots.push_back({data.points[across][i], data.points[up][i]});
    frame.dots(dots, 0.6 * dot_radius(dots.size()), data.colour);
  }
}

/// A histogram as the outline of its bars.
std::vector<Vec2> steps(const std::vector<double>& heights, const Scale& scale) {
  std::vector<Vec2> line;
  const auto n = static_cast<double>(heights.size());
  for (std::size_t i = 0; i < heights.size(); ++i)
    for (const double end : {0.0, 1.0})
      line.push_back({scale.value((static_cast<double>(i) + end) / n), heights[i]});
  return line;
}

void draw_single(Canvas& canvas, const Box& box, const PairsChart& chart, std::size_t which, bool x_numbers) {
  const Axis& x = chart.axes[which];
  const std::vector<double> heights = histogram(chart.samples[which], x.scale, kBins);
  double highest = *std::max_element(heights.begin(), heights.end());
  std::vector<std::vector<double>> others;
  for (const PairsChart::Data& data : chart.data) {
    others.push_back(histogram(data.points[which], x.scale, kBins));
    highest = std::max(highest, *std::max_element(others.back().begin(), others.back().end()));
  }
  Axis y;
  y.scale = {0, highest > 0 ? 1.08 * highest : 1, false};
  Frame frame(canvas, box, x, y);
  std::vector<double> at, low, high;
  for (const Vec2& point : steps(heights, x.scale)) {
    at.push_back(point.x);
    low.push_back(0);
    high.push_back(point.y);
  }
  frame.band(at, low, high, heat(0.42));
  frame.line(steps(heights, x.scale), {heat(0.75), 0.7});
  for (std::size_t i = 0; i < others.size(); ++i)
    frame.line(steps(others[i], x.scale), {chart.data[i].colour, 0.8});
  frame.draw_axes(x_numbers, false);
}

}  // namespace

std::vector<double> histogram(const std::vector<double>& values, const Scale& scale, int n) {
  std::vector<double> result(static_cast<std::size_t>(n), 0.0);
  const double weight =
      values.empty() ? 0 : n / (static_cast<double>(values.size()) * (scale.to - scale.from));
  for (const double value : values)
    if (const int bin = bin_of(value, scale, n); bin >= 0) result[static_cast<std::size_t>(bin)] += weight;
  return result;
}

std::string draw_pairs(const Sheet& sheet, const PairsChart& chart) {
  const std::size_t n = chart.axes.size();
  require(n >= 1 && n <= kMostPairs, "pairs of " + std::to_string(n) + " coordinates cannot be drawn",
          "give from 1 to " + std::to_string(kMostPairs), Fault::internal);
  std::vector<LegendEntry> legend = {{LegendEntry::Mark::patch, chart.note, {heat(0.42)}}};
  for (const PairsChart::Data& data : chart.data)
    if (!data.points[0].empty()) legend.push_back({LegendEntry::Mark::dot, data.label, {data.colour}});

  Canvas ruler(FileKind::svg, 1, 1);
  double left = 0, below = 0;
  for (const Axis& axis : chart.axes) {
    left = std::max(left, Frame::room_left(ruler, axis));
    below = std::max(below, Frame::room_below(axis));
  }
  const double inside = sheet.width - 2 * kPairsMargin - left - kPairsMargin;
  const double side = (inside - kPairsGap * static_cast<double>(n - 1)) / static_cast<double>(n);
  const double top = kPairsMargin + (sheet.title.empty() ? 0 : 2 * kTitleText);
  const double legend_high = legend_size(ruler, legend, inside).y;
  const double height = top + inside + below + kPairsMargin + legend_high + kPairsMargin;
  Canvas canvas(sheet.kind, sheet.width, height, sheet.dpi);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < (chart.data.empty() ? row + 1 : n); ++column) {
      const double step = side + kPairsGap;
      const Box box{kPairsMargin + left + step * static_cast<double>(column),
                    top + step * static_cast<double>(row), side, side};
      if (row == column) {
        draw_single(canvas, box, chart, row, row + 1 == n);
        continue;
      }
      Frame frame(canvas, box, chart.axes[column], chart.axes[row]);
      if (column > row) {
        draw_data(frame, chart, column, row);
      } else {
        const DensityChart pair = pair_of(chart, column, row);
        frame.image(image_of(pair), pair.x, pair.y);
      }
      frame.draw_axes(row + 1 == n, column == 0);
    }
  if (!sheet.title.empty())
    canvas.text({kPairsMargin + left, kPairsMargin + kTitleText}, sheet.title,
                {.size = kTitleText, .bold = true});
  draw_legend(canvas, {kPairsMargin + left, height - kPairsMargin - legend_high}, legend, inside);
  return canvas.finish();
}

}  // namespace riemflow::figure
