#include "riemflow/figure/pole_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/text.hpp"
#include "riemflow/figure/legend.hpp"
#include "riemflow/figure/pole_draws.hpp"
#include "riemflow/figure/pole_top.hpp"

namespace riemflow::figure {
namespace {

constexpr double kPoleMargin = 8, kPoleGap = 10, kPoleBarGap = 12;
constexpr double kAbovePole = 13, kBelowPole = 12, kBesidePole = 12;
constexpr double kLargestPole = 120;  // radius
// Of the lattice of fibres, in deviations: on a radius, and along a fibre.
constexpr double kStepAcross = 0.3, kStepAround = 1.6;
constexpr int kLeastAcross = 21, kLeastAround = 16;
constexpr std::size_t kPoleDraws = 1'000'000;
constexpr int kAcrossOfDraws = 401;

int odd_above(double number) { return 2 * static_cast<int>(std::ceil((number - 1) / 2)) + 1; }

/// The two axes, and the directions 30° and 60° from Z.
void draw_pole_net(Canvas& canvas, const DiscView& view) {
  const Pen pen{kInk.with_alpha(0.3), 0.3};
  for (const double angle : {30.0, 60.0}) {
    const Vec2 at = view.on_sheet({std::numbers::sqrt2 * std::sin(angle / 2 * std::numbers::pi / 180), 0});
    canvas.circle(view.centre, std::hypot(at.x - view.centre.x, at.y - view.centre.y), pen);
  }
  canvas.stroke(Lines{{{view.on_sheet({-1, 0}), view.on_sheet({1, 0})}},
                      {{view.on_sheet({0, -1}), view.on_sheet({0, 1})}}},
                pen);
}

/// Outside of the rim, where an axis of the sample comes out of it.
void draw_sample_axes(Canvas& canvas, const DiscView& view, const std::array<std::string, 2>& names) {
  constexpr double kAxisMark = 2.5, kAxisMarkGap = 2;
  for (const std::size_t i : {0u, 1u}) {
    const Vec2 rim = view.on_sheet(i == 0 ? Vec2{1, 0} : Vec2{0, 1});
    const Vec2 out{(rim.x - view.centre.x) / view.radius, (rim.y - view.centre.y) / view.radius};
    canvas.stroke(Line{{rim, {rim.x + kAxisMark * out.x, rim.y + kAxisMark * out.y}}}, {kInk, 0.8});
    const double far = kAxisMark + kAxisMarkGap;
    const Align align = out.x > 0.5 ? Align::left : out.x < -0.5 ? Align::right : Align::centre;
    canvas.text({rim.x + far * out.x, rim.y + far * out.y}, names[i],
                {.size = kLabelText, .align = align, .rise = out.y < -0.5 ? Rise::baseline : Rise::middle});
  }
}

/// Both if there is room for them, else the largest alone.
std::string extremes(Canvas& canvas, const PoleFigure& panel, double room) {
  const std::vector<double> values = panel.density.inside();
  double low = INFINITY, high = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high) return "";
  if (!std::isnan(panel.highest)) high = panel.highest;
  const auto text = [](double value) {
    return number_text(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
  };
  const std::string both = "min " + text(low) + ", max " + text(high);
  return canvas.text_width(both, {.size = kTickText}) < room ? both : "max " + text(high);
}

void draw_pole_figure(Canvas& canvas, const DiscView& view, const PoleFigures& figures,
                      const PoleFigure& panel, double dot, double above) {
  const bool has_density = panel.density.n > 0;
  if (has_density) draw_lattice(canvas, view, panel.density, figures.bar.scale);
  {
    const Canvas::Clip clip(canvas, Lines{ring(view.centre, view.radius, 720)});
    draw_pole_net(canvas, view);
    if (has_density) {
      const std::vector<Lines> contours = lattice_contours(view, panel.density, figures.levels);
      for (std::size_t i = 0; i < contours.size(); ++i) {
        canvas.stroke(contours[i], {kWhite.with_alpha(0.55), 1.1});
        canvas.stroke(contours[i], multiples_pen(figures.levels[i]));
      }
    }
  }
  canvas.circle(view.centre, view.radius, {kInk, 0.9});
  for (const Cloud& cloud : panel.clouds) {
    std::vector<Vec2> dots;
    for (const Vec2 pole : cloud.points) dots.push_back(view.on_sheet(pole));
    canvas.dots(dots, dot, cloud.colour.with_alpha(dot_opacity(dots.size())), dot > 0.85 ? 0.25 : 0);
  }
  draw_sample_axes(canvas, view, figures.axes);
  canvas.text({view.centre.x - view.radius, view.centre.y - view.radius - above}, panel.label,
              {.size = kTitleText, .align = Align::left, .bold = true});
  if (has_density)
    canvas.text({view.centre.x, view.centre.y + view.radius + kBelowPole - 3},
                extremes(canvas, panel, 2 * view.radius + kPoleGap),
                {.size = kTickText, .align = Align::centre});
}

}  // namespace

PoleFigures pole_figures(const Texture& texture, const std::vector<CrystalDirection>& directions,
                         std::optional<bool> log_scale) {
  const double width = finest_width(texture);
  const int across = odd_above(std::max<double>(kLeastAcross, 2 / (kStepAcross * width)));
  const int around =
      std::max(kLeastAround, static_cast<int>(std::ceil(2 * std::numbers::pi / (kStepAround * width))));
  double evaluations = 0;
  for (const CrystalDirection& direction : directions) {
    const PoleFibres fibres = pole_fibres(texture.group, direction.h);
    evaluations += std::numbers::pi / 4 * across * across * around * fibres.period / (2 * std::numbers::pi) *
                   static_cast<double>(fibres.ends.size());
  }
  const bool by_draws = texture.draws && evaluations * texture.draws_a_value > kPoleDraws;
  const Points<double> draws = by_draws ? texture.draws(kPoleDraws) : Points<double>(0, 4);

  PoleFigures figures;
  std::vector<double> all;
  for (const CrystalDirection& direction : directions) {
    const PoleFibres fibres = pole_fibres(texture.group, direction.h);
    PoleFigure& panel = figures.panels.emplace_back(PoleFigure{direction.name, {}});
    panel.density = by_draws ? pole_lattice_of_draws(fibres, draws, kAcrossOfDraws)
                             : pole_lattice(texture, direction.h, across, around);
    panel.highest = highest_pole_density(texture, fibres, panel.density, width, draws);
    // What is drawn may be above the largest by the error of the draws.
    for (const double value : panel.density.inside()) all.push_back(std::min(value, panel.highest));
    all.push_back(panel.highest);
  }
  figures.levels = multiples_levels(all);
  figures.bar = multiples_bar(all, log_scale);
  if (by_draws) {
    // A step on the sheet is √2 as much of an angle in the middle.
    const double step = std::numbers::sqrt2 * figures.panels[0].density.step();
    figures.note = fmt::format("colours: {} draws of the model", counted(draws.size()));
    if (width < 2 * step)
      figures.note += fmt::format(", blurred to {}°; maxima are not blurred",
                                  short_number(step * 180 / std::numbers::pi, 1));
  }
  return figures;
}

std::string draw_pole_figures(const Sheet& sheet, const PoleFigures& figures) {
  const std::size_t n = figures.panels.size(), columns = std::clamp<std::size_t>(n, 1, 4),
                    rows = (n + columns - 1) / columns;
  const bool has_density = std::any_of(figures.panels.begin(), figures.panels.end(),
                                       [](const PoleFigure& panel) { return panel.density.n > 0; });
  std::size_t most_dots = 0;
  for (const PoleFigure& panel : figures.panels) {
    std::size_t dots = 0;
    for (const Cloud& cloud : panel.clouds) dots += cloud.points.size();
    most_dots = std::max(most_dots, dots);
  }

  Canvas ruler(FileKind::svg, 1, 1);
  // The names of the axes at the side and above.
  const std::string& beside = figures.axes[figures.x_up ? 1 : 0];
  const double side = std::max(kBesidePole, 6 + ruler.text_width(beside, {.size = kLabelText}));
  const double bar_room = has_density ? kPoleBarGap + kBarThickness + figures.bar.room(ruler) : 0;
  const double inside = sheet.width - 2 * kPoleMargin;
  const double gaps = static_cast<double>(columns - 1) * kPoleGap;
  const double radius =
      std::clamp(((inside - bar_room - gaps) / static_cast<double>(columns) - side) / 2, 10.0, kLargestPole);
  const double cell = 2 * radius + side, for_panels = static_cast<double>(columns) * cell + gaps;
  // A name that would run into the axis above has a row of its own.
  double longest = 0;
  for (const PoleFigure& panel : figures.panels)
    longest = std::max(longest, ruler.text_width(panel.label, {.size = kTitleText, .bold = true}));
  longest += 4 + ruler.text_width(figures.axes[figures.x_up ? 0 : 1], {.size = kLabelText}) / 2;
  const double raised = longest > radius ? kTitleText + 1 : 0, above = kAbovePole + raised;
  const double row = above + 2 * radius + kBelowPole;
  ColourBar bar = figures.bar;
  if (ruler.text_width(bar.label, {.size = kLabelText}) > 2 * radius + above + kBelowPole)
    bar.label = kShortLabel;

  std::vector<LegendEntry> legend;
  const double dot = std::clamp(2 * radius / 280, 0.6, 1.0) * dot_radius(most_dots);
  if (n > 0)
    for (const Cloud& cloud : figures.panels[0].clouds)
      legend.push_back({LegendEntry::Mark::dot, cloud.label, {cloud.colour}, std::max(1.5, dot)});
  if (has_density && !figures.levels.empty())
    legend.push_back({LegendEntry::Mark::line, multiples_key(figures.levels), {kInk, 0.6}});
  legend.push_back({LegendEntry::Mark::none,
                    figures.projection == HemisphereProjection::equal_area
                        ? "upper hemisphere, equal area; circles 30° and 60° from Z"
                        : "upper hemisphere, stereographic; circles 30° and 60° from Z",
                    {}});
  if (!figures.note.empty()) legend.push_back({LegendEntry::Mark::none, figures.note, {}});
  const Vec2 legend_room = legend_size(ruler, legend, inside);

  const double top = kPoleMargin + (sheet.title.empty() ? 0 : 1.8 * kTitleText);
  const double body = static_cast<double>(rows) * row + static_cast<double>(rows - 1) * kPoleGap;
  const double title = ruler.text_width(sheet.title, {.size = kTitleText, .bold = true});
  const double width =
      std::min(sheet.width, 2 * kPoleMargin + std::max({for_panels + bar_room, legend_room.x, title}));
  Canvas canvas(sheet.kind, width, top + body + 4 + legend_room.y + kPoleMargin, sheet.dpi);
  if (!sheet.title.empty())
    canvas.text({kPoleMargin, kPoleMargin + kTitleText}, sheet.title, {.size = kTitleText, .bold = true});
  for (std::size_t i = 0; i < n; ++i) {
    const double x = kPoleMargin + static_cast<double>(i % columns) * (cell + kPoleGap) +
                     (figures.x_up ? side : 0),
                 y = top + static_cast<double>(i / columns) * (row + kPoleGap);
    draw_pole_figure(canvas, {{x + radius, y + above + radius}, radius, figures.projection, figures.x_up},
                     figures, figures.panels[i], dot, raised);
  }
  if (has_density)
    bar.draw(canvas, {kPoleMargin + for_panels + kPoleBarGap, top + above, kBarThickness,
                      std::min(body - above - kBelowPole, 260.0)});
  draw_legend(canvas, {kPoleMargin, top + body + 4}, legend, inside);
  return canvas.finish();
}

}  // namespace riemflow::figure
