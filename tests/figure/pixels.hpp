#pragma once
// A PNG, read back.

#include <cairo/cairo.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "riemflow/figure/canvas.hpp"

namespace riemflow::figure {

inline Image read_png(const std::string& bytes) {
  struct Reader {
    const std::string& bytes;
    std::size_t at = 0;
  } reader{bytes};
  const auto read = [](void* from, unsigned char* data, unsigned length) {
    auto& source = *static_cast<Reader*>(from);
    if (source.at + length > source.bytes.size()) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, source.bytes.data() + source.at, length);
    source.at += length;
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(read, &reader);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
    cairo_surface_destroy(surface);
    return {0, 0};
  }
  Image image(cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface));
  for (int row = 0; row < image.height; ++row)
    for (int column = 0; column < image.width; ++column) {
      std::uint32_t pixel;
      std::memcpy(&pixel,
                  cairo_image_surface_get_data(surface) +
                      static_cast<std::ptrdiff_t>(row) * cairo_image_surface_get_stride(surface) + 4 * column,
                  sizeof pixel);
      const auto channel = [&](int shift) { return static_cast<double>(pixel >> shift & 255) / 255; };
      image.at(column, row) = {channel(16), channel(8), channel(0)};
    }
  cairo_surface_destroy(surface);
  return image;
}

inline const Colour& pixel(const Image& image, int x, int y) {
  return image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                      static_cast<std::size_t>(x)];
}
inline double darkness(const Colour& c) { return 1 - (c.red + c.green + c.blue) / 3; }
/// Of heat(), above 0; of ink and of white, 0.
inline double hue(const Colour& c) {
  const double spread = std::max({c.red, c.green, c.blue}) - std::min({c.red, c.green, c.blue});
  return std::max(0.0, spread - 0.12);
}

/// The frame of a figure: between its first two long dark upright lines, and the first and last level ones.
inline Box frame_of(const Image& image) {
  std::vector<int> columns, rows;
  for (int x = 1; x < image.width; ++x) {
    int dark = 0, before = 0;
    for (int y = 0; y < image.height; ++y) {
      dark += darkness(pixel(image, x, y)) > 0.3;
      before += darkness(pixel(image, x - 1, y)) > 0.3;
    }
    if (dark > 0.5 * image.height && before <= 0.5 * image.height) columns.push_back(x);
  }
  for (int y = 0; y < image.height; ++y) {
    int dark = 0;
    for (int x = 0; x < image.width; ++x) dark += darkness(pixel(image, x, y)) > 0.3;
    if (dark > 0.5 * image.width) rows.push_back(y);
  }
  if (columns.size() < 2 || rows.empty()) return {};
  return {static_cast<double>(columns[0]), static_cast<double>(rows.front()),
          static_cast<double>(columns[1] - columns[0]), static_cast<double>(rows.back() - rows.front())};
}

/// The mean place of what is coloured in a box, in shares of it, y upwards.
inline Vec2 middle_of_mass(const Image& image, const Box& box) {
  double sum = 0, x_sum = 0, y_sum = 0;
  for (int y = static_cast<int>(box.y); y < box.bottom(); ++y)
    for (int x = static_cast<int>(box.x); x < box.right(); ++x) {
      const double weight = hue(pixel(image, x, y));
      sum += weight;
      x_sum += weight * (x + 0.5 - box.x) / box.width;
      y_sum += weight * (1 - (y + 0.5 - box.y) / box.height);
    }
  return {x_sum / sum, y_sum / sum};
}

}  // namespace riemflow::figure
