#include "riemflow/figure/legend.hpp"

#include <algorithm>

#include "riemflow/figure/axes.hpp"

namespace riemflow::figure {
namespace {

constexpr double kMark = 12, kMarkGap = 4, kEntryGap = 12, kRow = 11;
const TextStyle kText{.size = kTickText, .rise = Rise::middle};

/// Before the text.
double room_of(const LegendEntry& entry) {
  return entry.mark == LegendEntry::Mark::none ? 0 : kMark + kMarkGap;
}

struct Placed {
  std::vector<Vec2> at;  // left end of an entry, middle of its row
  Vec2 size;
};

Placed place(Canvas& canvas, const std::vector<LegendEntry>& entries, double width) {
  Placed placed;
  double x = 0, y = 0;
  for (const LegendEntry& entry : entries) {
    const double wide = room_of(entry) + canvas.text_width(entry.text, kText);
    if (x > 0 && x + wide > width) {
      x = 0;
      y += kRow;
    }
    placed.at.push_back({x, y + kRow / 2});
    placed.size.x = std::max(placed.size.x, x + wide);
    x += wide + kEntryGap;
  }
  placed.size.y = entries.empty() ? 0 : y + kRow;
  return placed;
}

}  // namespace

Vec2 legend_size(Canvas& canvas, const std::vector<LegendEntry>& entries, double width) {
  return place(canvas, entries, width).size;
}

void draw_legend(Canvas& canvas, Vec2 top_left, const std::vector<LegendEntry>& entries, double width) {
  const Placed placed = place(canvas, entries, width);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const LegendEntry& entry = entries[i];
    const Vec2 left{top_left.x + placed.at[i].x, top_left.y + placed.at[i].y};
    switch (entry.mark) {
      case LegendEntry::Mark::dot:
        canvas.dots({{left.x + kMark / 2, left.y}}, entry.radius, entry.pen.colour, 0.4);
        break;
      case LegendEntry::Mark::line:
        canvas.stroke(Line{{left, {left.x + kMark, left.y}}}, entry.pen);
        break;
      case LegendEntry::Mark::patch:
        canvas.fill(Box{left.x, left.y - 3, kMark, 6}, entry.pen.colour);
        break;
      case LegendEntry::Mark::none:
        break;
    }
    canvas.text({left.x + room_of(entry), left.y}, entry.text, kText);
  }
}

void draw_legend_in(Canvas& canvas, const Box& box, const std::vector<LegendEntry>& entries) {
  if (entries.empty()) return;
  constexpr double kInset = 5, kPadding = 3;
  const Vec2 size = legend_size(canvas, entries, 0);
  const double wide = size.x + 2 * kPadding, high = size.y + 2 * kPadding;
  const Box panel{box.right() - kInset - wide, box.y + kInset, wide, high};
  canvas.fill(panel, kWhite.with_alpha(0.85));
  draw_legend(canvas, {panel.x + kPadding, panel.y + kPadding}, entries, 0);
}

}  // namespace riemflow::figure
