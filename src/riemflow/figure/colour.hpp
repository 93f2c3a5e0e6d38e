#pragma once
// Colours, and the one map from a share to a colour.

namespace riemflow::figure {

/// sRGB in [0, 1].
struct Colour {
  double red = 0, green = 0, blue = 0, alpha = 1;
  Colour with_alpha(double a) const { return {red, green, blue, a}; }
};

// Told apart by people with any kind of colour vision, and on every colour of heat(): by lightness too.
inline constexpr Colour kBlack{0, 0, 0}, kWhite{1, 1, 1};
inline constexpr Colour kInk{0.13, 0.14, 0.17};        ///< text, axes, coastlines
inline constexpr Colour kFaint{0.62, 0.64, 0.68};      ///< graticule, rules
inline constexpr Colour kNothing{0.93, 0.935, 0.945};  ///< where there is no value
inline constexpr Colour kBlue{0.0, 0.36, 0.62};        ///< training points, first curve
inline constexpr Colour kOrange{0.85, 0.37, 0.01};     ///< second curve
inline constexpr Colour kTeal{0.0, 0.62, 0.45};        ///< test points, third curve
inline constexpr Colour kPurple{0.46, 0.27, 0.66};     ///< samples, fourth curve

/// Oklab (Björn Ottosson, 2020) to sRGB; clipped to what a screen can show.
Colour from_oklab(double lightness, double a, double b);

/// Of a share in [0, 1]: from nearly white by yellow and red to dark violet. Lightness falls at a constant
/// rate in Oklab, so equal steps look equal, in grey as in colour. NaN is kNothing.
Colour heat(double share);

}  // namespace riemflow::figure
