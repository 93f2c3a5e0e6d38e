#pragma once
// Pole figures, as crystallographers know them: the upper half of the sample's directions as a disc, seen
// from the sample's Z, with X to the right and Y upwards unless asked otherwise; one disc for each direction
// of the crystals, all in the same colours.

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "riemflow/figure/density_chart.hpp"
#include "riemflow/figure/disc_lattice.hpp"
#include "riemflow/figure/pole_density.hpp"

namespace riemflow::figure {

struct PoleFigure {
  std::string label;    ///< "{100}"
  DiscLattice density;  ///< in multiples of the uniform one; without points: none
  /// The largest density, which may lie between the points of the lattice; NaN: that of the lattice.
  double highest = std::numeric_limits<double>::quiet_NaN();
  std::vector<Cloud> clouds = {};  ///< in the coordinates of the lattice (place_of_direction)
};

struct PoleFigures {
  std::vector<PoleFigure> panels;
  HemisphereProjection projection = HemisphereProjection::equal_area;
  bool x_up = false;                             ///< X upwards and Y to the left, as for rolled sheet
  std::array<std::string, 2> axes = {"X", "Y"};  ///< of the sample; "RD", "TD"
  ColourBar bar;
  std::vector<double> levels;  ///< of contours
  std::string note;            ///< in the legend: how the densities were found
};

/// The pole figures of a texture for these directions, with the bar and the levels for them. Settings of the
/// drawing are the caller's.
///
/// A texture that is broad enough is integrated over a lattice of fibres, as fine as its narrowest places, of
/// deviation σ, ask for: steps of 0.3 σ of the disc's radius, which are 0.4 σ in the middle and 0.6 σ across
/// the rim, and of 1.6 σ along a fibre. Where that would cost more than a million draws, P is that of a
/// million draws (pole_draws.hpp). The largest densities are those of the texture itself in both
/// (pole_top.hpp).
PoleFigures pole_figures(const Texture& texture, const std::vector<CrystalDirection>& directions,
                         std::optional<bool> log_scale = std::nullopt);

/// Side by side, at most four in a row, with the colour bar at the right and a legend below. No wider than
/// the sheet, and narrower where a few discs do not need it.
std::string draw_pole_figures(const Sheet& sheet, const PoleFigures& figures);

}  // namespace riemflow::figure
