#pragma once
// The density of a model on a regular grid of its manifold.

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/manifold/lattice.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// What a user may say of a grid.
struct GridChoice {
  std::string per;  ///< measure of the density; empty: the manifold's own
  std::string longitude = "-180";
  double resolution = 0, extent = 0;  ///< 0: the manifold's own
  std::string cell = "mean";  ///< what a cell holds: the density's mean in it, or that at its "centre"
};

struct GridLayout {
  Lattice lattice;
  double resolution = 0;
  std::string resolution_unit;
  std::string units;    ///< of the density, as UDUNITS writes them: "sr-1"
  std::string measure;  ///< in words: "steradian"
  bool means = true;    ///< else densities at the centres
  /// What is added to log p for a density per `measure`; empty: nothing.
  std::function<double(const double* point)> log_factor;
  /// Of a cell, in `measure`.
  std::function<double(std::size_t row, std::size_t column)> size;
};

/// Throws Error for a manifold that is not of two dimensions, and for a choice that makes no sense on it.
GridLayout layout_of(const GridChoice& choice, const Model& model);

struct GridSummary {
  std::size_t failed = 0, outside = 0;
  /// error: estimate of what the mass is wrong by, of means; of centres it is not known.
  double mass = 0, error = 0, largest = 0, smallest = std::numeric_limits<double>::infinity();
};

/// Log-densities and masses of the cells from `first` on, [row][column].
using CellVisitor = std::function<void(std::size_t first, const std::vector<double>& log_density,
                                       const std::vector<double>& masses)>;
/// Visits all cells, row by row, with exact divergences. Throws Cancelled where the observer asks for it.
GridSummary visit_cells(const Model& model, const Evaluation& how, const GridLayout& layout,
                        const std::string& task, TaskObserver& observer, const CellVisitor& visit);

/// A whole grid in memory.
struct DensityGrid {
  GridLayout layout;
  std::vector<double> log_density;  ///< [row][column], per layout.measure; NaN where there is none
  std::vector<double> masses;       ///< [row][column]
  GridSummary summary;
};
DensityGrid density_grid(const Model& model, const Evaluation& how, const GridLayout& layout,
                         TaskObserver& observer);

}  // namespace riemflow
