#include "riemflow/figure/map_sheet.hpp"

#include <algorithm>
#include <numbers>

#include "riemflow/figure/axes.hpp"

namespace riemflow::figure {

std::string MapSheet::draw(FileKind kind, double width, double dpi) const {
  constexpr double kGap = 6;
  const Map& first = maps[0][0];
  const auto rows = static_cast<double>(maps.size()), columns = static_cast<double>(maps[0].size());
  Canvas measure(FileKind::svg, width, width);  // text alone is measured on it
  ColourBar bar = first.bar;
  bar.vertical = false;
  const std::vector<LegendEntry> legend = map_legend(first);
  const Vec2 legend_room = legend_size(measure, legend, Arrangement::row, width - 2 * kGap);
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
  draw_legend(canvas, {std::max(kGap, (width - legend_room.x) / 2), legend_top}, legend, Arrangement::row,
              width - 2 * kGap);
  return canvas.finish();
}

}  // namespace riemflow::figure
