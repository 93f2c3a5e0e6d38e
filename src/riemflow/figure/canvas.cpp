#include "riemflow/figure/canvas.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {

struct Canvas::Surface {
  FileKind kind;
  std::string bytes;
  cairo_surface_t* surface = nullptr;
};

namespace {

constexpr double kPointsPerInch = 72;
constexpr const char* kFont = "DejaVu Sans";

cairo_status_t append(void* to, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status) {
  require(status == CAIRO_STATUS_SUCCESS,
          std::string("the figure could not be drawn: ") + cairo_status_to_string(status),
          "take a smaller one, or fewer dots to the inch", Fault::numerical);
}

void set(cairo_t* cairo, const Colour& c) { cairo_set_source_rgba(cairo, c.red, c.green, c.blue, c.alpha); }

void set(cairo_t* cairo, const Pen& pen) {
  set(cairo, pen.colour);
  cairo_set_line_width(cairo, pen.width);
  cairo_set_dash(cairo, pen.dashes.data(), static_cast<int>(pen.dashes.size()), 0);
}

/// Where lines meet at a sharp angle a mitre would stick out.
void set_round(cairo_t* cairo) {
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
}

std::uint32_t premultiplied(const Colour& c) {
  const auto byte = [&](double x) {
    return static_cast<std::uint32_t>(std::lround(255 * std::clamp(x, 0.0, 1.0)));
  };
  return byte(c.alpha) << 24 | byte(c.red * c.alpha) << 16 | byte(c.green * c.alpha) << 8 |
         byte(c.blue * c.alpha);
}

/// As UTF-8, whatever it was: U+FFFD stands for bytes that are none and for control characters.
std::string drawable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    const unsigned char first = byte(i);
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    bool good = length > 0 && i + length <= text.size() && first >= 0x20 && first != 0x7F;
    for (std::size_t k = 1; good && k < length; ++k) good = (byte(i + k) & 0xC0) == 0x80;
    // Overlong forms, halves of surrogate pairs, beyond the last character.
    if (good && length > 2) {
      const unsigned char second = byte(i + 1);
      good = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second > 0x9F) &&
             !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second > 0x8F);
    }
    if (good)
      result.append(text, i, length);
    else
      result += "\uFFFD";
    i += good ? length : 1;
  }
  return result;
}

/// cairo numbers what it names through the whole process; this, through the file, so that it does not depend
/// on what was drawn before.
std::string renumbered(const std::string& svg) {
  std::map<std::string, std::string> names;
  std::string result;
  std::size_t copied = 0;
  for (std::size_t at = svg.find_first_of("\"#"); at != std::string::npos;
       at = svg.find_first_of("\"#", at + 1)) {
    for (const std::string_view word : {"surface", "image", "mask", "clip", "source"}) {
      if (svg.compare(at + 1, word.size(), word) != 0) continue;
      const std::size_t digits = at + 1 + word.size();
      const std::size_t end = svg.find_first_not_of("0123456789", digits);
      if (end == digits || end == std::string::npos) continue;
      const std::string name = svg.substr(at + 1, end - at - 1);
      const auto entry =
          names.try_emplace(name, std::string(word) + "-" + std::to_string(names.size())).first;
      result.append(svg, copied, at + 1 - copied).append(entry->second);
      copied = end;
    }
  }
  return result.append(svg, copied);
}

}  // namespace

FileKind file_kind(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".png") return FileKind::png;
  if (ending == ".svg") return FileKind::svg;
  if (ending == ".pdf") return FileKind::pdf;
  throw Error("the figure " + path + " has no ending that tells its format", "name it .png, .svg or .pdf",
              Fault::usage);
}

Canvas::Canvas(FileKind kind, double width, double height, double dpi)
    : surface_(std::make_unique<Surface>()), dpi_(dpi) {
  surface_->kind = kind;
  const double scale = dpi / kPointsPerInch;
  if (kind == FileKind::png) {
    surface_->surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * scale)),
                                   static_cast<int>(std::ceil(height * scale)));
  } else if (kind == FileKind::svg) {
    surface_->surface = cairo_svg_surface_create_for_stream(append, &surface_->bytes, width, height);
  } else {
    surface_->surface = cairo_pdf_surface_create_for_stream(append, &surface_->bytes, width, height);
    // A clock in the file would make every run another file.
    cairo_pdf_surface_set_metadata(surface_->surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(surface_->surface, CAIRO_PDF_METADATA_CREATOR, "riemflow");
  }
  check(cairo_surface_status(surface_->surface));
  cairo_ = cairo_create(surface_->surface);
  check(cairo_status(cairo_));
  if (kind == FileKind::png) cairo_scale(cairo_, scale, scale);
  set_round(cairo_);
  cairo_select_font_face(cairo_, kFont, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo_, options);
  cairo_font_options_destroy(options);
  fill({0, 0, width + 1, height + 1}, kWhite);  // the last pixel may be a part of one
}

Canvas::~Canvas() {
  cairo_destroy(cairo_);
  cairo_surface_destroy(surface_->surface);
}

void Canvas::trace(const Lines& lines) {
  cairo_new_path(cairo_);
  for (const Line& line : lines) {
    if (line.points.empty()) continue;
    cairo_move_to(cairo_, line.points[0].x, line.points[0].y);
    for (std::size_t i = 1; i < line.points.size(); ++i)
      cairo_line_to(cairo_, line.points[i].x, line.points[i].y);
    if (line.closed) cairo_close_path(cairo_);
  }
}

void Canvas::stroke(const Lines& lines, const Pen& pen) {
  trace(lines);
  set(cairo_, pen);
  cairo_stroke(cairo_);
}

void Canvas::fill(const Lines& rings, const Colour& colour) {
  trace(rings);
  set(cairo_, colour);
  cairo_set_fill_rule(cairo_, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_fill(cairo_);
}

void Canvas::fill(const Box& box, const Colour& colour) { fill(Lines{outline(box)}, colour); }

void Canvas::frame(const Box& box, const Pen& pen) { stroke(outline(box), pen); }

void Canvas::circle(Vec2 centre, double radius, const Pen& pen) {
  cairo_new_path(cairo_);
  cairo_arc(cairo_, centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  set(cairo_, pen);
  cairo_stroke(cairo_);
}

void Canvas::dots(const std::vector<Vec2>& centres, double radius, const Colour& colour, double rim_width,
                  const Colour& rim) {
  // Strokes of no length with round ends: in SVG and PDF a tenth of what circles take. In pieces: one stroke
  // of a million takes cairo minutes, and gigabytes.
  constexpr std::size_t kAtOnce = 1000;
  const auto stroke_all = [&](const Pen& pen) {
    set(cairo_, pen);
    for (std::size_t first = 0; first < centres.size(); first += kAtOnce) {
      cairo_new_path(cairo_);
      for (std::size_t i = first; i < std::min(centres.size(), first + kAtOnce); ++i) {
        cairo_move_to(cairo_, centres[i].x, centres[i].y);
        cairo_line_to(cairo_, centres[i].x, centres[i].y);
      }
      cairo_stroke(cairo_);
    }
  };
  const bool through = colour.alpha < 1;
  if (through) cairo_push_group(cairo_);
  if (rim_width > 0) stroke_all(Pen{rim, 2 * (radius + rim_width)});
  stroke_all(Pen{colour.with_alpha(1), 2 * radius});
  if (!through) return;
  cairo_pop_group_to_source(cairo_);
  cairo_paint_with_alpha(cairo_, colour.alpha);
}

void Canvas::image(const Image& image, const Box& box) {
  cairo_surface_t* pixels = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height);
  check(cairo_surface_status(pixels));
  cairo_surface_flush(pixels);
  unsigned char* data = cairo_image_surface_get_data(pixels);
  const int stride = cairo_image_surface_get_stride(pixels);
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      const std::uint32_t pixel =
          premultiplied(image.pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                                     static_cast<std::size_t>(column)]);
      std::memcpy(data + static_cast<std::ptrdiff_t>(row) * stride + 4 * column, &pixel, sizeof pixel);
    }
  cairo_surface_mark_dirty(pixels);
  cairo_save(cairo_);
  cairo_translate(cairo_, box.x, box.y);
  cairo_scale(cairo_, box.width / image.width, box.height / image.height);
  cairo_set_source_surface(cairo_, pixels, 0, 0);
  cairo_pattern_set_extend(cairo_get_source(cairo_), CAIRO_EXTEND_PAD);
  cairo_rectangle(cairo_, 0, 0, image.width, image.height);
  cairo_fill(cairo_);
  cairo_restore(cairo_);
  cairo_surface_destroy(pixels);
}

double Canvas::text_width(std::string_view text, const TextStyle& style) {
  cairo_select_font_face(cairo_, kFont, CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_, drawable(text).c_str(), &extents);
  return extents.x_advance;
}

void Canvas::text(Vec2 at, std::string_view text, const TextStyle& style) {
  constexpr double kCapital = 0.729;  // height of a capital letter of DejaVu Sans
  const double width = text_width(text, style);
  const double left = style.align == Align::left ? 0 : style.align == Align::centre ? -width / 2 : -width;
  const double down = style.rise == Rise::baseline ? 0
                      : style.rise == Rise::middle ? kCapital * style.size / 2
                                                   : kCapital * style.size;
  const std::string words = drawable(text);
  cairo_save(cairo_);
  cairo_translate(cairo_, at.x, at.y);
  cairo_rotate(cairo_, style.turn);
  if (style.halo > 0) {
    cairo_move_to(cairo_, left, down);
    cairo_text_path(cairo_, words.c_str());
    set(cairo_, Pen{kWhite, 2 * style.halo});
    cairo_stroke(cairo_);
  }
  cairo_move_to(cairo_, left, down);
  set(cairo_, style.colour);
  cairo_show_text(cairo_, words.c_str());
  cairo_restore(cairo_);
}

Canvas::Clip::Clip(Canvas& canvas, const Lines& rings) : cairo_(canvas.cairo_) {
  cairo_save(cairo_);
  canvas.trace(rings);
  cairo_set_fill_rule(cairo_, CAIRO_FILL_RULE_EVEN_ODD);
  cairo_clip(cairo_);
}

Canvas::Clip::Clip(Canvas& canvas, const Box& box) : Clip(canvas, Lines{outline(box)}) {}

Canvas::Clip::~Clip() { cairo_restore(cairo_); }

std::string Canvas::finish() {
  check(cairo_status(cairo_));
  if (surface_->kind == FileKind::png)
    check(cairo_surface_write_to_png_stream(surface_->surface, append, &surface_->bytes));
  cairo_surface_finish(surface_->surface);
  check(cairo_surface_status(surface_->surface));
  return surface_->kind == FileKind::svg ? renumbered(surface_->bytes) : std::move(surface_->bytes);
}

Line outline(const Box& box) {
  return {{{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}}, true};
}

Line ring(Vec2 centre, double radius, int n) {
  Line line{{}, true};
  for (int i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * i / n;
    line.points.push_back({centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)});
  }
  return line;
}

}  // namespace riemflow::figure
