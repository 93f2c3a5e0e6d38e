#pragma once
// Curves over iterations: of one training, or the mean of several with its 95 % band.

#include <string>
#include <vector>

#include "riemflow/figure/axes.hpp"
#include "riemflow/figure/density_chart.hpp"

namespace riemflow::figure {

struct Curve {
  std::string label;  ///< empty: not in the legend
  Pen pen;
  std::vector<double> x, y;
  std::vector<double> low, high = {};  ///< of the band around it; empty: none
};

/// One frame.
struct CurvePanel {
  std::string title, x_label, y_label;
  std::vector<Curve> curves;
  /// A place on a curve, with words beside it.
  struct Mark {
    Vec2 at;
    std::string text;
    Colour colour;
  };
  std::vector<Mark> marks;
  /// Stretches of x, as stages of a training: lines between them, and words above each that has room for
  /// them, in place of a title.
  struct Stretch {
    double from, to;
    std::string text;
  };
  std::vector<Stretch> stretches;
  bool log_y = false;
  bool zero = false;  ///< the y axis begins at 0
};

/// The range of the y axis that holds a panel's curves and bands. Of the first tenth of a curve, which is
/// often far from the rest, only as much as keeps the rest legible.
Scale y_range(const CurvePanel& panel);

/// Panels row by row, `columns` in each, all of the same size. one_legend: that of the first panel, above
/// all. key: words below all.
std::string draw_curves(const Sheet& sheet, const std::vector<CurvePanel>& panels, int columns,
                        double panel_height = 150, bool one_legend = false,
                        const std::vector<std::string>& key = {});

/// Mean over runs of curves with the same x, and its 95 % interval, 1.96·s/√n; without a band where there is
/// one run.
Curve mean_curve(std::string label, const Pen& pen, const std::vector<double>& x,
                 const std::vector<std::vector<double>>& runs);

/// Means of the neighbours on both sides, weighted by a normal density of standard deviation `width` values;
/// of fewer at the ends, as many before as after, so that a straight line stays one.
std::vector<double> smoothed(const std::vector<double>& values, double width);

}  // namespace riemflow::figure
