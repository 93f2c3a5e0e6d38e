#include "riemflow/figure/colour_bar.hpp"

#include <algorithm>
#include <numbers>

#include "riemflow/figure/axes.hpp"

namespace riemflow::figure {
namespace {

constexpr double kBarTick = 2.5, kBarTextGap = 2.5;
constexpr int kSteps = 256;

}  // namespace

double ColourBar::room(Canvas& canvas) const {
  const double numbers = vertical ? widest(canvas, ticks(scale, least_ticks)) : kTickText;
  return kBarTick + kBarTextGap + numbers + (label.empty() ? 0 : 2 * kBarTextGap + kLabelText);
}

void ColourBar::draw(Canvas& canvas, const Box& box) const {
  // Along the bar from low to high, across from where the bar begins to where the numbers are.
  const auto at = [&](double along, double across) {
    return vertical ? Vec2{box.x + across, box.bottom() - along * box.height}
                    : Vec2{box.x + along * box.width, box.y + across};
  };
  const double thick = vertical ? box.width : box.height, length = vertical ? box.height : box.width;
  const double tip = 0.9 * thick / length;

  Image steps(vertical ? 1 : kSteps, vertical ? kSteps : 1);
  for (int i = 0; i < kSteps; ++i) {
    const double share = (i + 0.5) / kSteps;
    if (vertical)
      steps.at(0, kSteps - 1 - i) = heat(share);
    else
      steps.at(i, 0) = heat(share);
  }
  canvas.image(steps, box);
  Line edge{{at(0, 0)}, true};
  if (open_below) edge.points.push_back(at(-tip, thick / 2));
  edge.points.push_back(at(0, thick));
  edge.points.push_back(at(1, thick));
  if (open_above) edge.points.push_back(at(1 + tip, thick / 2));
  edge.points.push_back(at(1, 0));
  if (open_below) canvas.fill(Lines{{{at(0, 0), at(-tip, thick / 2), at(0, thick)}, true}}, heat(0));
  if (open_above) canvas.fill(Lines{{{at(1, 0), at(1 + tip, thick / 2), at(1, thick)}, true}}, heat(1));
  canvas.stroke(edge, {kInk, 0.5});

  const std::vector<Tick> marks = ticks(scale, least_ticks);
  Lines strokes;
  for (const Tick& mark : marks) {
    const double share = std::clamp(scale.share(mark.at), 0.0, 1.0);
    strokes.push_back({{at(share, thick), at(share, thick + kBarTick)}});
    canvas.text(at(share, thick + kBarTick + kBarTextGap), mark.label,
                {.size = kTickText,
                 .align = vertical ? Align::left : Align::centre,
                 .rise = vertical ? Rise::middle : Rise::top});
  }
  for (const double value : fine_ticks(scale)) {
    const double share = scale.share(value);
    strokes.push_back({{at(share, thick), at(share, thick + 0.6 * kBarTick)}});
  }
  canvas.stroke(strokes, {kInk, 0.5});
  if (label.empty()) return;
  canvas.text(at(0.5, thick + room(canvas) - 0.2 * kLabelText), label,
              {.size = kLabelText, .align = Align::centre, .turn = vertical ? -std::numbers::pi / 2 : 0});
}

}  // namespace riemflow::figure
