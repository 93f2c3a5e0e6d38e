#pragma once
// Densities on coarse grids, for pictures.

#include <functional>

#include "apps/riemflow/reproduce/results.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/manifold/lattice.hpp"

namespace riemflow::app {

/// log p a point.
using LogDensity = std::function<std::vector<double>(const Points<double>&)>;

/// {"rows": [centres], "columns": [centres], "log_density": [row by row; null off the manifold and where it
/// is −∞ or failed]}; four digits. Densities are with respect to the Riemannian volume.
Json grid_of(const Lattice& lattice, const LogDensity& log_density);

}  // namespace riemflow::app
