#pragma once
// A grid of densities as a file.

#include <functional>
#include <string>
#include <vector>

#include "riemflow/model/density_grid.hpp"

namespace riemflow::app {

enum class GridFormat { csv, npy, netcdf };

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
