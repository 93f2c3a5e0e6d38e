#include "riemflow/figure/curves.hpp"

#include <algorithm>
#include <cmath>

#include "riemflow/core/running_mean.hpp"

namespace riemflow::figure {
namespace {

constexpr double kPanelMargin = 8, kPanelGap = 14, kTitleRoom = 15;

Scale x_range(const CurvePanel& panel) {
  double low = INFINITY, high = -INFINITY;
  for (const Curve& curve : panel.curves)
    for (const double x : curve.x) {
      low = std::min(low, x);
      high = std::max(high, x);
    }
  for (const CurvePanel::Stretch& stretch : panel.stretches) {
    low = std::min(low, stretch.from);
    high = std::max(high, stretch.to);
  }
  if (!(low <= high)) return {0, 1, false};
  // Iterations count from 0.
  if (low > 0 && low < 0.2 * high) low = 0;
  return low < high ? Scale{low, high, false} : Scale{low - 1, high + 1, false};
}

/// A dot, and words beside it above the curves, to the side with more room.
void draw_mark(Canvas& canvas, Frame& frame, const CurvePanel& panel, const CurvePanel::Mark& mark) {
  frame.dots({mark.at}, 2.4, mark.colour, 0.7);
  TextStyle style{.size = kTickText, .colour = mark.colour, .halo = 1.5};
  const Vec2 at = frame.at(mark.at);
  const double wide = canvas.text_width(mark.text, style);
  const bool left = at.x > frame.box().x + frame.box().width / 2;
  style.align = left ? Align::right : Align::left;
  const double from = left ? at.x - wide - 6 : at.x - 3, to = left ? at.x + 3 : at.x + wide + 6;
  double up = at.y;
  for (const Curve& curve : panel.curves)
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      const Vec2 point = frame.at({curve.x[i], curve.y[i]});
      if (point.x >= from && point.x <= to && std::isfinite(point.y)) up = std::min(up, point.y);
    }
  canvas.text({at.x + (left ? -3 : 3), std::max(up - 6, frame.box().y + kTickText + 2)}, mark.text, style);
}

void draw_stretches(Canvas& canvas, Frame& frame, const CurvePanel& panel) {
  const TextStyle style{.size = kTickText, .align = Align::centre};
  for (const CurvePanel::Stretch& stretch : panel.stretches) {
    if (&stretch != &panel.stretches.front())
      frame.line({{stretch.from, frame.y().scale.from}, {stretch.from, frame.y().scale.to}},
                 {kInk, 0.5, {1, 2}});
    const double from = frame.at({stretch.from, 0}).x, to = frame.at({stretch.to, 0}).x;
    if (to - from > canvas.text_width(stretch.text, style) + 2)
      canvas.text({(from + to) / 2, frame.box().y - 3}, stretch.text, style);
  }
}

std::vector<LegendEntry> legend_of(const CurvePanel& panel) {
  std::vector<LegendEntry> legend;
  for (const Curve& curve : panel.curves)
    if (!curve.label.empty()) legend.push_back({LegendEntry::Mark::line, curve.label, curve.pen});
  return legend;
}

void draw_panel(Canvas& canvas, const Box& outer, const CurvePanel& panel, bool with_legend) {
  const double title = panel.title.empty() && panel.stretches.empty() ? 0 : kTitleRoom;
  Frame frame = Frame::within(canvas, {outer.x, outer.y + title, outer.width, outer.height - title},
                              {panel.x_label, x_range(panel)}, {panel.y_label, y_range(panel)});
  frame.draw_grid();
  for (const Curve& curve : panel.curves)
    if (!curve.low.empty()) frame.band(curve.x, curve.low, curve.high, curve.pen.colour.with_alpha(0.22));
  for (const Curve& curve : panel.curves) {
    std::vector<Vec2> points;
    for (std::size_t i = 0; i < curve.x.size(); ++i) points.push_back({curve.x[i], curve.y[i]});
    frame.line(points, curve.pen);
  }
  frame.draw_axes();
  draw_stretches(canvas, frame, panel);
  for (const CurvePanel::Mark& mark : panel.marks) draw_mark(canvas, frame, panel, mark);
  if (!panel.title.empty()) frame.draw_title(panel.title);
  if (with_legend) draw_legend_in(canvas, frame.box(), legend_of(panel));
}

}  // namespace

Scale y_range(const CurvePanel& panel) {
  std::vector<double> held;
  const auto hold = [&](const std::vector<double>& values) {
    // Without the highest twentieth, if that is where most of the height would go.
    std::vector<double> kept;
    for (const double value : values)
      if (std::isfinite(value) && (!panel.log_y || value > 0)) kept.push_back(value);
    if (kept.empty()) return;
    std::sort(kept.begin(), kept.end());
    const double low = kept.front();
    const double typical = kept[static_cast<std::size_t>(0.95 * static_cast<double>(kept.size() - 1))];
    const double top = panel.log_y ? kept.back() : std::min(kept.back(), typical + 0.8 * (typical - low));
    held.push_back(low);
    held.push_back(top);
  };
  for (const Curve& curve : panel.curves) {
    hold(curve.y);
    if (panel.log_y) continue;  // a band may go down to 0 there
    hold(curve.low);
    hold(curve.high);
  }
  if (held.empty()) return scale_of({}, panel.log_y);
  const auto [low, high] = std::minmax_element(held.begin(), held.end());
  if (panel.zero) return scale_of({0, 1.08 * *high});
  if (!panel.log_y) {
    // A curve does not run along the edge.
    const double margin = 0.04 * (*high - *low);
    return scale_of({*low - margin, *high + margin});
  }
  return scale_of(held, panel.log_y);
}

std::string draw_curves(const Sheet& sheet, const std::vector<CurvePanel>& panels, int columns,
                        double panel_height, bool one_legend, const std::vector<std::string>& key) {
  const int n = static_cast<int>(panels.size()), rows = (n + columns - 1) / columns;
  const double inside = sheet.width - 2 * kPanelMargin;
  const std::vector<LegendEntry> legend = one_legend ? legend_of(panels.front()) : std::vector<LegendEntry>();
  Canvas ruler(FileKind::svg, 1, 1);
  const double title_high = sheet.title.empty() ? 0 : 1.8 * kTitleText;
  const double legend_high = legend_size(ruler, legend, inside).y;
  const double top = kPanelMargin + title_high + legend_high + (legend.empty() ? 0 : 4);
  std::vector<LegendEntry> words;
  for (const std::string& text : key) words.push_back({LegendEntry::Mark::none, text, {}});
  const double key_high = key.empty() ? 0 : 6 + legend_size(ruler, words, inside).y;
  const double height = top + rows * panel_height + (rows - 1) * kPanelGap + key_high + kPanelMargin;
  const double width = (inside - (columns - 1) * kPanelGap) / columns;
  Canvas canvas(sheet.kind, sheet.width, height, sheet.dpi);
  for (int i = 0; i < n; ++i)
    draw_panel(canvas,
               {kPanelMargin + (i % columns) * (width + kPanelGap),
                top + (i / columns) * (panel_height + kPanelGap), width, panel_height},
               panels[static_cast<std::size_t>(i)], !one_legend);
  if (!sheet.title.empty())
    canvas.text({kPanelMargin, kPanelMargin + kTitleText}, sheet.title, {.size = kTitleText, .bold = true});
  draw_legend(canvas, {kPanelMargin, kPanelMargin + title_high}, legend, inside);
  draw_legend(canvas, {kPanelMargin, height - kPanelMargin - key_high + 6}, words, inside);
  return canvas.finish();
}

Curve mean_curve(std::string label, const Pen& pen, const std::vector<double>& x,
                 const std::vector<std::vector<double>>& runs) {
  Curve curve{std::move(label), pen, x, {}, {}, {}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    RunningMean mean;
    for (const auto& run : runs)
      if (i < run.size() && std::isfinite(run[i])) mean.add(run[i]);
    curve.y.push_back(mean.mean());
    if (runs.size() < 2) continue;
    const double half = 1.96 * mean.standard_error();
    curve.low.push_back(mean.mean() - half);
    curve.high.push_back(mean.mean() + half);
  }
  return curve;
}

std::vector<double> smoothed(const std::vector<double>& values, double width) {
  const auto n = static_cast<std::ptrdiff_t>(values.size());
  std::vector<double> result;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const std::ptrdiff_t reach = std::min({static_cast<std::ptrdiff_t>(3 * width), i, n - 1 - i});
    double sum = 0, weight = 0;
    for (std::ptrdiff_t k = i - reach; k <= i + reach; ++k) {
      const double value = values[static_cast<std::size_t>(k)];
      if (!std::isfinite(value)) continue;
      const double z = static_cast<double>(k - i) / width, w = std::exp(-z * z / 2);
      sum += w * value;
      weight += w;
    }
    result.push_back(sum / weight);
  }
  return result;
}

}  // namespace riemflow::figure
