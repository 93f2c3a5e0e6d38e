#pragma once
// The mass of a density in each cell of a lattice, and by that its mean there, however narrow the density is.
// It is linear in its members, so that each is integrated by its own means:
//
// Kernels (kernel densities, mixtures of von Mises–Fisher) narrower than a few cells: one by one, around
//   their centres, a cell's part in boxes of at most 1.5 deviations by Gauss's rule of 3 × 3 nodes (2 × 2
//   where boxes are small). Beyond 5.3 deviations lies 1e-6 of a kernel, which is left out.
// Flows, wider kernels and the base: smooth, and expensive. With q = p√|G| the density in coordinates, s the
// side of a box,
//     mean q = q + c + O(s⁴),  c = s²/24 (∂₁² + ∂₂²)q by differences of neighbouring boxes.
//   What is left is about 10c²/q (7c²/q for a normal density), c by the sizes of the differences here and in
//   the boxes beside; a box that has more than is allowed is cut in 3 × 3, of which the middle is known, and
//   so on while the budget lasts. Where boxes are much smaller than 2°, q is interpolated between every few
//   of them as far as its fourth differences allow (model/sparse_nodes.hpp).

#include <functional>
#include <memory>
#include <vector>

#include "riemflow/manifold/lattice.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

class CellMassPart;

class CellMasses {
 public:
  /// Both must live as long. The density must be exact (Error otherwise), on the lattice's manifold.
  CellMasses(const Density& density, const Lattice& lattice);
  ~CellMasses();
  CellMasses(const CellMasses&) = delete;
  CellMasses& operator=(const CellMasses&) = delete;

  /// ∫ p over each cell of the rows from `first` to before `last`, row by row; NaN where p could not be
  /// computed. Quickest in rising order. `between` is called every tenth of a second or so; what it throws
  /// ends the computation. The same bits for any number of threads.
  std::vector<double> rows(std::size_t first, std::size_t last, const std::function<void()>& between = {});
  /// Estimate of what the masses so far are wrong by, all together.
  double error() const;

 private:
  struct Weighted {
    double weight;
    std::unique_ptr<CellMassPart> part;
  };
  const Lattice& lattice_;
  std::vector<Weighted> parts_;
};

}  // namespace riemflow
