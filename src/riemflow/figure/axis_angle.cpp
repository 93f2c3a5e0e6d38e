#include "riemflow/figure/axis_angle.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/figure/fibre.hpp"
#include "riemflow/figure/line_of_sight.hpp"

namespace riemflow::figure {
namespace {

constexpr double kBallMargin = 8, kBallGap = 12, kBallBarGap = 12, kBallTitle = 12;
constexpr double kSmallestBall = 70;  // diameter
constexpr double kPi = std::numbers::pi;
constexpr int kLeastLines = 61, kMostLines = 401;  // across the ball
constexpr double kMostSeen = 25'000;               // lines of a view that are looked at closely
constexpr double kLinesToWidth = 2;
constexpr int kSilhouette = 720;

rotation::Vector<double> in_view(std::size_t view, double x, double y, double depth) {
  rotation::Vector<double> r{};
  const auto [i, k] = kBallViews[view];
  r[static_cast<std::size_t>(i)] = x;
  r[static_cast<std::size_t>(k)] = y;
  r[static_cast<std::size_t>(3 - i - k)] = depth;
  return r;
}

/// What is seen of the zone from a side, as lines through the points of a lattice. Beyond the silhouette the
/// lattice has what is seen at the nearest place of it.
Sight sight_of(const FundamentalZone& zone, std::size_t view, int points,
               const std::vector<rotation::Vector<double>>& draws) {
  DiscLattice lattice;
  lattice.n = points;
  const double scale = zone.radius();
  const auto place_of = [&zone, view, lattice, scale](int column, int row) {
    Vec2 at = lattice.place(column, row);
    at = {scale * at.x, scale * at.y};
    const double r = std::hypot(at.x, at.y);
    const double most = r == 0 ? scale : zone.largest_angle(in_view(view, at.x / r, at.y / r, 0));
    const double shrunk = std::min(1.0, (1 - 1e-9) * most / std::max(r, 1e-300));
    return std::pair{Vec2{shrunk * at.x, shrunk * at.y}, r - most};
  };
  Sight sight;
  sight.columns = sight.rows = lattice.n;
  sight.step = scale * lattice.step();
  sight.depths = [&zone, view, place_of, beyond = 3 * sight.step](int column,
                                                                  int row) -> std::optional<Sight::Depths> {
    const auto [at, outside] = place_of(column, row);
    if (outside > beyond) return std::nullopt;
    // The zone is convex in tan(ω/2) n and its own mirror image in the planes of x, y and z.
    double inside = 0, beyond_it = kPi;
    for (int k = 0; k < 20; ++k) {
      const double depth = (inside + beyond_it) / 2, angle = std::hypot(at.x, at.y, depth);
      const auto r = in_view(view, at.x / angle, at.y / angle, depth / angle);
      (angle <= zone.largest_angle(r) ? inside : beyond_it) = depth;
    }
    return Sight::Depths{-inside, inside};
  };
  sight.rotation = [view, place_of](int column, int row, double depth) {
    const Vec2 at = place_of(column, row).first;
    return rotation::from_vector(in_view(view, at.x, at.y, depth));
  };
  const auto [i, k] = kBallViews[view];
  const auto node = [&](double coordinate) {
    return static_cast<int>(std::lround((coordinate / scale + 1) / lattice.step() + 3));
  };
  for (std::size_t draw = 0; draw < draws.size(); ++draw) {
    const auto& r = draws[draw];
    sight.draws.push_back({node(r[static_cast<std::size_t>(i)]), node(r[static_cast<std::size_t>(k)]),
                           r[static_cast<std::size_t>(3 - i - k)], draw});
  }
  return sight;
}

/// Across the ball: enough for the narrowest places, if not too many of them would have to be looked at.
int lines_across(const FundamentalZone& zone, const std::vector<rotation::Vector<double>>& draws,
                 double width) {
  const double wanted = std::min(2 * zone.radius() * kLinesToWidth / width, static_cast<double>(kMostLines));
  // The part of a disc that lies near draws, in cells of the coarsest lattice.
  const int coarse = kLeastLines + 6;
  const Sight sight = sight_of(zone, 0, coarse, draws);
  const int reach = 1 + static_cast<int>(4 * width / sight.step);
  std::vector<char> near(static_cast<std::size_t>(coarse) * coarse, 0);
  for (const Sight::Place& place : sight.draws)
    for (int row = std::max(0, place.row - reach); row <= std::min(coarse - 1, place.row + reach); ++row)
      for (int column = std::max(0, place.column - reach);
           column <= std::min(coarse - 1, place.column + reach); ++column)
        near[static_cast<std::size_t>(row) * coarse + static_cast<std::size_t>(column)] = 1;
  const auto cells = static_cast<double>(std::count(near.begin(), near.end(), 1));
  const double most = kLeastLines * std::sqrt(kMostSeen / std::max(1.0, cells));
  const int lines = static_cast<int>(std::max<double>(kLeastLines, std::min(wanted, most)));
  return lines - (lines + 1) % 2;
}

/// By the least of their angles.
std::vector<rotation::Vector<double>> least_vectors(const CrystalGroup& group,
                                                    const Points<double>& rotations) {
  std::vector<rotation::Vector<double>> vectors;
  for (std::size_t i = 0; i < rotations.size(); ++i)
    vectors.push_back(rotation::vector_of(least_turn(group, orientation_at(rotations, i))));
  return vectors;
}

}  // namespace

FundamentalZone::FundamentalZone(const CrystalGroup& group) : radius_(kPi) {
  for (const auto& s : group.elements) {
    const double sine = std::hypot(s[1], s[2], s[3]), most = std::tan(rotation::angle(s) / 4);
    if (sine < 1e-9) continue;
    const rotation::Vector<double> axis = {s[1] / sine, s[2] / sine, s[3] / sine};
    // Of the turns about one axis the least bounds most.
    const auto same = std::find_if(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
      return std::abs(inner_product(bound.axis, axis)) > 1 - 1e-9;
    });
    if (same == bounds_.end())
      bounds_.push_back({axis, most});
    else
      same->most = std::min(same->most, most);
  }
  if (bounds_.empty()) return;
  radius_ = 0;
  for (const std::size_t view : {0u, 1u, 2u})
    for (int k = 0; k < kSilhouette; ++k) {
      const double angle = 2 * kPi * k / kSilhouette;
      radius_ = std::max(radius_, largest_angle(in_view(view, std::cos(angle), std::sin(angle), 0)));
    }
}

double FundamentalZone::largest_angle(const rotation::Vector<double>& n) const {
  double least = INFINITY;  // of tan(ω/2)
  for (const Bound& bound : bounds_)
    least = std::min(least, bound.most / std::abs(inner_product(n, bound.axis)));
  return 2 * std::atan(least);
}

AxisAngleViews axis_angle_views(const Texture& texture, std::optional<bool> log_scale) {
  AxisAngleViews views{FundamentalZone(texture.group)};
  const double width = finest_width(texture);
  const Probes probes = probes_of(texture);
  const std::vector<rotation::Vector<double>> vectors = least_vectors(texture.group, probes.rotations);
  const int across = lines_across(views.zone, vectors, width);
  std::vector<double> all = {highest_density(texture, probes, width)};
  for (std::size_t view = 0; view < 3; ++view) {
    DiscLattice& lattice = views.density[view] = DiscLattice(across + 6);
    lattice.values = largest_along(texture, sight_of(views.zone, view, lattice.n, vectors), probes, width);
    const std::vector<double> inside = lattice.inside();
    all.insert(all.end(), inside.begin(), inside.end());
  }
  views.bar = multiples_bar(all, log_scale);
  views.bar.label = "multiples of uniform";
  return views;
}

std::array<std::vector<Vec2>, 3> axis_angle_dots(const CrystalGroup& group, const FundamentalZone& zone,
                                                 const Points<double>& rotations) {
  std::array<std::vector<Vec2>, 3> dots;
  for (const auto& r : least_vectors(group, rotations))
    for (std::size_t view = 0; view < 3; ++view)
      dots[view].push_back({r[static_cast<std::size_t>(kBallViews[view][0])] / zone.radius(),
                            r[static_cast<std::size_t>(kBallViews[view][1])] / zone.radius()});
  return dots;
}

std::string draw_axis_angle(const Sheet& sheet, const AxisAngleViews& views) {
  const std::array<std::string, 3> names = {"turn about x", "turn about y", "turn about z"};
  const std::array<std::string, 3> titles = {"seen along z", "seen along y", "seen along x"};
  const bool has_density = views.density[0].n > 0;
  Canvas ruler(FileKind::svg, 1, 1);
  const double radius = views.zone.radius() * 180 / kPi;
  const double circles = radius > 150 ? 60 : radius > 80 ? 30 : 20;
  const auto axis = [&](int i) {
    Axis result = degree_axis(names[static_cast<std::size_t>(i)], -radius, radius, 5);
    const double step = radius > 150 ? 90 : circles;
    result.ticks.clear();
    for (double at = -step * std::floor(radius / step + 1e-9); at <= radius + 1e-6; at += step)
      result.ticks.push_back({at, number_text(at, 0) + "°"});
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
  for (const Cloud& cloud : views.clouds[0]) most += cloud.points.size();
  const double dot = std::clamp(side / 280, 0.6, 1.0) * dot_radius(most);
  for (const Cloud& cloud : views.clouds[0])
    legend.push_back({LegendEntry::Mark::dot, cloud.label, {cloud.colour}, std::max(1.5, dot)});
  std::vector<std::string> words = {"rotations as vectors: along the axis, as long as the angle"};
  if (!views.zone.whole()) words.push_back("each orientation once, by its least angle");
  std::string at;
  for (double angle = circles; angle < radius + 1e-6; angle += circles)
    at += (at.empty() ? "" : angle + circles < radius + 1e-6 ? ", " : " and ") + number_text(angle, 0) + "°";
  words.push_back("circles at " + at);
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
    Line silhouette{{}, true};
    for (int k = 0; k < kSilhouette; ++k) {
      const double x = std::cos(2 * kPi * k / kSilhouette), y = std::sin(2 * kPi * k / kSilhouette),
                   r = views.zone.largest_angle(in_view(view, x, y, 0)) / views.zone.radius();
      silhouette.points.push_back(disc.on_sheet({r * x, r * y}));
    }
    if (has_density) draw_lattice(canvas, disc, views.density[view], views.bar.scale, {silhouette});
    const Pen net{kInk.with_alpha(0.3), 0.3};
    {
      const Canvas::Clip clip(canvas, Lines{silhouette});
      canvas.stroke(Lines{{{disc.on_sheet({-1, 0}), disc.on_sheet({1, 0})}},
                          {{disc.on_sheet({0, -1}), disc.on_sheet({0, 1})}}},
                    net);
      for (double angle = circles; angle < radius - 1e-6; angle += circles)
        canvas.circle(disc.centre, angle / radius * disc.radius, net);
    }
    for (const Cloud& cloud : views.clouds[view]) {
      std::vector<Vec2> dots;
      for (const Vec2 place : cloud.points) dots.push_back(disc.on_sheet(place));
      canvas.dots(dots, dot, cloud.colour.with_alpha(dot_opacity(dots.size())), dot > 0.85 ? 0.25 : 0);
    }
    canvas.stroke(silhouette, {kInk, 0.8});
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
