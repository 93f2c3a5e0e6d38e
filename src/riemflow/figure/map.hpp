#pragma once
// Maps of the sphere: a density in colours, land, points and lines. Plain data in, nothing of models.

#include <span>
#include <string>

#include "riemflow/figure/canvas.hpp"
#include "riemflow/figure/colour_bar.hpp"
#include "riemflow/figure/earth_grid.hpp"
#include "riemflow/figure/legend.hpp"
#include "riemflow/figure/projection.hpp"

namespace riemflow::figure {

struct MapDots {
  std::vector<Vec3> points;
  Colour colour = kBlue;
  double radius = 1;  ///< points (1/72 inch)
  std::string label;  ///< in the legend; empty: none
};

struct MapLines {
  std::vector<SphereLine> lines;
  Pen pen;
  double halo = 0;  ///< width of a light rim
  std::string label;
};

struct Map {
  ProjectionKind projection = ProjectionKind::robinson;
  LatLon centre;
  EarthGrid density;  ///< without rows: none
  ColourBar bar;      ///< of the density: its scale and label
  bool coastlines = true;
  std::vector<MapLines> lines;  ///< in the order drawn; under the points
  std::vector<MapDots> dots;
  std::string title;
};

/// Width over height.
double map_aspect(const Map& map);
/// The map alone, as large as fits into the box, in its middle. degrees: label the graticule; the labels are
/// outside of the map.
void draw_map(Canvas& canvas, const Box& box, const Map& map, bool degrees = true);
std::vector<LegendEntry> map_legend(const Map& map);

/// A whole figure of one map: title, map, colour bar, legend. width: of the sheet, in points. Bytes of the
/// file.
std::string map_figure(FileKind kind, double width, double dpi, const Map& map);

/// Points of the manifold as unit vectors.
std::vector<Vec3> vectors_of(std::span<const double> values);

/// Several maps on one sheet, in rows and columns, with one colour bar and one legend.
struct MapSheet {
  /// [row][column], all of one aspect; colour bar and legend are those of the first map.
  std::vector<std::vector<Map>> maps;
  std::vector<std::string> row_titles, column_titles;  ///< either may be empty

  /// Bytes of the file. width: of the sheet, in points.
  std::string draw(FileKind kind, double width, double dpi) const;
};

}  // namespace riemflow::figure
