#include "riemflow/figure/euler_sections.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/figure/contour.hpp"

namespace riemflow::figure {
namespace {

constexpr double kSectionMargin = 8, kSectionGap = 4, kSectionBarGap = 12, kSectionTitle = 10;
constexpr double kDegrees = std::numbers::pi / 180;
constexpr double kMostSections = 18;

/// Values at points as cells, which reach half a step beyond the ends.
Image image_of_section(const EulerSections& all, const EulerSections::Section& section) {
  Image image(all.n1, all.n);
  for (int row = 0; row < all.n; ++row)
    for (int column = 0; column < all.n1; ++column)
      image.at(column, row) = all.bar.scale.colour(
          section.density[static_cast<std::size_t>(row) * static_cast<std::size_t>(all.n1) +
                          static_cast<std::size_t>(column)]);
  return image;
}

Axis angle_axis(std::string label, double to, double step) {
  Axis axis;
  axis.label = std::move(label);
  axis.scale = {0, to, false};
  for (double at = 0; at <= to + 1e-9; at += step) axis.ticks.push_back({at, number_text(at, 0) + "°"});
  return axis;
}

double step_of_ticks(double range) { return range > 180 ? 90 : range > 90 ? 45 : range > 60 ? 30 : 15; }

struct Grid {
  std::size_t columns = 1, rows = 1;
  double width = 0, height = 0;  // of a section
};

/// As many columns as make the sheet about as high as wide.
Grid arranged(const EulerSections& sections, double width, double gap) {
  Grid best;
  double least = INFINITY;
  const std::size_t n = sections.sections.size();
  for (std::size_t columns = 1; columns <= std::min<std::size_t>(n, 6); ++columns) {
    Grid grid{columns, (n + columns - 1) / columns, 0, 0};
    const double gaps = static_cast<double>(columns - 1) * gap;
    grid.width = (width - gaps) / static_cast<double>(columns);
    grid.height = grid.width * sections.second / sections.first;
    const double high = static_cast<double>(grid.rows) * (grid.height + kSectionTitle + kSectionGap);
    const double empty = static_cast<double>(grid.rows * columns - n) / static_cast<double>(n);
    const double badness = std::abs(std::log(high / width)) + empty;
    if (badness >= least) continue;
    least = badness;
    best = grid;
  }
  return best;
}

}  // namespace

EulerRange euler_range(const CrystalGroup& group) {
  int around = 0;
  bool over = false;
  for (const auto& s : group.elements) {
    const double z = rotation::rotated(s, {0, 0, 1})[2];
    around += z > 1 - 1e-9;
    over = over || z < -1 + 1e-9;
  }
  return {360, over ? 90.0 : 180.0, 360.0 / around};
}

EulerSections euler_sections(const Texture& texture, double first, double step, double spacing) {
  const EulerRange range = euler_range(texture.group);
  EulerSections result;
  result.first = first;
  result.second = range.second;
  result.n1 = std::max(2, static_cast<int>(std::lround(result.first / spacing)) + 1);
  result.n = std::max(2, static_cast<int>(std::lround(result.second / spacing)) + 1);
  if (step <= 0)
    for (const double coarser : {20.0, 10.0, 5.0})
      if (step <= 0 || range.third / coarser <= kMostSections) step = coarser;
  std::vector<double> thirds;
  for (int k = 0; k * step < range.third - 1e-9; ++k) thirds.push_back(k * step);

  const std::size_t points = static_cast<std::size_t>(result.n1) * static_cast<std::size_t>(result.n);
  std::vector<double> all;
  for (const double third : thirds) {
    Points<double> rotations(points, 4);
    std::size_t next = 0;
    for (int row = 0; row < result.n; ++row)
      for (int column = 0; column < result.n1; ++column) {
        const auto q =
            rotation::from_bunge({kDegrees * result.first * column / (result.n1 - 1),
                                  kDegrees * result.second * row / (result.n - 1), kDegrees * third});
        std::copy(q.begin(), q.end(), rotations[next++].begin());
      }
    result.sections.push_back({third, multiples_of_uniform(texture, rotations)});
    all.insert(all.end(), result.sections.back().density.begin(), result.sections.back().density.end());
  }
  result.bar = multiples_bar(all);
  result.levels = multiples_levels(all);
  return result;
}

std::string draw_euler_sections(const Sheet& sheet, const EulerSections& sections) {
  const Axis x = angle_axis("φ₁", sections.first, step_of_ticks(sections.first));
  const Axis y = angle_axis("Φ", sections.second, step_of_ticks(sections.second));
  Canvas ruler(FileKind::svg, 1, 1);
  const double left = Frame::room_left(ruler, y), below = Frame::room_below(x);
  // Between the last number of a section and the first of the next.
  const double gap = widest(ruler, x.ticks) + 2;
  const double bar_room = kSectionBarGap + gap / 2 + kBarThickness + sections.bar.room(ruler);
  const double inside = sheet.width - 2 * kSectionMargin;
  const Grid grid = arranged(sections, std::max(40.0, inside - left - bar_room), gap);

  std::vector<LegendEntry> legend;
  if (!sections.levels.empty())
    legend.push_back({LegendEntry::Mark::line, multiples_key(sections.levels), {kInk, 0.6}});
  const double legend_high = legend_size(ruler, legend, inside).y;
  const double top = kSectionMargin + (sheet.title.empty() ? 0 : 1.8 * kTitleText);
  const double row = kSectionTitle + grid.height;
  const double body = static_cast<double>(grid.rows) * row + static_cast<double>(grid.rows - 1) * kSectionGap;
  Canvas canvas(sheet.kind, sheet.width,
                top + body + below + (legend.empty() ? 0 : 4 + legend_high) + kSectionMargin, sheet.dpi);
  if (!sheet.title.empty())
    canvas.text({kSectionMargin, kSectionMargin + kTitleText}, sheet.title,
                {.size = kTitleText, .bold = true});

  // Cells reach half a step beyond the ends, where their points are.
  const double half_x = sections.first / (sections.n1 - 1) / 2,
               half_y = sections.second / (sections.n - 1) / 2;
  const std::size_t n = sections.sections.size();
  for (std::size_t i = 0; i < n; ++i) {
    const EulerSections::Section& section = sections.sections[i];
    const std::size_t column = i % grid.columns;
    const Box box{kSectionMargin + left + static_cast<double>(column) * (grid.width + gap),
                  top + static_cast<double>(i / grid.columns) * (row + kSectionGap) + kSectionTitle,
                  grid.width, grid.height};
    // Φ downwards: a scale from its end to 0.
    Axis down = y;
    down.scale = {sections.second, 0, false};
    Frame frame(canvas, box, x, down);
    frame.image(image_of_section(sections, section), {-half_x, sections.first + half_x, false},
                {sections.second + half_y, -half_y, false});
    for (const double level : sections.levels) {
      Lines lines = contour({sections.n, sections.n1, section.density}, level);
      for (Line& line : lines)
        for (Vec2& p : line.points) p = {2 * half_x * p.x, 2 * half_y * p.y};
      frame.lines(lines, {kWhite.with_alpha(0.55), 1});
      frame.lines(lines, multiples_pen(level));
    }
    frame.draw_axes(i + grid.columns >= n, column == 0);
    canvas.text({box.x + grid.width / 2, box.y - 2.5}, "φ₂ = " + number_text(section.third, 0) + "°",
                {.size = kTickText, .align = Align::centre});
  }
  ColourBar bar = sections.bar;
  if (ruler.text_width(bar.label, {.size = kLabelText}) > body + below) bar.label = kShortLabel;
  bar.draw(canvas, {sheet.width - kSectionMargin - bar_room + kSectionBarGap + gap / 2, top + kSectionTitle,
                    kBarThickness, std::min(body - kSectionTitle, 260.0)});
  draw_legend(canvas, {kSectionMargin, top + body + below + 4}, legend, inside);
  return canvas.finish();
}

}  // namespace riemflow::figure
