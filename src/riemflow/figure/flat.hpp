#pragma once
// Densities over plain axes: the torus of two angles, with Ramachandran's axes, and the plane.

#include <array>
#include <string>

#include "riemflow/figure/density_chart.hpp"

namespace riemflow::figure {

/// Coordinates in degrees, −180 … 180. Paths and points may be any; paths and contours go on at the other
/// side.
std::string draw_torus(const Sheet& sheet, const DensityChart& chart,
                       const std::array<std::string, 2>& names);

/// The axes span the chart's grid.
std::string draw_plane(const Sheet& sheet, const DensityChart& chart,
                       const std::array<std::string, 2>& names);

/// Of the longer way from one angle to the next, in degrees, none is drawn: the line is cut at ±180, and goes
/// on at the other side.
Lines cut_at_seam(const Lines& lines);

}  // namespace riemflow::figure
