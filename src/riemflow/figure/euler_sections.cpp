#include "riemflow/figure/euler_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/figure/contour.hpp"
#include "riemflow/figure/line_of_sight.hpp"

namespace riemflow::figure {
namespace {

constexpr double kSectionMargin = 8, kSectionGap = 4, kSectionBarGap = 12, kSectionTitle = 10;
constexpr double kDegrees = std::numbers::pi / 180;
constexpr double kUsualSections = 18, kMostSections = 72;
constexpr double kUsualSpacing = 2.5, kWidthsApart = 0.25;  // of points of sections at their φ2
constexpr double kLeastSpacing = 1, kMostSpacing = 5;       // of points
constexpr double kMostLinesOfSections = 100'000;

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
  for (std::size_t columns = 1; columns <= std::min<std::size_t>(n, 9); ++columns) {
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

namespace {

struct EulerPlace {
  double first, second, third;  // degrees
};

/// All names of an orientation within the ranges, both ends of φ1 and Φ included.
std::vector<EulerPlace> names_within(const EulerSections& sections, const CrystalGroup& group,
                                     const Orientation& R) {
  std::vector<EulerPlace> result;
  for (const auto& s : group.elements) {
    const rotation::EulerAngles e = rotation::bunge_of(rotation::product(R, s));
    const EulerPlace place{e.first / kDegrees, e.second / kDegrees, e.third / kDegrees};
    if (place.first <= sections.first && place.second <= sections.second && place.third < sections.third)
      result.push_back(place);
  }
  return result;
}

std::size_t nearest_section(const EulerSections& sections, double third) {
  return static_cast<std::size_t>(std::lround(third / sections.step)) % sections.sections.size();
}

Orientation at_node(const EulerSections& sections, int column, int row, double third) {
  return rotation::from_bunge({kDegrees * sections.first * column / (sections.n1 - 1),
                               kDegrees * sections.second * row / (sections.n - 1), kDegrees * third});
}

struct SeenDraw {
  EulerPlace place;
  std::size_t draw, section;
};

std::vector<SeenDraw> seen_draws(const EulerSections& sections, const CrystalGroup& group,
                                 const Points<double>& rotations) {
  std::vector<SeenDraw> result;
  for (std::size_t i = 0; i < rotations.size(); ++i)
    for (const EulerPlace& place : names_within(sections, group, orientation_at(rotations, i)))
      result.push_back({place, i, nearest_section(sections, place.third)});
  return result;
}

int nearest_column(const EulerSections& sections, double first) {
  return static_cast<int>(std::lround(first / sections.first * (sections.n1 - 1)));
}
int nearest_row(const EulerSections& sections, double second) {
  return static_cast<int>(std::lround(second / sections.second * (sections.n - 1)));
}

/// The largest density within half a step of φ2.
Sight sight_of_section(const EulerSections& sections, std::size_t which, const std::vector<SeenDraw>& draws) {
  const double third = sections.sections[which].third, half = sections.step / 2;
  Sight sight;
  sight.columns = sections.n1;
  sight.rows = sections.n;
  sight.step = kDegrees * sections.second / (sections.n - 1);
  sight.depths = [third, half](int, int) {
    return Sight::Depths{kDegrees * (third - half), kDegrees * (third + half)};
  };
  sight.rotation = [&sections](int column, int row, double depth) {
    return at_node(sections, column, row, depth / kDegrees);
  };
  for (const auto& [place, draw, section] : draws) {
    if (section != which) continue;
    // The last half step of φ2 is that below the first section, a period further.
    const double depth =
        place.third - third > sections.third / 2 ? place.third - sections.third : place.third;
    sight.draws.push_back(
        {nearest_column(sections, place.first), nearest_row(sections, place.second), kDegrees * depth, draw});
  }
  return sight;
}

void set_spacing(EulerSections& sections, double spacing) {
  sections.n1 = std::max(2, static_cast<int>(std::lround(sections.first / spacing)) + 1);
  sections.n = std::max(2, static_cast<int>(std::lround(sections.second / spacing)) + 1);
}

/// In degrees: half of the narrowest width, unless too many lines of sight are near draws.
double spacing_of(EulerSections sections, const std::vector<SeenDraw>& draws, double width) {
  const double wanted = std::clamp(width / kDegrees / 2, kLeastSpacing, kMostSpacing);
  set_spacing(sections, kMostSpacing);
  const int reach = 1 + static_cast<int>(4 * width / kDegrees / kMostSpacing);
  const auto columns = static_cast<std::size_t>(sections.n1), rows = static_cast<std::size_t>(sections.n);
  std::vector<char> near(sections.sections.size() * rows * columns, 0);
  for (const auto& [place, draw, section] : draws) {
    const int row = nearest_row(sections, place.second), column = nearest_column(sections, place.first);
    for (int r = std::max(0, row - reach); r <= std::min(sections.n - 1, row + reach); ++r)
      for (int c = std::max(0, column - reach); c <= std::min(sections.n1 - 1, column + reach); ++c)
        near[(section * rows + static_cast<std::size_t>(r)) * columns + static_cast<std::size_t>(c)] = 1;
  }
  const auto lines = static_cast<double>(std::count(near.begin(), near.end(), 1));
  return std::min(kMostSpacing, std::max(wanted, kMostSpacing * std::sqrt(lines / kMostLinesOfSections)));
}

}  // namespace

EulerSections euler_sections(const Texture& texture, const SectionChoice& choice) {
  const EulerRange range = euler_range(texture.group);
  EulerSections result;
  result.first = choice.first > 0 ? choice.first : range.first;
  result.second = range.second;
  result.third = range.third;
  result.step = choice.step;
  require(result.first <= 360, fmt::format("‹phi1› {:g}: φ1 goes to 360°", result.first),
          "give 360, 180 or 90", Fault::usage);
  require(choice.step <= range.third,
          fmt::format("‹sections› {:g}: φ2 goes to {:g}°", choice.step, range.third),
          "give the degrees from one section to the next, such as 5", Fault::usage);
  require(choice.step <= 0 || range.third / choice.step <= kMostSections + 1e-9,
          fmt::format("‹sections› {:g}: these are {:.0f} sections of {:g}°", choice.step,
                      std::ceil(range.third / choice.step), range.third),
          fmt::format("give {:g} or more", range.third / kMostSections), Fault::usage);
  if (choice.step <= 0)
    for (const double coarser : {20.0, 10.0, 5.0})
      if (result.step <= 0 || range.third / coarser <= kUsualSections) result.step = coarser;
  for (int k = 0; k * result.step < range.third - 1e-9; ++k) result.sections.push_back({k * result.step, {}});

  const double width = finest_width(texture);
  result.thick = width < kDegrees * result.step;
  const Probes probes = result.thick ? probes_of(texture) : Probes{Points<double>(0, 4), {}};
  const std::vector<SeenDraw> draws = seen_draws(result, texture.group, probes.rotations);
  set_spacing(result, result.thick
                          ? spacing_of(result, draws, width)
                          : std::clamp(kWidthsApart * width / kDegrees, kUsualSpacing, kMostSpacing));
  std::vector<double> all;
  if (result.thick) all.push_back(highest_density(texture, probes, width));
  for (std::size_t which = 0; which < result.sections.size(); ++which) {
    EulerSections::Section& section = result.sections[which];
    if (result.thick) {
      section.density = largest_along(texture, sight_of_section(result, which, draws), probes, width);
    } else {
      Points<double> rotations(0, 4);
      for (int row = 0; row < result.n; ++row)
        for (int column = 0; column < result.n1; ++column)
          add_orientation(rotations, at_node(result, column, row, section.third));
      section.density = multiples_of_uniform(texture, rotations);
    }
    all.insert(all.end(), section.density.begin(), section.density.end());
  }
  result.bar = multiples_bar(all, choice.log_scale);
  result.levels = multiples_levels(all);
  return result;
}

void add_to_sections(EulerSections& sections, const CrystalGroup& group, const Cloud& legend,
                     const Points<double>& rotations) {
  sections.dots.resize(sections.sections.size());
  for (auto& of_section : sections.dots) of_section.emplace_back();
  sections.clouds.push_back(legend);
  for (const auto& [place, draw, section] : seen_draws(sections, group, rotations))
    sections.dots[section].back().push_back({place.first, place.second});
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
  double dot = 0;
  for (std::size_t k = 0; k < sections.clouds.size(); ++k) {
    std::size_t most = 1;
    for (const auto& of_section : sections.dots) most = std::max(most, of_section[k].size());
    dot = std::clamp(grid.width / 140, 0.4, 1.0) * dot_radius(4 * most);
    legend.push_back(
        {LegendEntry::Mark::dot, sections.clouds[k].label, {sections.clouds[k].colour}, std::max(1.5, dot)});
  }
  if (!sections.clouds.empty())
    legend.push_back({LegendEntry::Mark::none, "points are in the section nearest to their φ₂", {}});
  if (!sections.levels.empty())
    legend.push_back({LegendEntry::Mark::line, multiples_key(sections.levels), {kInk, 0.6}});
  if (sections.thick)
    legend.push_back(
        {LegendEntry::Mark::none,
         fmt::format("colours: the largest density within {}° of φ₂", short_number(sections.step / 2)),
         {}});
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
    for (std::size_t k = 0; k < sections.clouds.size(); ++k)
      frame.dots(sections.dots[i][k], dot,
                 sections.clouds[k].colour.with_alpha(dot_opacity(8 * sections.dots[i][k].size())));
    frame.draw_axes(i + grid.columns >= n, column == 0);
    canvas.text({box.x + grid.width / 2, box.y - 2.5}, "φ₂ = " + short_number(section.third, 4) + "°",
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
