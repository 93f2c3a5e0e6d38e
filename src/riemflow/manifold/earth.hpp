#pragma once
// The Earth as the unit sphere: x = (cos φ cos λ, cos φ sin λ, sin φ) at latitude φ and longitude λ.

#include <cmath>
#include <numbers>
#include <span>

#include "riemflow/core/degrees.hpp"

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

/// Of degrees, exact at their multiples of 90: the same point from either side of the seam, and one pole.
template <class T>
void unit_vector(double latitude, double longitude, std::span<T> x) {
  const SinCos phi = sincos_degrees(latitude), lambda = sincos_degrees(longitude);
  x[0] = static_cast<T>(phi.cos * lambda.cos);
  x[1] = static_cast<T>(phi.cos * lambda.sin);
  x[2] = static_cast<T>(phi.sin);
}

}  // namespace riemflow
