#pragma once
// The Earth as the unit sphere: x = (cos φ cos λ, cos φ sin λ, sin φ) at latitude φ and longitude λ.

#include <cmath>
#include <numbers>

namespace riemflow {

/// The mean radius of the IUGG, (2a + b)/3, in km.
inline constexpr double kEarthRadiusKm = 6371.0088;
/// km² a steradian.
inline constexpr double kEarthKm2PerSr = kEarthRadiusKm * kEarthRadiusKm;
inline constexpr double kRadians = std::numbers::pi / 180;

/// Of latitude and longitude in radians.
inline void earth_point(double latitude, double longitude, double* x) {
  const double c = std::cos(latitude);
  x[0] = c * std::cos(longitude);
  x[1] = c * std::sin(longitude);
  x[2] = std::sin(latitude);
}

}  // namespace riemflow
