#pragma once
// The paper's figures on the sphere, from results alone. A figure whose cells have no grids is left out.

#include "apps/riemflow/reproduce/experiment.hpp"

namespace riemflow::app {

/// Base, model and target of vMF(−μ₀, 10), a row for each model: densities.png.
void add_vmf_densities(const Results& results, std::vector<FigureFile>& figures);

/// Densities of the flows on the Earth, data set by data set: spheres.png and robinson.png. The points of the
/// split are on them where `data_dir` has the data sets.
void add_earth_maps(const Results& results, const std::string& data_dir, std::vector<FigureFile>& figures);

/// Paths from the uniform distribution to that of volcanoes: paths.png.
void add_trajectory_map(const Results& results, const std::string& cell, std::vector<FigureFile>& figures);

}  // namespace riemflow::app
