#pragma once
// Directions of a crystal by the indices of the planes that they are normal to.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/figure/fibre.hpp"

namespace riemflow::figure {

struct CrystalDirection {
  std::string name;  ///< "{100}"
  Direction h;       ///< of length 1
};

/// Lengths a, b, c of the crystal's cell, in any unit.
using CellLengths = std::array<double, 3>;

/// "110", "1-10", and "11-20" of trigonal and hexagonal crystals: the normal of a plane with these indices,
/// with a along x and c along z. Crystals of the groups 1 and 2, whose cells have angles of their own: the
/// direction with these coordinates. Throws Error(Fault::usage) for what is no indices, and where the
/// direction depends on the lengths of the cell and there are none.
CrystalDirection crystal_plane(const CrystalGroup& group, const std::string& indices,
                               const std::optional<CellLengths>& cell = std::nullopt);

/// The ones that are looked at first: {100}, {110}, {111} of cubic crystals, {001}, {100}, {110} of
/// tetragonal, {0001}, {101̄0}, {112̄0} of trigonal and hexagonal ones, otherwise the axes x, y, z.
std::vector<CrystalDirection> usual_directions(const CrystalGroup& group);

}  // namespace riemflow::figure
