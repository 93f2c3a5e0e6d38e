#pragma once
// A model as a figure: a map of the Earth for sphere:2, the hyperbolic disk for ball:2, plain axes for
// torus:2 and euclidean:2, pole figures, sections or the ball of rotation vectors for rotations, and for any
// other manifold its samples by pairs of coordinates.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "riemflow/core/enum_names.hpp"
#include "riemflow/core/task_observer.hpp"
#include "riemflow/figure/crystal_plane.hpp"
#include "riemflow/figure/density_chart.hpp"
#include "riemflow/figure/projection.hpp"
#include "riemflow/fit/training_log.hpp"
#include "riemflow/model/density_grid.hpp"
#include "riemflow/model/failures.hpp"

namespace riemflow {

/// Of rotations.
enum class RotationView {
  poles,       ///< pole figures
  sections,    ///< of Bunge's Euler angles, at constant φ2
  axis_angle,  ///< the ball of rotation vectors
};
constexpr auto names_of(RotationView) {
  return std::to_array<std::string_view>({"poles", "sections", "axis-angle"});
}

/// Points to draw, and what the legend says of them.
struct NamedPoints {
  Points<double> points;
  std::string label;  ///< "test points", "quakes.csv"
};

struct DrawOptions {
  figure::FileKind kind = figure::FileKind::png;
  std::string title;
  double width = 0;  ///< mm; 0: the figure's own, 180, or 120 where it is square
  double dpi = 300;  ///< of a PNG, and of the density's pixels within the others
  Evaluation evaluation;

  NamedPoints data, test;  ///< in kBlue and in kTeal; either may be empty
  /// Draws of the model, and paths of draws from the base to the density. No samples: 20,000 where they are
  /// the figure. The seed is also that of the draws from which figures of rotations are made.
  std::uint64_t samples = 0, trajectories = 0, seed = 0;

  // Of densities: not where samples are the figure.
  GridChoice grid;
  std::optional<bool> log_scale;  ///< of the colours; empty: the figure's own
  std::vector<double> contours;  ///< of the smallest regions with these shares of the mass, in (0, 1), rising

  // Of maps. centre: of a map of the whole world, on the equator.
  std::optional<figure::ProjectionKind> projection;  ///< Robinson's unless given
  std::optional<figure::LatLon> centre;
  bool coastlines = true;

  // Of models of rotations.
  std::optional<RotationView> rotations;  ///< poles of crystals and axis_angle of others unless given
  /// Planes of the crystal, by indices as "110" (figure/crystal_plane.hpp); none: the usual ones.
  std::vector<std::string> poles;
  std::optional<figure::CellLengths> lattice;  ///< of the crystal's cell, where the poles need them
  double sections = 0, phi1 = 0;  ///< degrees: between sections, and how far φ1 goes; 0: the figure's own
};

/// A figure and what failed in it.
struct Drawing {
  std::string bytes;                        ///< of the file
  std::size_t failed_cells = 0, cells = 0;  ///< of the density; those that failed are blank
  Failures failures;                        ///< of samples and trajectories, which are left out
};

/// Same model, same options, same bytes, for any number of threads. Throws Error(Fault::usage) for an option
/// that has no meaning on the model's manifold, and Cancelled where the observer asks for it.
Drawing draw(const Model& model, const DrawOptions& options, TaskObserver& observer);

/// Learning curves: loss, validation and evaluations of the field. width: in mm, 0 for 180.
std::string draw_training(const TrainingHistory& history, const DrawOptions& options);

}  // namespace riemflow
