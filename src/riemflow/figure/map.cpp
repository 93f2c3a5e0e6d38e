#include "riemflow/figure/map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/figure/axes.hpp"
#include "riemflow/figure/graticule.hpp"

namespace riemflow::figure {
namespace {

constexpr double kDegreeText = 6.5;
constexpr double kMapGap = 4;       // between the parts of a figure
constexpr double kThinnest = 0.25;  // points of a line nearer than this are one
const Colour kLandShade = kInk.with_alpha(0.07), kHalo = kWhite.with_alpha(0.6);

/// From the plane of the projection to the sheet.
class Placement {
 public:
  Placement(const Projection& projection, const Box& box) : half_(projection.half_size()) {
    scale_ = std::min(box.width / (2 * half_.x), box.height / (2 * half_.y));
    middle_ = {box.x + box.width / 2, box.y + box.height / 2};
  }
  Vec2 operator()(Vec2 p) const { return {middle_.x + scale_ * p.x, middle_.y - scale_ * p.y}; }
  Vec2 back(Vec2 p) const { return {(p.x - middle_.x) / scale_, (middle_.y - p.y) / scale_}; }
  Box box() const {
    return {middle_.x - scale_ * half_.x, middle_.y - scale_ * half_.y, 2 * scale_ * half_.x,
            2 * scale_ * half_.y};
  }
  /// Without points that cannot be told apart on the sheet.
  Lines operator()(const Lines& lines) const {
    Lines result;
    for (const Line& line : lines) {
      Line placed{{}, line.closed};
      for (std::size_t i = 0; i < line.points.size(); ++i) {
        const Vec2 p = (*this)(line.points[i]);
        const bool last = i + 1 == line.points.size();
        if (placed.points.empty() || last ||
            std::hypot(p.x - placed.points.back().x, p.y - placed.points.back().y) > kThinnest)
          placed.points.push_back(p);
      }
      if (placed.points.size() > 1) result.push_back(std::move(placed));
    }
    return result;
  }

 private:
  Vec2 half_, middle_;
  double scale_;
};

/// The density by its value at each pixel of the map's box.
void draw_density(Canvas& canvas, const Projection& projection, const Placement& place, const Map& map) {
  constexpr int kColours = 1024;
  std::vector<Colour> colours;
  for (int i = 0; i < kColours; ++i) colours.push_back(heat(i / (kColours - 1.0)));
  const Box box = place.box();
  const double pixels = canvas.dpi() / 72;
  Image image(static_cast<int>(std::ceil(box.width * pixels)),
              static_cast<int>(std::ceil(box.height * pixels)));
  const double dx = box.width / image.width, dy = box.height / image.height;
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      const Vec2 at = place.back({box.x + (column + 0.5) * dx, box.y + (row + 0.5) * dy});
      auto where = projection.inverse(at);
      // Half a pixel across the border; what is farther is not seen.
      if (!where)
        where = projection.inverse({at.x * (1 - 2.0 / image.width), at.y * (1 - 2.0 / image.height)});
      Colour& pixel = image.at(column, row);
      pixel = kWhite.with_alpha(0);
      if (!where) continue;
      const double share = map.bar.scale.share(map.density.at(*where));
      pixel =
          std::isnan(share)
              ? kNothing
              : colours[static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * (kColours - 1)))];
    }
  canvas.image(image, box);
}

void draw_degrees(Canvas& canvas, const Projection& projection, const Placement& place) {
  const Box map = place.box();
  std::vector<Box> taken;
  for (const DegreeLabel& label : degree_labels(projection)) {
    const Vec2 at = place(label.at);
    TextStyle style{.size = kDegreeText, .align = Align::centre, .rise = Rise::middle};
    const double width = canvas.text_width(label.text, style);
    const Vec2 middle = {at.x + label.outwards.x * (width / 2 + 3),
                         at.y - label.outwards.y * (kDegreeText / 2 + 2.5)};
    const Box box = {middle.x - width / 2 - 1, middle.y - kDegreeText / 2 - 0.5, width + 2, kDegreeText + 1};
    const bool overlaps = std::any_of(taken.begin(), taken.end(), [&](const Box& other) {
      return box.x < other.right() && other.x < box.right() && box.y < other.bottom() &&
             other.y < box.bottom();
    });
    if (overlaps) continue;
    taken.push_back(box);
    if (middle.y < map.bottom() && projection.world() && label.outwards.x == 0) style.halo = 1;
    canvas.text(middle, label.text, style);
  }
}

/// Room for the degrees outside of a map.
constexpr double kDegreesBeside = 26, kDegreesBelow = 11, kDegreesAround = 12, kHalfDegrees = 9;

}  // namespace

double map_aspect(const Map& map) {
  const Vec2 half = Projection(map.projection, map.centre).half_size();
  return half.x / half.y;
}

void draw_map(Canvas& canvas, const Box& box, const Map& map, bool degrees) {
  const Projection projection(map.projection, map.centre);
  const Placement place(projection, box);
  const Lines border = place(Lines{projection.outline()});
  {
    const Canvas::Clip clip(canvas, border);
    if (map.density.rows > 0) draw_density(canvas, projection, place, map);
    if (map.coastlines) canvas.fill(place(filled(projection, land(LandScale::fine))), kLandShade);
    canvas.stroke(place(graticule(projection)), {kFaint.with_alpha(0.7), 0.3});
    if (map.coastlines) {
      const Lines coast = place(coasts(projection, land(LandScale::fine)));
      canvas.stroke(coast, {kHalo, 1.1});
      canvas.stroke(coast, {kInk, 0.35});
    }
    for (const MapLines& layer : map.lines) {
      const Lines lines = place(cut(projection, layer.lines));
      if (layer.halo > 0) canvas.stroke(lines, {kHalo, layer.pen.width + 2 * layer.halo});
      canvas.stroke(lines, layer.pen);
    }
    for (const MapDots& layer : map.dots) {
      std::vector<Vec2> dots;
      for (const Vec3& point : layer.points)
        if (const auto at = projection.forward(place_of(point))) dots.push_back(place(*at));
      const double rim = layer.radius < 0.6 ? 0 : 0.35 * layer.radius;  // around tiny ones all would be rim
      canvas.dots(dots, layer.radius, layer.colour, rim, kWhite.with_alpha(0.8));
    }
  }
  canvas.stroke(border, {kInk, 0.6});
  if (degrees) draw_degrees(canvas, projection, place);
}

std::vector<LegendEntry> map_legend(const Map& map) {
  std::vector<LegendEntry> entries;
  for (const MapDots& layer : map.dots)
    if (!layer.label.empty())
      entries.push_back(
          {LegendEntry::Mark::dot, layer.label, {layer.colour.with_alpha(1)}, std::max(1.5, layer.radius)});
  for (const MapLines& layer : map.lines)
    if (!layer.label.empty()) entries.push_back({LegendEntry::Mark::line, layer.label, layer.pen});
  return entries;
}

std::string map_figure(FileKind kind, double width, double dpi, const Map& map) {
  const bool world = map.projection != ProjectionKind::orthographic;
  const std::vector<LegendEntry> legend = map_legend(map);
  Canvas measure(FileKind::svg, width, width);  // text alone is measured on it
  ColourBar bar = map.bar;
  bar.vertical = !world;
  const bool has_bar = map.density.rows > 0;
  const double bar_room = has_bar ? kBarThickness + bar.room(measure) + 2 * kMapGap : 0;
  const double above = map.title.empty() ? kMapGap : kTitleText + 2 * kMapGap;
  const double beside = world ? kDegreesBeside : 2 * kDegreesBeside,
               below = world ? kDegreesBelow : 2 * kDegreesAround;

  Box body = {kDegreesBeside, above + (world ? 0 : kDegreesAround), 0, 0};
  body.width = width - beside - (world ? kHalfDegrees : bar_room + kMapGap);
  body.height = body.width / map_aspect(map);
  const Vec2 legend_room = legend_size(measure, legend, width - 2 * kMapGap);
  double height = above + body.height + below + kMapGap + (world ? bar_room : 0);
  const double legend_top = height;
  if (!legend.empty()) height += legend_room.y + kMapGap;

  Canvas canvas(kind, width, height, dpi);
  if (!map.title.empty()) {
    TextStyle style{.size = kTitleText, .rise = Rise::top, .bold = true};
    style.size *= std::min(1.0, (width - 2 * kMapGap) / canvas.text_width(map.title, style));
    canvas.text({kMapGap, kMapGap}, map.title, style);
  }
  draw_map(canvas, body, map);
  if (has_bar && world)
    bar.draw(canvas, {body.x + 0.2 * body.width, body.bottom() + kDegreesBelow + kMapGap, 0.6 * body.width,
                      kBarThickness});
  if (has_bar && !world)
    bar.draw(canvas, {body.right() + kDegreesBeside + kMapGap, body.y + 0.1 * body.height, kBarThickness,
                      0.8 * body.height});
  draw_legend(canvas, {std::max(kMapGap, (width - legend_room.x) / 2), legend_top}, legend,
              width - 2 * kMapGap);
  return canvas.finish();
}

std::string MapSheet::draw(FileKind kind, double width, double dpi) const {
  constexpr double kGap = 6;
  const Map& first = maps[0][0];
  const auto rows = static_cast<double>(maps.size()), columns = static_cast<double>(maps[0].size());
  Canvas measure(FileKind::svg, width, width);  // text alone is measured on it
  ColourBar bar = first.bar;
  bar.vertical = false;
  const std::vector<LegendEntry> legend = map_legend(first);
  const Vec2 legend_room = legend_size(measure, legend, width - 2 * kGap);
  const double left = row_titles.empty() ? kGap : kLabelText + 2 * kGap;
  const double top = column_titles.empty() ? kGap : kLabelText + 2 * kGap;
  const double wide = (width - left - kGap - (columns - 1) * kGap) / columns, high = wide / map_aspect(first);
  const double bar_top = top + rows * (high + kGap) + kGap;
  const double legend_top = bar_top + kBarThickness + bar.room(measure) + kGap;

  Canvas canvas(kind, width, legend_top + (legend.empty() ? 0 : legend_room.y + kGap), dpi);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const double y = top + static_cast<double>(i) * (high + kGap);
    if (i < row_titles.size())
      canvas.text(
          {kGap, y + high / 2}, row_titles[i],
          {.size = kLabelText, .align = Align::centre, .rise = Rise::top, .turn = -std::numbers::pi / 2});
    for (std::size_t j = 0; j < maps[i].size(); ++j) {
      const double x = left + static_cast<double>(j) * (wide + kGap);
      if (i == 0 && j < column_titles.size())
        canvas.text({x + wide / 2, kGap}, column_titles[j],
                    {.size = kLabelText, .align = Align::centre, .rise = Rise::top});
      draw_map(canvas, {x, y, wide, high}, maps[i][j], false);
    }
  }
  const double bar_width = std::min(0.6 * (width - left), 300.0);
  bar.draw(canvas, {left + (width - left - bar_width) / 2, bar_top, bar_width, kBarThickness});
  draw_legend(canvas, {std::max(kGap, (width - legend_room.x) / 2), legend_top}, legend, width - 2 * kGap);
  return canvas.finish();
}

std::vector<Vec3> vectors_of(std::span<const double> values) {
  std::vector<Vec3> result;
  for (std::size_t i = 0; i + 2 < values.size(); i += 3)
    result.push_back({values[i], values[i + 1], values[i + 2]});
  return result;
}

}  // namespace riemflow::figure
