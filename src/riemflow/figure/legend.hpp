#pragma once
// What is what: marks with words.

#include <string>
#include <vector>

#include "riemflow/figure/canvas.hpp"

namespace riemflow::figure {

struct LegendEntry {
  enum class Mark { dot, line, patch, none };
  Mark mark = Mark::dot;
  std::string text;
  Pen pen;            ///< of a line; the colour of the others
  double radius = 2;  ///< of a dot
};

enum class Arrangement { row, column };

/// Rows are broken before they are wider than `width`.
Vec2 legend_size(Canvas& canvas, const std::vector<LegendEntry>& entries, Arrangement arrangement,
                 double width = 1e9);
/// From the top left corner on.
void draw_legend(Canvas& canvas, Vec2 top_left, const std::vector<LegendEntry>& entries,
                 Arrangement arrangement, double width = 1e9);
/// On a white panel with some room around, in a corner of a box: over data.
void draw_legend_in(Canvas& canvas, const Box& box, Align side, Rise end,
                    const std::vector<LegendEntry>& entries);

}  // namespace riemflow::figure
