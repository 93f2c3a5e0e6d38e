#pragma once
// What CellMasses computes of one member of a density (model/cell_masses.hpp says how).

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>

#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/lattice.hpp"

namespace riemflow {

class CellMassPart {
 public:
  virtual ~CellMassPart() = default;
  /// masses += weight · ∫ p over each cell of the rows from `first` to before `last`.
  virtual void add(std::size_t first, std::size_t last, double weight, std::span<double> masses,
                   const std::function<void()>& between) = 0;
  /// Estimate, of all masses so far.
  virtual double error() const = 0;
};

/// parameters.wide may be 0.
std::unique_ptr<CellMassPart> kernel_cells(std::shared_ptr<const Manifold<double>> manifold,
                                           const KernelParameters& parameters, const Lattice& lattice,
                                           int threads);
/// log p at points; +∞ or NaN where it fails.
using LogDensity = std::function<std::vector<double>(const Points<double>&)>;
/// Of a density of which nothing is known but that it is smooth.
std::unique_ptr<CellMassPart> smooth_cells(LogDensity log_density, const Lattice& lattice);

inline double step_of(const LatticeAxis& axis) {
  return (axis.edges.back() - axis.edges.front()) / static_cast<double>(axis.centres.size());
}
/// Equal pieces of a length, none longer than `most`.
inline std::size_t pieces_of(double length, double most) {
  return static_cast<std::size_t>(std::max(1.0, std::ceil(length / most)));
}

}  // namespace riemflow
