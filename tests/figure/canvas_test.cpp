#include "riemflow/figure/canvas.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

std::string drawing(FileKind kind) {
  Canvas canvas(kind, 120, 80);
  Image picture(2, 1);
  picture.at(0, 0) = kBlue;
  picture.at(1, 0) = {1, 0, 0, 0.5};
  canvas.image(picture, {10, 10, 40, 20});
  canvas.stroke(ring({60, 40}, 20), {kInk, 1});
  canvas.dots({{60, 40}, {20, 60}}, 3, kTeal, 0.5);
  canvas.text({60, 75}, "density, 1/km² · −90°", {});
  return canvas.finish();
}

TEST(Canvas, SameDrawingSameBytesInEachFormat) {
  EXPECT_EQ(drawing(FileKind::png).substr(1, 3), "PNG");
  EXPECT_NE(drawing(FileKind::svg).find("<svg"), std::string::npos);
  EXPECT_EQ(drawing(FileKind::pdf).substr(0, 4), "%PDF");
  for (FileKind kind : {FileKind::png, FileKind::svg, FileKind::pdf})
    EXPECT_TRUE(drawing(kind) == drawing(kind));
}

TEST(Canvas, FormatByTheEnding) {
  EXPECT_EQ(file_kind("a/b.map.svg"), FileKind::svg);
  EXPECT_THROW(file_kind("map.jpg"), Error);
  EXPECT_THROW(file_kind("png"), Error);
}

TEST(Canvas, TextGrowsWithItsSize) {
  Canvas canvas(FileKind::svg, 10, 10);
  const double small = canvas.text_width("latitude", {.size = 6});
  EXPECT_GT(small, 15);
  EXPECT_NEAR(canvas.text_width("latitude", {.size = 12}), 2 * small, 1e-6);
}

TEST(Canvas, TextOfAnyBytes) {
  for (const FileKind kind : {FileKind::png, FileKind::svg, FileKind::pdf}) {
    Canvas canvas(kind, 100, 20);
    const TextStyle style;
    const double one = canvas.text_width("\uFFFD", style);
    for (const char* bad : {"\xff", "\x80", "\x1b", "\xc0", "\xe9"})
      EXPECT_NEAR(canvas.text_width(bad, style), one, 1e-9);
    EXPECT_NEAR(canvas.text_width("\xed\xa0\x80", style), 3 * one, 1e-9);
    canvas.text({1, 10}, "caf\xe9 <b> & \x01 \xf4\x90\x80\x80 φ 𝜑", style);
    EXPECT_NO_THROW(canvas.finish());
  }
}

double luminance(const Colour& c) {
  const auto linear = [](double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

// What people see as lightness (CIE L*) falls all the way, without a flat piece: readable in grey.
TEST(Heat, LightnessFallsEvenly) {
  const auto lightness = [](double share) { return 116 * std::cbrt(luminance(heat(share))) - 16; };
  EXPECT_GT(lightness(0), 95);
  EXPECT_LT(lightness(1), 35);
  const double mean = (lightness(0) - lightness(1)) / 50;
  for (int i = 0; i < 50; ++i) {
    const double fall = lightness(i / 50.0) - lightness((i + 1) / 50.0);
    EXPECT_GT(fall, 0.5 * mean) << i;
    EXPECT_LT(fall, 1.6 * mean) << i;
  }
}

TEST(Heat, NothingHasAColourOfItsOwn) {
  EXPECT_EQ(heat(std::nan("")).blue, kNothing.blue);
  EXPECT_EQ(heat(-1).red, heat(0).red);
  EXPECT_EQ(heat(2).red, heat(1).red);
}

// White, black: the matrices of Oklab are those of sRGB.
TEST(Oklab, EndsOfTheGreyAxis) {
  const Colour white = from_oklab(1, 0, 0), grey = from_oklab(0.5, 0, 0);
  EXPECT_NEAR(white.red, 1, 1e-3);
  EXPECT_NEAR(white.green, 1, 1e-3);
  EXPECT_NEAR(white.blue, 1, 1e-3);
  EXPECT_NEAR(grey.red, grey.green, 1e-3);
  EXPECT_NEAR(grey.blue, grey.green, 1e-3);
}

}  // namespace
}  // namespace riemflow::figure
