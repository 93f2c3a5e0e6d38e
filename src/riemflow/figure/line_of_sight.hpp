#pragma once
// Pictures of three coordinates seen along the third: at each place the largest density along the line of
// sight, so that every peak is seen with its height.

#include <functional>
#include <optional>
#include <vector>

#include "riemflow/figure/texture.hpp"

namespace riemflow::figure {

/// What is seen: a lattice of lines of sight.
struct Sight {
  int columns = 0, rows = 0;
  double step = 0;  ///< between neighbours, about, in radians
  struct Depths {
    double from, to;  ///< radians
  };
  /// None: nothing is seen there.
  std::function<std::optional<Depths>(int column, int row)> depths;
  std::function<Orientation(int column, int row, double depth)> rotation;
  /// A draw that is seen: on which line, or nearest to which, and how deep.
  struct Place {
    int column, row;
    double depth;
    std::size_t draw;
  };
  std::vector<Place> draws = {};
};

/// Draws of a texture and the density there, in multiples of the uniform one.
struct Probes {
  Points<double> rotations;
  std::vector<double> density;
};
Probes probes_of(const Texture& texture);

/// [row][column]; NaN where nothing is seen. Lines are looked through at steps of 6°; where draws lie near a
/// line, at their depths by parabolas of the logarithm, and at those of higher lines beside it. Values are
/// those of the density at a place of the line; of lines that no draw leads to, interpolated between those 6°
/// apart; where steps are wider than the narrowest peaks (`width`, finest_width), also at the draws nearest
/// to the line. Where peaks lie behind one another, one line in a thousand may have a tenth less than its
/// largest.
std::vector<double> largest_along(const Texture& texture, const Sight& sight, const Probes& probes,
                                  double width);

/// The largest density of all, climbed to from the highest probes.
double highest_density(const Texture& texture, const Probes& probes, double width);

}  // namespace riemflow::figure
