#pragma once
// Densities on coarse grids, for pictures.

#include "riemflow/fit/results.hpp"
#include "riemflow/manifold/lattice.hpp"
#include "riemflow/model/cell_mass_part.hpp"

namespace riemflow {

/// {"rows": [centres], "columns": [centres], "log_density": [row by row; null off the manifold and where it
/// is −∞ or failed]}; four digits. Densities are with respect to the Riemannian volume.
Json grid_of(const Lattice& lattice, const LogDensity& log_density);

}  // namespace riemflow
