#pragma once
// A sheet to draw on, as PNG, SVG or PDF. Lengths are in points, 1/72 inch; y grows downwards. Same drawing,
// same bytes.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "riemflow/figure/colour.hpp"

typedef struct _cairo cairo_t;

namespace riemflow::figure {

struct Vec2 {
  double x = 0, y = 0;
  friend bool operator==(const Vec2&, const Vec2&) = default;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};
struct Line {
  std::vector<Vec2> points;
  bool closed = false;
};
using Lines = std::vector<Line>;

enum class FileKind { png, svg, pdf };
/// By the ending. Throws Error(Fault::usage) for others.
FileKind file_kind(const std::string& path);

struct Pen {
  Colour colour = kInk;
  double width = 0.6;
  std::vector<double> dashes = {};
};

enum class Align { left, centre, right };
enum class Rise { baseline, middle, top };
struct TextStyle {
  double size = 8;
  Colour colour = kInk;
  Align align = Align::left;
  Rise rise = Rise::baseline;
  bool bold = false;
  double turn = 0;  ///< radians, clockwise
  double halo = 0;  ///< width of a white rim, for text over a picture
};

/// Pixels, rows from the top; alpha as in Colour.
struct Image {
  int width = 0, height = 0;
  std::vector<Colour> pixels;
  Image(int w, int h)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  Colour& at(int column, int row) {
    return pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(column)];
  }
};

class Canvas {
 public:
  /// dpi: of a PNG, and of pictures within the others. White all over.
  Canvas(FileKind kind, double width, double height, double dpi = 200);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  double dpi() const { return dpi_; }

  void stroke(const Lines& lines, const Pen& pen);
  void stroke(const Line& line, const Pen& pen) { stroke(Lines{line}, pen); }
  /// Even-odd: a ring within a ring is a hole.
  void fill(const Lines& rings, const Colour& colour);
  void fill(const Box& box, const Colour& colour);
  void frame(const Box& box, const Pen& pen);
  void circle(Vec2 centre, double radius, const Pen& pen);
  /// Discs of one colour with a rim around them all (rim_width 0: none). Of a colour that lets things shine
  /// through, discs that overlap let as much through as one.
  void dots(const std::vector<Vec2>& centres, double radius, const Colour& colour, double rim_width = 0,
            const Colour& rim = kWhite);
  /// Stretched over the box, smoothly.
  void image(const Image& image, const Box& box);
  /// Any bytes: what is no UTF-8 is drawn as U+FFFD.
  void text(Vec2 at, std::string_view text, const TextStyle& style);
  double text_width(std::string_view text, const TextStyle& style);

  /// Whatever is drawn while it lives is seen only inside of the rings (even-odd).
  class Clip {
   public:
    Clip(Canvas& canvas, const Lines& rings);
    Clip(Canvas& canvas, const Box& box);
    ~Clip();
    Clip(const Clip&) = delete;
    Clip& operator=(const Clip&) = delete;

   private:
    cairo_t* cairo_;
  };

  /// The file's bytes; the canvas is done with. Throws Error where cairo could not.
  std::string finish();

 private:
  struct Surface;
  void trace(const Lines& lines);
  std::unique_ptr<Surface> surface_;
  cairo_t* cairo_;
  double dpi_;
};

/// The corners of a box, closed.
Line outline(const Box& box);
/// A circle as a ring of n chords.
Line ring(Vec2 centre, double radius, int n = 360);

}  // namespace riemflow::figure
