#pragma once
// The paper's figures, from results alone: none where its cells have no runs, or no grids.

#include <vector>

#include "riemflow/reproduce/experiment.hpp"

namespace riemflow {

/// The part of the disk around the target of α, a square that ends just beyond the rim: half its side. The
/// target's size there is about 1 − tanh²α.
double disk_window(double alpha);
inline constexpr double kWindowEdge = 1.03;  ///< x of the square's right side

std::string disk_cell(const std::string& variant, double alpha);  ///< "VARIANT alpha=α"

/// Of disk_cell, a variant a column.
struct DiskCells {
  std::vector<double> alphas;
  std::vector<std::string> variants;
};

/// Densities of target and models on the disk, α by α: densities.png.
std::vector<FigureFile> disk_densities(const Results& results, const DiskCells& cells);
/// NLL over iterations with 95 % bands, α by α: nll.png.
std::vector<FigureFile> disk_nll(const Results& results, const DiskCells& cells);
/// NLL and evaluations of the field over iterations, and the time of training, of the variants: ablation.png.
std::vector<FigureFile> disk_ablation(const Results& results, const DiskCells& cells);
/// Loss and validation over iterations with 95 % bands, data set by data set: curves.png.
std::vector<FigureFile> earth_curves(const Results& results, const std::vector<std::string>& sets);

/// Base, model and target of vMF(−μ₀, 10), a row for each model: densities.png.
std::vector<FigureFile> vmf_densities(const Results& results);

/// Densities of the flows on the Earth, data set by data set: spheres.png and robinson.png. The points of the
/// split are on them where `data_dir` has the data sets.
std::vector<FigureFile> earth_maps(const Results& results, const std::string& data_dir,
                                   TaskObserver& observer);

/// Paths from the uniform distribution to that of volcanoes: paths.png.
std::vector<FigureFile> trajectory_map(const Results& results, const std::string& cell);

/// What the first run of a cell that has it holds under this name; null without.
const Json* of_first_run(const Results& results, const std::string& cell, const char* key);

}  // namespace riemflow
