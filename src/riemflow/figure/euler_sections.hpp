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
  double first = 360, second = 180, third = 360;
  double step = 0;  ///< of φ2
  int n1 = 0, n = 0;
  /// Whether a section shows the largest density from half a step below its φ2 to half a step above it, and
  /// not that at its φ2.
  bool thick = false;
  struct Section {
    double third = 0;             ///< φ2
    std::vector<double> density;  ///< [Φ][φ1], in multiples of the uniform one; NaN: none
  };
  std::vector<Section> sections;
  std::vector<Cloud> clouds = {};  ///< in the legend: the points of all sections
  /// Of each section, of each cloud: φ1 and Φ.
  std::vector<std::vector<std::vector<Vec2>>> dots = {};
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

struct SectionChoice {
  double first = 0;  ///< how far φ1 goes, 360 unless given; rolled sheet, whose symmetry is 222, needs 90
  double step = 0;   ///< of φ2: the least of 5, 10 and 20 with at most 18 sections unless given
  std::optional<bool> log_scale = std::nullopt;
};

/// At φ2 = 0, step, … Where the narrowest places of the texture are narrower than a step, so that peaks would
/// hide between the sections, these are thick (line_of_sight.hpp). Throws Error(Fault::usage) for a choice
/// beyond the ranges of the angles or of more than 72 sections.
EulerSections euler_sections(const Texture& texture, const SectionChoice& choice = {});

/// Rotations as dots of the sections that are nearest to their φ2, in all their names within the ranges.
void add_to_sections(EulerSections& sections, const CrystalGroup& group, const Cloud& legend,
                     const Points<double>& rotations);

/// In rows and columns of a sheet that is about as wide as high, with the colour bar at the right.
std::string draw_euler_sections(const Sheet& sheet, const EulerSections& sections);

}  // namespace riemflow::figure
