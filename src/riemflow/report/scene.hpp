#pragma once
// What the page draws of a model: its two-dimensional manifold as a flat sheet, the density on it, points and
// the samples on their way from the base.
//
// Sheet: (across, up) in [−1, 1]². The Earth: longitude/180°, latitude/90°. Torus: angle 1/180°, angle
// 2/180°. Ball and plane: x/half, y/half.

#include <optional>
#include <string>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/figure/surface.hpp"
#include "riemflow/fit/provenance.hpp"
#include "riemflow/model/density_grid.hpp"

namespace riemflow::report {

/// Points on the sheet, 1 as 32767; [point][across, up].
using SheetPoints = std::vector<std::int16_t>;

struct Scene {
  figure::Surface surface = figure::Surface::globe;
  double half = 180;  ///< of the sheet's side across: degrees, or the coordinates of ball and plane
  double curvature = 0;

  DensityGrid grid;                   ///< the density as it was computed
  std::size_t rows = 0, columns = 0;  ///< of the density, from the sheet's lower left corner
  std::vector<double> log_density;    ///< [row][column]; NaN where there is none
  double low = 0, high = 0;           ///< of the log-densities that codes() tells apart
  double shown_low = 0;               ///< of the lightest colour: 99.5 % of the mass lie above

  std::vector<SheetPoints> frames;  ///< of the samples, from the base to the data; one where nothing flows
  std::size_t lost = 0;             ///< samples whose solve failed

  SheetPoints sheet(const Points<double>& points) const;
  /// A byte a cell: 0 for none, else the log-density is low + (code − 1)/254 · (high − low).
  std::string codes() const;
  /// Largest relative error of a density that is read back from its code, above exp(low).
  double precision() const;
};

/// Draws the samples and evaluates the density. Nothing for a manifold that has no such picture. data: what a
/// plane must hold.
std::optional<Scene> make_scene(const Model& model, const Evaluation& how, const Points<double>& data,
                                TaskObserver& observer);

/// The picture of a scene for readers without scripts, as PNG: the figure that draw() makes. data: null for
/// none.
std::string still_png(const Model& model, const Scene& scene, const ModelData* data);

/// The figure of `riemflow plot` as PNG, where there is no scene: pole figures of orientations, pairs of
/// coordinates.
std::string drawn_png(const Model& model, const Evaluation& how, const ModelData* data,
                      TaskObserver& observer);

}  // namespace riemflow::report
