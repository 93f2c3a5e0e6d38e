#pragma once
// The largest pole density of a texture, as sharp as it is: a lattice has no point there.

#include "riemflow/figure/disc_lattice.hpp"
#include "riemflow/figure/fibre.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

/// Climbs from the highest places of the lattice, which is that of pole_lattice or pole_lattice_of_draws, and
/// returns the largest P found, a value of the density itself: its integrals over fibres are adaptive, to
/// 0.2 %, with nodes where the draws are. width: finest_width. Never less than 99 % of the lattice's largest
/// value if that is exact. NaN where nothing could be computed.
double highest_pole_density(const Texture& texture, const PoleFibres& fibres, const DiscLattice& lattice,
                            double width, const Points<double>& draws);

}  // namespace riemflow::figure
