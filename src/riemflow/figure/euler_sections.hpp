#pragma once
// Sections through the space of Bunge's Euler angles at constant φ2, the other usual picture of a texture:
// φ1 to the right, Φ downwards, all in the same colours.

#include <string>
#include <vector>

#include "riemflow/figure/density_chart.hpp"
#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

/// Angles in degrees. Each section has values at n1 × n points, both ends included: φ1 from 0 to `first`, Φ
/// from 0 to `second`.
struct EulerSections {
  double first = 360, second = 180;
  int n1 = 0, n = 0;
  struct Section {
    double third = 0;             ///< φ2
    std::vector<double> density;  ///< [Φ][φ1], in multiples of the uniform one; NaN: none
  };
  std::vector<Section> sections;
  ColourBar bar;
  std::vector<double> levels;  ///< of contours
};

/// How far the angles go before everything comes back: φ1 has a full turn, because nothing is assumed of the
/// sample; φ2 what one turn of the group around z leaves, Φ half of 180° where a turn of the group takes z
/// to −z. (432 repeats itself three times in the rest, as in all textbooks: 360° × 90° × 90°.)
struct EulerRange {
  double first = 360, second = 180, third = 360;
};
EulerRange euler_range(const CrystalGroup& group);

/// Of a texture, at φ2 = 0, step, …; step 0: the least of 5, 10 and 20° with at most 18 sections. A sample
/// with the symmetry of rolled sheet needs φ1 to 90° only (`first`). `spacing` of the points.
EulerSections euler_sections(const Texture& texture, double first = 360, double step = 0,
                             double spacing = 2.5);

/// In rows and columns of a sheet that is about as wide as high, with the colour bar at the right.
std::string draw_euler_sections(const Sheet& sheet, const EulerSections& sections);

}  // namespace riemflow::figure
