#pragma once
// Pictures against those in tests/figure/golden, which RIEMFLOW_GOLDEN=write makes anew. They are small, for
// the texts are not compared: fonts differ between machines.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/figure/pixels.hpp"

namespace riemflow::figure {

/// The mean difference of the pixels, after each block of 4 × 4 has been averaged: where a line lies by half
/// a pixel does not count.
inline double difference(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height) return 1;
  constexpr int kBlock = 4;
  double sum = 0, n = 0;
  const auto at = [](const Image& image, int x, int y) {
    return image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                        static_cast<std::size_t>(x)];
  };
  for (int y = 0; y + kBlock <= a.height; y += kBlock)
    for (int x = 0; x + kBlock <= a.width; x += kBlock) {
      double red = 0, green = 0, blue = 0;
      for (int i = 0; i < kBlock * kBlock; ++i) {
        const Colour p = at(a, x + i % kBlock, y + i / kBlock), q = at(b, x + i % kBlock, y + i / kBlock);
        red += p.red - q.red;
        green += p.green - q.green;
        blue += p.blue - q.blue;
      }
      sum += (std::abs(red) + std::abs(green) + std::abs(blue)) / (3 * kBlock * kBlock);
      ++n;
    }
  return sum / n;
}

inline void expect_golden(const std::string& name, const std::string& png) {
  const std::string path = std::string(RIEMFLOW_SOURCE_DIR) + "/tests/figure/golden/" + name + ".png";
  if (const char* mode = std::getenv("RIEMFLOW_GOLDEN"); mode != nullptr && std::string(mode) == "write") {
    std::ofstream(path, std::ios::binary) << png;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path;
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_LT(difference(read_png(png), read_png(golden.str())), 0.002) << name;
}

}  // namespace riemflow::figure
