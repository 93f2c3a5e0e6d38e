#pragma once
// A density over two coordinates, with points, paths and contours: what the disk, the torus and the plane
// have in common.

#include <functional>
#include <string>
#include <vector>

#include "riemflow/figure/axes.hpp"
#include "riemflow/figure/colour_bar.hpp"
#include "riemflow/figure/legend.hpp"

namespace riemflow::figure {

/// Points with one meaning.
struct Cloud {
  std::string label;
  Colour colour;
  std::vector<Vec2> points;
};

/// The outline of a region of highest density.
struct ContourLines {
  std::string label;  ///< "90 %"
  Lines lines;
};

struct Sheet {
  FileKind kind = FileKind::png;
  double width = 340, dpi = 300;  ///< points; height follows
  std::string title;
};

struct DensityChart {
  Scale x, y;          ///< ends of the grid
  int nx = 0, ny = 0;  ///< its cells
  /// [ix][iy], iy fastest, at the centres of the cells; NaN where there is none. Empty: no density.
  std::vector<double> density;
  ColourBar bar;
  std::vector<Cloud> clouds;
  Lines paths;  ///< each from the base to the density
  std::vector<ContourLines> contours;

  std::size_t cell(int ix, int iy) const {
    return static_cast<std::size_t>(ix) * static_cast<std::size_t>(ny) + static_cast<std::size_t>(iy);
  }
  double& at(int ix, int iy) { return density[cell(ix, iy)]; }
  double at(int ix, int iy) const { return density[cell(ix, iy)]; }
};

/// The colours of these values: from 0 to the largest.
ColourBar bar_for(const std::vector<double>& values, std::string label);
/// Whether linear colours would show little: half of the mass lies below a tenth of the largest density.
bool asks_for_log(const std::vector<double>& density, const std::vector<double>& mass);
/// Of a density, on a log scale from the level that 99.5 % of the mass lie above.
ColourBar log_bar_for(const std::vector<double>& density, const std::vector<double>& mass, std::string label);

/// A pixel a cell, y upwards.
Image image_of(const DensityChart& chart);
/// Contours at shares of the mass, in the coordinates of the chart. `mass` of each cell as `density`.
std::vector<ContourLines> contours_of(const DensityChart& chart, const std::vector<double>& mass,
                                      const std::vector<double>& shares, bool periodic = false);

/// Smaller, the more there are.
double dot_radius(std::size_t points);
/// Of their colour: less, the more there are, so that they do not hide what they lie on.
double dot_opacity(std::size_t points);
/// Of the i-th contour: the innermost whole, the outer ones more and more broken.
Pen contour_pen(std::size_t i);
void draw_contours(Frame& frame, const std::vector<ContourLines>& contours);
/// The paths, or what is seen of them, and where they end.
void draw_paths(Frame& frame, const Lines& pieces, const Lines& paths);
/// All dots of one size, by the number of them all.
void draw_clouds(Frame& frame, const std::vector<Cloud>& clouds);
/// Of contours, paths and points.
std::vector<LegendEntry> legend_of(const DensityChart& chart);

/// A square picture with the colour bar at its right, the title above and a legend below. `picture` draws
/// what is in the frame, and its axes.
std::string draw_square(const Sheet& sheet, const DensityChart& chart, const Axis& x, const Axis& y,
                        const std::vector<LegendEntry>& legend,
                        const std::function<void(Canvas&, Frame&)>& picture);

}  // namespace riemflow::figure
