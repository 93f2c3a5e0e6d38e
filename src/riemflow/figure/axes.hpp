#pragma once
// A frame with axes: data coordinates to a box of the sheet.

#include <string>
#include <vector>

#include "riemflow/figure/canvas.hpp"
#include "riemflow/figure/scale.hpp"

namespace riemflow::figure {

struct Axis {
  std::string label;  ///< with its unit: "loss, nats"
  Scale scale;
  std::vector<Tick> ticks;

  Axis() = default;
  Axis(std::string text, const Scale& values, int least_ticks = 4)
      : label(std::move(text)), scale(values), ticks(figure::ticks(values, least_ticks)) {}
};
/// An angle in degrees.
Axis degree_axis(std::string label, double from = -180, double to = 180, int least_ticks = 5);

inline constexpr double kTickText = 7, kLabelText = 8, kTitleText = 9;  ///< sizes of text, points

/// Of the labels, in points.
double widest(Canvas& canvas, const std::vector<Tick>& ticks);

class Frame {
 public:
  /// The box is that of the data; labels and numbers stand outside of it.
  Frame(Canvas& canvas, const Box& box, Axis x, Axis y);
  /// The largest frame that lies with its numbers and labels inside of `outer`.
  static Frame within(Canvas& canvas, const Box& outer, Axis x, Axis y);

  const Box& box() const { return box_; }
  const Axis& x() const { return x_; }
  const Axis& y() const { return y_; }
  Vec2 at(Vec2 data) const;
  Lines at(const Lines& data) const;

  /// Faint lines at the ticks, under the data.
  void draw_grid();
  /// Box, ticks, numbers and labels, over the data; without numbers: shared with a neighbour. Numbers at x
  /// that would run into each other are left out.
  void draw_axes(bool x_numbers = true, bool y_numbers = true);
  /// Above the frame, at its left.
  void draw_title(const std::string& title);

  // Data, seen only inside of the box. A line is broken where a value is not finite.
  void line(const std::vector<Vec2>& data, const Pen& pen);
  void lines(const Lines& data, const Pen& pen);
  void dots(const std::vector<Vec2>& data, double radius, const Colour& colour, double rim_width = 0,
            const Colour& rim = kWhite);
  /// Between two curves over the same x.
  void band(const std::vector<double>& x, const std::vector<double>& low, const std::vector<double>& high,
            const Colour& colour);
  /// Over the box of data [x from, x to] × [y from, y to]; its first row is at the top.
  void image(const Image& image, const Scale& x, const Scale& y);

  /// Room for numbers and label beside an axis.
  static double room_below(const Axis& x, bool numbers = true);
  static double room_left(Canvas& canvas, const Axis& y, bool numbers = true);

 private:
  Canvas& canvas_;
  Box box_;
  Axis x_, y_;
};

}  // namespace riemflow::figure
