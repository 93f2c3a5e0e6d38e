#pragma once
// What formulas ask of a family of kernels (manifold/declarations.hpp). Each question has an answer for every
// family, so that a new one is asked by the compiler.

#include "riemflow/manifold/declarations.hpp"

namespace riemflow {

/// Elliptic kernels are normals of the surrounding space seen from the centre (kernels.hpp), not of the
/// tangent space.
constexpr bool is_seen_from_centre(KernelForm::Family family) {
  switch (family) {
    case KernelForm::Family::chord:
      return true;
    case KernelForm::Family::circles:
    case KernelForm::Family::normal:
    case KernelForm::Family::hyperbolic:
    case KernelForm::Family::none:
      break;
  }
  return false;
}

/// Distances are geodesic ones, with 1 + K|x|² as a number more; of others the straight ones of embedded
/// points.
constexpr bool is_hyperbolic(KernelForm::Family family) {
  switch (family) {
    case KernelForm::Family::hyperbolic:
      return true;
    case KernelForm::Family::chord:
    case KernelForm::Family::circles:
    case KernelForm::Family::normal:
    case KernelForm::Family::none:
      break;
  }
  return false;
}

/// Elliptic kernels see coordinates themselves, which close, not embedded points.
constexpr bool closes(KernelForm::Family family) {
  switch (family) {
    case KernelForm::Family::circles:
      return true;
    case KernelForm::Family::chord:
    case KernelForm::Family::normal:
    case KernelForm::Family::hyperbolic:
    case KernelForm::Family::none:
      break;
  }
  return false;
}

}  // namespace riemflow
