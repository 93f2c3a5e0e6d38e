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

/// Rows are broken before they are wider than `width`; 0: one entry below the other.
Vec2 legend_size(Canvas& canvas, const std::vector<LegendEntry>& entries, double width);
/// From the top left corner on.
void draw_legend(Canvas& canvas, Vec2 top_left, const std::vector<LegendEntry>& entries, double width);
/// One entry below the other on a white panel with some room around, in the upper right corner of a box: over
/// data.
void draw_legend_in(Canvas& canvas, const Box& box, const std::vector<LegendEntry>& entries);

}  // namespace riemflow::figure
