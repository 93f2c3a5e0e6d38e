#pragma once
// What a density is per: a unit of the manifold's volume.

#include <string>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow::app {

struct DensityUnit {
  std::string name;     ///< as the option takes it
  std::string shown;    ///< "nats per …"
  double log_size = 0;  ///< log of the unit's volume: log p per unit = log p + log_size
};

/// per: "" for the manifold's own, sr or km2 or deg2 on sphere:2, rad or deg on a torus, where it means that
/// power of it which the dimension asks for, volume elsewhere; whole on compact covered spaces: densities are
/// multiples of the uniform one there, on rotations with respect to the Haar measure of mass 1. Throws
/// Error(Fault::usage) where the manifold has no such unit.
DensityUnit density_unit(const Manifold<double>& manifold, const std::string& per);

}  // namespace riemflow::app
