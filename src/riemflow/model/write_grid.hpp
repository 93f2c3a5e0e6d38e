#pragma once
// A grid of densities as a file.

#include <string>

#include "riemflow/io/netcdf_file.hpp"
#include "riemflow/model/density_grid.hpp"

namespace riemflow {

enum class GridFormat { csv, npy, netcdf };

/// Where a grid comes from, as NetCDF tells it.
struct GridSource {
  std::string model, command;
};

/// Axes with their bounds, density and log_density, with attributes and short names as the CF conventions 1.8
/// have them. log_density: [row][column], per layout.measure.
NetcdfContent grid_content(const GridLayout& layout, std::vector<double> log_density,
                           const GridSource& source);

/// Computes and writes, in pieces where the format allows it; numbers of CSV have the digits of the model's
/// precision, and cells that are not on the manifold are left out of it, but not those that failed, which are
/// nan. Throws Error, at once where the place cannot be written, and Cancelled; the file that was there stays
/// then.
GridSummary write_grid(const std::string& path, GridFormat format, const Model& model, const Evaluation& how,
                       const GridLayout& layout, const GridSource& source, TaskObserver& observer);

}  // namespace riemflow
