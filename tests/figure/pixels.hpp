#pragma once
// A PNG, read back.

#include <cairo/cairo.h>

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

}  // namespace riemflow::figure
