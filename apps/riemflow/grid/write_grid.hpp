#pragma once
// A grid of densities as a file.

#include <functional>
#include <string>
#include <vector>

#include "riemflow/manifold/lattice.hpp"

namespace riemflow::app {

enum class GridFormat { csv, npy, netcdf };

struct GridLayout {
  Lattice lattice;
  double resolution = 0;
  std::string resolution_unit;
  std::string units;    ///< of the density, as UDUNITS writes them: "sr-1"
  std::string measure;  ///< in words: "steradian"
  /// What is added to log p for a density per `measure`; empty: nothing.
  std::function<double(const double* point)> log_factor;
};

/// Where a grid comes from.
struct GridSource {
  std::string version, model, command;
};

/// next(first): the log-densities of the cells from `first` on, row by row, as many as it likes; NaN where
/// there is none. It is called when the file has been opened, so that a place that cannot be written is found
/// at once. CSV leaves out cells that are not on the manifold, but not those that failed; `single`: numbers
/// with the digits of single precision.
void write_grid(const std::string& path, GridFormat format, const GridLayout& layout,
                const GridSource& source, bool single,
                const std::function<std::vector<double>(std::size_t first)>& next);

}  // namespace riemflow::app
