#pragma once
// The density of a model on a regular grid of its manifold.

#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "apps/riemflow/support/options.hpp"
#include "riemflow/engine/density.hpp"
#include "riemflow/io/model_file.hpp"
#include "riemflow/manifold/lattice.hpp"

namespace riemflow::app {

/// What a user may say of a grid.
struct GridChoice {
  std::string per;  ///< measure of the density; empty: the manifold's own
  std::string longitude = "-180";
  double resolution = 0, extent = 0;  ///< 0: the manifold's own
};

struct GridLayout {
  Lattice lattice;
  double resolution = 0;
  std::string resolution_unit;
  std::string units;    ///< of the density, as UDUNITS writes them: "sr-1"
  std::string measure;  ///< in words: "steradian"
  /// What is added to log p for a density per `measure`; empty: nothing.
  std::function<double(const double* point)> log_factor;
};

/// Throws Error for a manifold that is not of two dimensions, and for a choice that makes no sense on it.
GridLayout layout_of(const GridChoice& choice, const Model& model);

struct GridSummary {
  std::size_t failed = 0, outside = 0;
  double mass = 0, largest = 0, smallest = std::numeric_limits<double>::infinity();
};

/// Evaluates n cells from `first` on, row by row; log-densities per `measure`, NaN where it fails or where
/// there is no point.
template <class T>
std::vector<double> evaluate_cells(Density<T>& density, const GridLayout& layout, std::size_t first,
                                   std::size_t n, GridSummary& summary);

/// A whole grid in memory.
struct DensityGrid {
  GridLayout layout;
  std::vector<double> log_density;  ///< [row][column], per layout.measure; NaN where there is none
  GridSummary summary;
};
/// With exact divergences, and progress said. Throws Exit{kInterrupted} on Ctrl-C.
DensityGrid density_grid(const Model& model, const ModelChoice& choice, const GridLayout& layout);

/// Cells evaluated at a time.
inline constexpr std::size_t kCellsAtOnce = 1 << 15;

/// Says how far it is, now and then, once it takes long.
class GridProgress {
 public:
  void at(std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  double next_ = 5;
};

}  // namespace riemflow::app
