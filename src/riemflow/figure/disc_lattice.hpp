#pragma once
// Numbers over a disc, as of a hemisphere's directions, in colours and contours.

#include <vector>

#include "riemflow/figure/canvas.hpp"
#include "riemflow/figure/scale.hpp"

namespace riemflow::figure {

/// Values at the points of an n × n lattice over the square [−1, 1]², both ends included, [iy][ix]; the disc
/// has radius 1. Points up to 1.5 steps beyond the rim have values too, so that there is something between
/// them up to the rim; the others, and what could not be computed, are NaN.
struct DiscLattice {
  int n = 0;
  std::vector<double> values;

  DiscLattice() = default;
  explicit DiscLattice(int points);
  double step() const { return 2.0 / (n - 1); }
  Vec2 place(int ix, int iy) const { return {ix * step() - 1, iy * step() - 1}; }
  bool has_value(int ix, int iy) const;
  double& at(int ix, int iy) { return values[index(ix, iy)]; }
  double at(int ix, int iy) const { return values[index(ix, iy)]; }
  /// Linear between the points, by those that have values; NaN without any.
  double between(Vec2 place) const;
  /// The mean over the disc by area.
  double mean() const;
  /// The values within the disc.
  std::vector<double> inside() const;

 private:
  std::size_t index(int ix, int iy) const {
    return static_cast<std::size_t>(iy) * static_cast<std::size_t>(n) + static_cast<std::size_t>(ix);
  }
};

/// Of a hemisphere seen from its pole: Lambert's (Schmidt's net), in which equal areas are equal, or the
/// angle-preserving one (Wulff's net).
enum class HemisphereProjection { equal_area, stereographic };

/// Where on the sheet a disc is. Lattices are equal-area, whatever the disc is drawn in.
struct DiscView {
  Vec2 centre;
  double radius = 1;
  HemisphereProjection projection = HemisphereProjection::equal_area;
  bool x_up = false;  ///< x upwards and y to the left; otherwise x to the right and y upwards

  Vec2 on_sheet(Vec2 on_lattice) const;
  Vec2 on_lattice(Vec2 on_sheet) const;
};

/// In colours, up to the rim.
void draw_lattice(Canvas& canvas, const DiscView& view, const DiscLattice& lattice, const Scale& scale);
/// Where the value is `level`, on the sheet; a little beyond the rim too.
Lines lattice_contour(const DiscView& view, const DiscLattice& lattice, double level);

}  // namespace riemflow::figure
