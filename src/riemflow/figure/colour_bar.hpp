#pragma once
// The key to heat(): which colour is which value.

#include <string>

#include "riemflow/figure/canvas.hpp"
#include "riemflow/figure/scale.hpp"

namespace riemflow::figure {

struct ColourBar {
  Scale scale;
  std::string label;  ///< with its unit: "density per steradian"
  bool vertical = true;
  bool open_below = false, open_above = false;  ///< there are values beyond that end: it is drawn as a tip
  int least_ticks = 4;

  /// Draws into the box, numbers and label right of it or below.
  void draw(Canvas& canvas, const Box& box) const;
  /// How far numbers and label go beyond the box.
  double room(Canvas& canvas) const;
};

inline constexpr double kBarThickness = 9;  ///< the usual, points

}  // namespace riemflow::figure
