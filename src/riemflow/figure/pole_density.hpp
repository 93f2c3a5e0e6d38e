#pragma once
// Pole densities of a texture: how often a direction h of the crystals points along a direction y of the
// sample, as a multiple of what it would be if the crystals lay at random.

#include <span>
#include <vector>

#include "riemflow/figure/crystal_plane.hpp"
#include "riemflow/figure/disc_lattice.hpp"
#include "riemflow/figure/fibre.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

/// P(y) = ½ Σ_±h mean over {R: R h = y} of the density, in multiples of the uniform one: a pole is an axis.
/// Its mean over all y is 1. y: unit vectors. The mean over a circle of rotations is that of `around` at
/// equal steps, fewer where turns of the group around h repeat them, which for a smooth density has an error
/// that falls faster than any power: with peaks of standard deviation σ, exp(−2π²σ²/step²). The points
/// of a circle where the density is NaN are left out.
std::vector<double> pole_density(const Texture& texture, const Direction& h, std::span<const Direction> y,
                                 int around = 72);

/// The same over the upper half of the sample's directions, in equal areas: a direction (x, y, z) is at
/// (x, y)/√(1 + z). across: points on a diameter.
DiscLattice pole_lattice(const Texture& texture, const Direction& h, int across = 73, int around = 72);
Direction direction_at(Vec2 on_lattice);
Vec2 place_of_direction(const Direction& upper);

/// Where the axes of the crystals that cannot be told from h point, in the upper half: R s h or −R s h for
/// each s that makes another axis.
std::vector<Direction> poles_of(const CrystalGroup& group, const Direction& h,
                                const Points<double>& rotations);

}  // namespace riemflow::figure
