#pragma once
// Numbers over a disc, as of a hemisphere's directions, in colours and contours.

#include <vector>

#include "riemflow/figure/canvas.hpp"
#include "riemflow/figure/scale.hpp"

namespace riemflow::figure {

/// Values at the points of an n × n lattice, [iy][ix], over a disc of radius 1 and a little more: three
/// points on each side lie beyond it, so that there are neighbours to interpolate between up to the rim.
/// Points farther than three steps from the disc, and what could not be computed, are NaN.
struct DiscLattice {
  int n = 0;
  std::vector<double> values;

  DiscLattice() = default;
  explicit DiscLattice(int points);  ///< at least 9
  double step() const { return 2.0 / (n - 7); }
  /// Of ix and iy that need not be whole.
  Vec2 place(double ix, double iy) const { return {(ix - 3) * step() - 1, (iy - 3) * step() - 1}; }
  bool has_value(int ix, int iy) const;
  double& at(int ix, int iy) { return values[index(ix, iy)]; }
  double at(int ix, int iy) const { return values[index(ix, iy)]; }
  /// By cubics through the points around (Catmull and Rom's), which show no edges where lines would, and are
  /// kept within the nearest four values stretched by a half; linear where one of the points has none.
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

/// In colours, up to the rim, or within another outline on the sheet. Where the lattice is finer than the
/// pixels, a pixel has the largest value in it: no peak is lost.
void draw_lattice(Canvas& canvas, const DiscView& view, const DiscLattice& lattice, const Scale& scale,
                  const Lines& outline = {});
/// Where the value is each of the levels, on the sheet; a little beyond the rim too.
std::vector<Lines> lattice_contours(const DiscView& view, const DiscLattice& lattice,
                                    const std::vector<double>& levels);

}  // namespace riemflow::figure
