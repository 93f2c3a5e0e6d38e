#pragma once
// The manifolds of two dimensions that have a picture of their own.

#include <optional>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow::figure {

enum class Surface { globe, torus, disk, plane };

inline const char* name_of(Surface surface) {
  static constexpr const char* kNames[] = {"globe", "torus", "disk", "plane"};
  return kNames[static_cast<int>(surface)];
}

/// The globe is the sphere of curvature 1; other spheres have none.
inline std::optional<Surface> surface_of(const Manifold<double>& manifold) {
  const auto factors = manifold.factors();
  if (factors.size() != 1 || manifold.dimension() != 2) return std::nullopt;
  switch (factors[0].geometry) {
    case Geometry::sphere:
      return factors[0].curvature == 1 ? std::optional(Surface::globe) : std::nullopt;
    case Geometry::torus:
      return Surface::torus;
    case Geometry::ball:
      return Surface::disk;
    case Geometry::euclidean:
      return Surface::plane;
    case Geometry::covered:
      break;
  }
  return std::nullopt;
}

}  // namespace riemflow::figure
