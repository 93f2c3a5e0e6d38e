#pragma once
// The paper's figures, from results alone. A figure whose cells have no runs is left out.

#include <vector>

#include "apps/riemflow/reproduce/experiment.hpp"

namespace riemflow::app {

/// The part of the disk around the target of α, a square that ends just beyond the rim: half its side. The
/// target's size there is about 1 − tanh²α.
double disk_window(double alpha);
inline constexpr double kWindowEdge = 1.03;  ///< x of the square's right side

/// Cells are "VARIANT alpha=α", a variant a column.
struct DiskCells {
  std::vector<double> alphas;
  std::vector<std::string> variants;
};

/// Densities of target and models on the disk, α by α: densities.png.
void add_disk_densities(const Results& results, const DiskCells& cells, std::vector<FigureFile>& figures);
/// NLL over iterations with 95 % bands, α by α: nll.png.
void add_disk_nll(const Results& results, const DiskCells& cells, std::vector<FigureFile>& figures);
/// NLL and evaluations of the field over iterations, and the time of training, of the variants: ablation.png.
void add_disk_ablation(const Results& results, const DiskCells& cells, std::vector<FigureFile>& figures);
/// Loss and validation over iterations with 95 % bands, data set by data set: curves.png.
void add_earth_curves(const Results& results, const std::vector<std::string>& sets,
                      std::vector<FigureFile>& figures);

}  // namespace riemflow::app
