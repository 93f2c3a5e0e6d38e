#pragma once
// A smooth function at all nodes of a closed lattice, computed at every s-th along both axes and, where cubic
// interpolation between those would err, at the others too.
//
// With h the distance of the computed nodes, cubic interpolation errs by at most 0.0234 h⁴|f⁗| along an axis,
// and the fourth difference of the values is h⁴f⁗ + O(h⁶). The largest of the 4 × 4 computed nodes around a
// place stands for what is between them: a feature that is narrower than h between nodes that all miss it is
// not seen, so h is for the caller to choose.

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "riemflow/manifold/lattice.hpp"

namespace riemflow {

class SparseNodes {
 public:
  using Node = std::array<std::size_t, 2>;  ///< row, column
  /// Values at the nodes, NaN where there is none.
  using Compute = std::function<std::vector<double>(const std::vector<Node>&)>;
  /// Whether the value is good enough with that error.
  using Settles = std::function<bool(Node node, double value, double error)>;

  /// The largest odd stride up to `most` by which the nodes of the lattice can be thinned out; 1 on lattices
  /// with an open end.
  static std::size_t stride_for(const std::array<std::size_t, 2>& nodes, double most, LatticeEnd rows,
                                LatticeEnd columns);

  SparseNodes(const std::array<std::size_t, 2>& nodes, std::size_t stride, LatticeEnd rows);

  /// The rows, which are in the lattice; computed nodes are kept for later calls.
  std::vector<std::vector<double>> rows(const std::vector<std::size_t>& rows, const Compute& compute,
                                        const Settles& settles);
  /// Forgets what rows before this one were computed from.
  void forget_before(std::size_t row);

 private:
  struct Stencil {
    std::ptrdiff_t first;           ///< computed node that the four begin at
    std::array<double, 4> weights;  ///< 0, 1, 0, 0 at a computed node
  };
  Stencil stencil(std::size_t node) const;
  std::vector<double> computed_row(std::ptrdiff_t row) const;
  std::vector<double> differences(std::ptrdiff_t row) const;

  std::array<std::size_t, 2> nodes_, computed_;
  std::size_t stride_;
  LatticeEnd row_end_;
  std::map<std::size_t, std::vector<double>> kept_;  ///< rows of computed nodes, by their number among these
};

}  // namespace riemflow
