#include "riemflow/figure/axis_angle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

constexpr double kBallMargin = 8, kBallGap = 12, kBallBarGap = 12, kBallTitle = 12;
constexpr double kSmallestBall = 70;  // diameter
constexpr double kPi = std::numbers::pi;
const Colour kBallDots = kBlue;

void add_rotation(Points<double>& rotations, const rotation::Vector<double>& vector) {
  const auto q = rotation::from_vector(vector);
  rotations.values.insert(rotations.values.end(), q.begin(), q.end());
}

/// NaN counts as nothing.
void raise_to(double& largest, double value) {
  if (!(largest >= value) && !std::isnan(value)) largest = value;
}

}  // namespace

AxisAngleViews axis_angle_views(const Texture& texture, int points) {
  const int n = std::max(5, points - (points + 1) % 2) + 6, middle = n / 2;
  AxisAngleViews views;
  for (DiscLattice& lattice : views.density) lattice = DiscLattice(n);
  const double step = views.density[0].step();

  Points<double> rotations;
  rotations.dimension = 4;
  std::vector<std::array<int, 3>> places;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const rotation::Vector<double> r = {(i - middle) * step, (j - middle) * step, (k - middle) * step};
        if (std::hypot(r[0], r[1], r[2]) > 1) continue;
        places.push_back({i, j, k});
        add_rotation(rotations, {kPi * r[0], kPi * r[1], kPi * r[2]});
      }
  const std::vector<double> density = multiples_of_uniform(texture, rotations);
  for (std::size_t m = 0; m < places.size(); ++m)
    for (std::size_t view = 0; view < 3; ++view) {
      const auto [x, y] = kBallViews[view];
      raise_to(views.density[view].at(places[m][static_cast<std::size_t>(x)],
                                      places[m][static_cast<std::size_t>(y)]),
               density[m]);
    }

  std::vector<double> all;
  // The ends of the lines of sight, on the surface of the ball, which no lattice meets; beyond the rim the
  // rim's own.
  for (std::size_t view = 0; view < 3; ++view) {
    const auto x = static_cast<std::size_t>(kBallViews[view][0]),
               y = static_cast<std::size_t>(kBallViews[view][1]);
    DiscLattice& lattice = views.density[view];
    Points<double> ends;
    ends.dimension = 4;
    std::vector<std::array<int, 2>> nodes;
    for (int iy = 0; iy < n; ++iy)
      for (int ix = 0; ix < n; ++ix) {
        if (!lattice.has_value(ix, iy)) continue;
        const Vec2 at = lattice.place(ix, iy);
        const double length = std::max(1.0, std::hypot(at.x, at.y));
        for (const double side : {-1.0, 1.0}) {
          rotation::Vector<double> r{};
          r[x] = kPi * at.x / length;
          r[y] = kPi * at.y / length;
          r[3 - x - y] = side * std::sqrt(std::max(0.0, kPi * kPi - r[x] * r[x] - r[y] * r[y]));
          nodes.push_back({ix, iy});
          add_rotation(ends, r);
        }
      }
    const std::vector<double> values = multiples_of_uniform(texture, ends);
    for (std::size_t m = 0; m < nodes.size(); ++m) raise_to(lattice.at(nodes[m][0], nodes[m][1]), values[m]);
    const std::vector<double> inside = lattice.inside();
    all.insert(all.end(), inside.begin(), inside.end());
  }
  views.bar = multiples_bar(all);
  views.bar.label = "multiples of uniform";
  return views;
}

std::array<std::vector<Vec2>, 3> axis_angle_dots(const Points<double>& rotations) {
  std::array<std::vector<Vec2>, 3> dots;
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const auto q = rotations[i];
    const auto r = rotation::vector_of({q[0], q[1], q[2], q[3]});
    for (std::size_t view = 0; view < 3; ++view)
      dots[view].push_back({r[static_cast<std::size_t>(kBallViews[view][0])] / kPi,
                            r[static_cast<std::size_t>(kBallViews[view][1])] / kPi});
  }
  return dots;
}

std::string draw_axis_angle(const Sheet& sheet, const AxisAngleViews& views) {
  const std::array<std::string, 3> names = {"turn about x", "turn about y", "turn about z"};
  const std::array<std::string, 3> titles = {"seen along z", "seen along y", "seen along x"};
  const bool has_density = views.density[0].n > 0;
  Canvas ruler(FileKind::svg, 1, 1);
  const auto axis = [&](int i) {
    Axis result = degree_axis(names[static_cast<std::size_t>(i)], -180, 180, 5);
    result.ticks = {{-180, "−180°"}, {-90, "−90°"}, {0, "0°"}, {90, "90°"}, {180, "180°"}};
    return result;
  };
  const double left = Frame::room_left(ruler, axis(0)), below = Frame::room_below(axis(0));
  const double bar_room = has_density ? kBallBarGap + kBarThickness + views.bar.room(ruler) : 0;
  const double inside = sheet.width - 2 * kBallMargin;
  // Three in a row, or fewer where they would be too small to be read.
  std::size_t columns = 3;
  const auto side_of = [&](std::size_t in_a_row) {
    const auto k = static_cast<double>(in_a_row);
    return (inside - bar_room - (k - 1) * kBallGap) / k - left;
  };
  while (columns > 1 && side_of(columns) < kSmallestBall) --columns;
  const std::size_t rows = (3 + columns - 1) / columns;
  const double side = std::max(20.0, side_of(columns)), row = kBallTitle + side + below;

  std::vector<LegendEntry> legend;
  std::size_t most = 0;
  for (const auto& dots : views.dots) most = std::max(most, dots.size());
  const double dot = std::clamp(side / 280, 0.6, 1.0) * dot_radius(most);
  if (most > 0 && !views.dots_label.empty())
    legend.push_back({LegendEntry::Mark::dot, views.dots_label, {kBallDots}, std::max(1.5, dot)});
  std::vector<std::string> words = {"rotations as vectors: along the axis, as long as the angle",
                                    "circles at 60°, 120° and 180°"};
  if (has_density) words.push_back("colours: the largest density along the line of sight");
  for (const std::string& text : words) legend.push_back({LegendEntry::Mark::none, text, {}});
  const double legend_high = legend_size(ruler, legend, inside).y;
  const double top = kBallMargin + (sheet.title.empty() ? 0 : 1.8 * kTitleText);
  const double body = static_cast<double>(rows) * row + static_cast<double>(rows - 1) * kBallGap / 2;
  Canvas canvas(sheet.kind, sheet.width, top + body + 4 + legend_high + kBallMargin, sheet.dpi);
  if (!sheet.title.empty())
    canvas.text({kBallMargin, kBallMargin + kTitleText}, sheet.title, {.size = kTitleText, .bold = true});

  for (std::size_t view = 0; view < 3; ++view) {
    const Box box{kBallMargin + left + static_cast<double>(view % columns) * (side + left + kBallGap),
                  top + static_cast<double>(view / columns) * (row + kBallGap / 2) + kBallTitle, side, side};
    Frame frame(canvas, box, axis(kBallViews[view][0]), axis(kBallViews[view][1]));
    const DiscView disc{{box.x + side / 2, box.y + side / 2}, side / 2};
    if (has_density) draw_lattice(canvas, disc, views.density[view], views.bar.scale);
    const Pen net{kInk.with_alpha(0.3), 0.3};
    canvas.stroke(Lines{{{disc.on_sheet({-1, 0}), disc.on_sheet({1, 0})}},
                        {{disc.on_sheet({0, -1}), disc.on_sheet({0, 1})}}},
                  net);
    for (const double share : {1.0 / 3, 2.0 / 3}) canvas.circle(disc.centre, share * disc.radius, net);
    std::vector<Vec2> dots;
    for (const Vec2 place : views.dots[view]) dots.push_back(disc.on_sheet(place));
    canvas.dots(dots, dot, kBallDots.with_alpha(dot_opacity(dots.size())), dot > 0.85 ? 0.25 : 0);
    canvas.circle(disc.centre, disc.radius, {kInk, 0.8});
    frame.draw_axes();
    canvas.text({box.x + side / 2, box.y - 4}, titles[view], {.size = kTickText, .align = Align::centre});
  }
  if (has_density)
    views.bar.draw(
        canvas, {sheet.width - kBallMargin - bar_room + kBallBarGap, top + kBallTitle, kBarThickness, side});
  draw_legend(canvas, {kBallMargin, top + body + 4}, legend, inside);
  return canvas.finish();
}

}  // namespace riemflow::figure
