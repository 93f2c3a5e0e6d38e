#pragma once
// Pole densities of textures that no lattice of fibres resolves: from where the poles of many draws lie. It
// costs what the draws cost, however narrow the texture is and however many peaks it has.

#include "riemflow/figure/disc_lattice.hpp"
#include "riemflow/figure/fibre.hpp"

namespace riemflow::figure {

/// The poles of all equivalents of h, counted in the cells of a lattice of equal areas and smoothed as far as
/// the counts cannot tell the difference. P at a point is the smooth of largest width for which all smooths
/// of smaller widths agree within three of their standard errors (Lepski's choice); widths go from 0.7 steps
/// up by √2. A smooth is that by two Gaussians whose second moments cancel, so that a peak of deviation σ
/// loses a share of the order (width/σ)⁴. What is narrower than the step is blurred to it.
///
/// Of a million draws, peaks of a half-width of 1.5° of cubic crystals are within 5 % of their height, other
/// places within 5 % and 0.4 % of the height.
DiscLattice pole_lattice_of_draws(const PoleFibres& fibres, const Points<double>& rotations, int across);

}  // namespace riemflow::figure
