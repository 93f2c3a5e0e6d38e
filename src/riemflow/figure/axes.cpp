#include "riemflow/figure/axes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

constexpr double kTick = 3, kFineTick = 1.7, kGap = 2.5;
const Pen kAxisPen{kInk, 0.6};
// In boxes; farther than any sheet, near enough for the fixed point of cairo.
constexpr double kFar = 100;

/// Of numbers side by side, each so many-th can be written without running into the next.
std::size_t stride_of(Canvas& canvas, const Axis& x, double width) {
  for (std::size_t stride = 1; stride < x.ticks.size(); stride *= 2) {
    bool free = true;
    for (std::size_t i = stride; i < x.ticks.size(); i += stride) {
      const Tick &a = x.ticks[i - stride], &b = x.ticks[i];
      const double between = width * (x.scale.share(b.at) - x.scale.share(a.at));
      free = free && between > (canvas.text_width(a.label, {.size = kTickText}) +
                                canvas.text_width(b.label, {.size = kTickText})) /
                                       2 +
                                   kGap;
    }
    if (free) return stride;
  }
  return std::max<std::size_t>(1, x.ticks.size());
}

}  // namespace

double widest(Canvas& canvas, const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, canvas.text_width(tick.label, {.size = kTickText}));
  return width;
}

Axis degree_axis(std::string label, double from, double to, int least_ticks) {
  Axis axis;
  axis.label = std::move(label);
  axis.scale = {from, to, false};
  axis.ticks = degree_ticks(axis.scale, least_ticks);
  return axis;
}

Frame::Frame(Canvas& canvas, const Box& box, Axis x, Axis y)
    : canvas_(canvas), box_(box), x_(std::move(x)), y_(std::move(y)) {}

double Frame::room_below(const Axis& x, bool numbers) {
  return (numbers ? kTick + kGap + kTickText : 0) + (x.label.empty() ? 0 : kGap + 1.2 * kLabelText);
}

double Frame::room_left(Canvas& canvas, const Axis& y, bool numbers) {
  return (numbers ? kTick + kGap + widest(canvas, y.ticks) : 0) +
         (y.label.empty() ? 0 : 2 * kGap + kLabelText);
}

Frame Frame::within(Canvas& canvas, const Box& outer, Axis x, Axis y) {
  const double left = room_left(canvas, y), below = room_below(x);
  // Half of the outermost numbers stands out of the box.
  const double above = kTickText / 2;
  const double right = x.ticks.empty() ? 0 : canvas.text_width(x.ticks.back().label, {.size = kTickText}) / 2;
  const Box box{outer.x + left, outer.y + above, outer.width - left - right, outer.height - above - below};
  return {canvas, box, std::move(x), std::move(y)};
}

Vec2 Frame::at(Vec2 data) const {
  const auto near = [](double share) { return std::clamp(share, -kFar, kFar); };  // NaN stays
  return {box_.x + box_.width * near(x_.scale.share(data.x)),
          box_.bottom() - box_.height * near(y_.scale.share(data.y))};
}

Lines Frame::at(const Lines& data) const {
  Lines result = data;
  for (Line& line : result)
    for (Vec2& point : line.points) point = at(point);
  return result;
}

void Frame::draw_grid() {
  Lines rules;
  for (const Tick& tick : x_.ticks) {
    const double x = at({tick.at, y_.scale.from}).x;
    rules.push_back({{{x, box_.y}, {x, box_.bottom()}}});
  }
  for (const Tick& tick : y_.ticks) {
    const double y = at({x_.scale.from, tick.at}).y;
    rules.push_back({{{box_.x, y}, {box_.right(), y}}});
  }
  canvas_.stroke(rules, {kFaint.with_alpha(0.35), 0.4});
}

void Frame::draw_axes(bool x_numbers, bool y_numbers) {
  canvas_.frame(box_, kAxisPen);
  Lines marks;
  const std::size_t stride = stride_of(canvas_, x_, box_.width);
  for (std::size_t i = 0; i < x_.ticks.size(); ++i) {
    const Tick& tick = x_.ticks[i];
    const double x = at({tick.at, y_.scale.from}).x;
    marks.push_back({{{x, box_.bottom()}, {x, box_.bottom() + kTick}}});
    if (x_numbers && i % stride == 0)
      canvas_.text({x, box_.bottom() + kTick + kGap}, tick.label,
                   {.size = kTickText, .align = Align::centre, .rise = Rise::top});
  }
  for (const double value : fine_ticks(x_.scale)) {
    const double x = at({value, y_.scale.from}).x;
    marks.push_back({{{x, box_.bottom()}, {x, box_.bottom() + kFineTick}}});
  }
  for (const Tick& tick : y_.ticks) {
    const double y = at({x_.scale.from, tick.at}).y;
    marks.push_back({{{box_.x, y}, {box_.x - kTick, y}}});
    if (y_numbers)
      canvas_.text({box_.x - kTick - kGap, y}, tick.label,
                   {.size = kTickText, .align = Align::right, .rise = Rise::middle});
  }
  for (const double value : fine_ticks(y_.scale)) {
    const double y = at({x_.scale.from, value}).y;
    marks.push_back({{{box_.x, y}, {box_.x - kFineTick, y}}});
  }
  canvas_.stroke(marks, kAxisPen);
  if (!x_.label.empty() && x_numbers)
    canvas_.text({box_.x + box_.width / 2, box_.bottom() + room_below(x_) - 0.3 * kLabelText}, x_.label,
                 {.size = kLabelText, .align = Align::centre});
  if (!y_.label.empty() && y_numbers)
    canvas_.text({box_.x - room_left(canvas_, y_) + kLabelText, box_.y + box_.height / 2}, y_.label,
                 {.size = kLabelText, .align = Align::centre, .turn = -std::numbers::pi / 2});
}

void Frame::draw_title(const std::string& title) {
  canvas_.text({box_.x, box_.y - 0.6 * kTitleText}, title, {.size = kTitleText, .bold = true});
}

void Frame::line(const std::vector<Vec2>& data, const Pen& pen) {
  Lines pieces(1);
  for (const Vec2& point : data) {
    const Vec2 on_sheet = at(point);
    if (std::isfinite(on_sheet.x) && std::isfinite(on_sheet.y))
      pieces.back().points.push_back(on_sheet);
    else if (!pieces.back().points.empty())
      pieces.emplace_back();
  }
  const Canvas::Clip clip(canvas_, box_);
  canvas_.stroke(pieces, pen);
}

void Frame::lines(const Lines& data, const Pen& pen) {
  const Canvas::Clip clip(canvas_, box_);
  canvas_.stroke(at(data), pen);
}

void Frame::dots(const std::vector<Vec2>& data, double radius, const Colour& colour, double rim_width,
                 const Colour& rim) {
  std::vector<Vec2> on_sheet;
  for (const Vec2& point : data) {
    const double x = x_.scale.share(point.x), y = y_.scale.share(point.y);
    if (x >= 0 && x <= 1 && y >= 0 && y <= 1) on_sheet.push_back(at(point));
  }
  canvas_.dots(on_sheet, radius, colour, rim_width, rim);
}

void Frame::band(const std::vector<double>& x, const std::vector<double>& low,
                 const std::vector<double>& high, const Colour& colour) {
  Line ring{{}, true};
  const auto add = [&](std::size_t i, const std::vector<double>& y) {
    const Vec2 point = at({x[i], y[i]});
    if (std::isfinite(point.x) && std::isfinite(point.y)) ring.points.push_back(point);
  };
  for (std::size_t i = 0; i < x.size(); ++i) add(i, low);
  for (std::size_t i = x.size(); i-- > 0;) add(i, high);
  const Canvas::Clip clip(canvas_, box_);
  canvas_.fill(Lines{ring}, colour);
}

void Frame::image(const Image& image, const Scale& x, const Scale& y) {
  const Vec2 top_left = at({x.from, y.to}), bottom_right = at({x.to, y.from});
  const Canvas::Clip clip(canvas_, box_);
  canvas_.image(image, {top_left.x, top_left.y, bottom_right.x - top_left.x, bottom_right.y - top_left.y});
}

}  // namespace riemflow::figure
