#pragma once
// What `riemflow plot` was asked for, read and checked, and the figures that it can draw.

#include <set>
#include <string>
#include <vector>

#include "apps/riemflow/support/data.hpp"
#include "apps/riemflow/support/failures.hpp"
#include "apps/riemflow/support/options.hpp"
#include "riemflow/figure/canvas.hpp"
#include "riemflow/fit/recorded.hpp"
#include "riemflow/model/density_grid.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

/// Points to draw, and what the legend says of them.
struct PlotPoints {
  Points<double> points;
  std::string label;  ///< "test points", "quakes.csv"
};

struct PlotRequest {
  // As typed.
  std::string output;
  ModelChoice choice;     ///< MODEL, or a training log for plot_curves
  DataFile data_choice;   ///< DATA
  std::string test_path;  ///< --test
  GridChoice grid;
  std::string scale;  ///< "linear", "log"; empty: the figure's own
  std::uint64_t samples = 0, trajectories = 0, seed = 0;
  std::string projection = "robinson";
  bool coastlines = true;
  std::string title;
  double width_mm = 180, dpi = 300;  ///< dpi: of a PNG, and of the density's pixels within the others
  bool quiet = false, allow_failures = false;

  // Read from it before anything is computed.
  figure::FileKind kind = figure::FileKind::png;
  std::vector<double> contours;  ///< shares of the mass in (0, 1), rising; empty: none
  double centre_latitude = 0, centre_longitude = 0;
  std::set<std::string> given;  ///< names of the options on the command line: "--per", "DATA"
  Model model;                  ///< not for plot_curves
  PlotPoints data, test;        ///< in kBlue and in kTeal; either may be empty

  double width() const { return width_mm / 25.4 * 72; }  ///< in points
  bool has(const std::string& option) const { return given.contains(option); }
};

/// A figure and what failed in it.
struct Drawing {
  std::string bytes;  ///< of the file
  /// Cells and points of it that could not be computed.
  std::size_t failed_cells = 0, cells = 0;
  Failures failures;  ///< of samples and trajectories
};

Drawing plot_map(const PlotRequest& request);     ///< sphere:2 of curvature 1
Drawing plot_disk(const PlotRequest& request);    ///< ball:2
Drawing plot_torus(const PlotRequest& request);   ///< torus:2
Drawing plot_plane(const PlotRequest& request);   ///< euclidean:2
Drawing plot_pairs(const PlotRequest& request);   ///< any other manifold: pairwise marginals of samples
Drawing plot_curves(const PlotRequest& request);  ///< a training log, .jsonl

/// Dots of a picture, at most kMostDots of the points, and what the legend says of them: how many, of how
/// many.
inline constexpr std::size_t kMostDots = 30'000;
PlotPoints dots_of(const Points<double>& points, const std::string& label);

/// --samples draws of the model; those that failed are left out, and counted.
Points<double> drawn_samples(const PlotRequest& request, Drawing& drawing);

/// --trajectories paths from the base to the density, each seen at `frames` times: [path][frame]. Those that
/// failed are left out, and counted.
std::vector<Points<double>> drawn_paths(const PlotRequest& request, int frames, Drawing& drawing);

}  // namespace riemflow::app
