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

inline std::optional<Surface> surface_of(const Manifold<double>& manifold) {
  switch (manifold.picture().kind) {
    case Picture::Kind::globe:
      return Surface::globe;
    case Picture::Kind::torus:
      return Surface::torus;
    case Picture::Kind::disk:
      return Surface::disk;
    case Picture::Kind::plane:
      return Surface::plane;
    case Picture::Kind::pairs:
    case Picture::Kind::axes:
    case Picture::Kind::rotations:
    case Picture::Kind::cover:
      break;
  }
  return std::nullopt;
}

}  // namespace riemflow::figure
