#pragma once
// Values on a lattice of the Earth, between its points as well.

#include "riemflow/figure/contour.hpp"
#include "riemflow/figure/cut.hpp"

namespace riemflow::figure {

/// Cell-centred: rows from the south pole to the north, columns from longitude `west` eastwards.
struct EarthGrid {
  int rows = 0, columns = 0;
  double west = -180;
  std::vector<double> values;  ///< [row][column]; NaN where there is none

  /// Bilinear in latitude and longitude, across the seam as well; over a pole towards the cells beyond it.
  /// NaN near a NaN.
  double at(LatLon place) const;
  double latitude(double row) const { return -90 + (row + 0.5) * 180 / rows; }
  double longitude(double column) const { return west + (column + 0.5) * 360 / columns; }

  /// Where the value is `level`.
  std::vector<SphereLine> contour(double level) const;
};

}  // namespace riemflow::figure
