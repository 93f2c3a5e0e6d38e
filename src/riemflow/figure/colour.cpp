#include "riemflow/figure/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace riemflow::figure {
namespace {

double to_srgb(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

/// Linear between equally spaced knots.
template <std::size_t N>
double between(const std::array<double, N>& knots, double share) {
  const double at = share * static_cast<double>(N - 1);
  const std::size_t i = std::min(static_cast<std::size_t>(at), N - 2);
  const double t = at - static_cast<double>(i);
  return (1 - t) * knots[i] + t * knots[i + 1];
}

}  // namespace

Colour from_oklab(double lightness, double a, double b) {
  const double l = std::pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
  const double m = std::pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
  const double s = std::pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
  return {to_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          to_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          to_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

Colour heat(double share) {
  if (std::isnan(share)) return kNothing;
  const double t = std::clamp(share, 0.0, 1.0);
  constexpr double kLightest = 0.985, kDarkest = 0.34;
  // Of hue (degrees) and chroma, chosen inside of what sRGB can show at the lightness there.
  constexpr std::array<double, 6> hue = {100, 88, 62, 34, 8, -38};
  constexpr std::array<double, 6> chroma = {0.012, 0.105, 0.15, 0.185, 0.175, 0.13};
  const double angle = between(hue, t) * std::numbers::pi / 180, c = between(chroma, t);
  return from_oklab(kLightest + (kDarkest - kLightest) * t, c * std::cos(angle), c * std::sin(angle));
}

}  // namespace riemflow::figure
