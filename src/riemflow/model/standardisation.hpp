#pragma once
// Euclidean coordinates in units of their own spread: y = (x − m)/s for each number of a point, with m and s
// the mean and the standard deviation of the data. A density q of y is one of x,
//   log p(x) = log q((x − m)/s) − Σ log s,
// so that a model need not know whether a depth is in metres or in kilometres, nor where a grid has its
// origin. Numbers of other factors stay as they are: m = 0, s = 1.

#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

struct Standardisation {
  std::vector<double> shift, scale;  ///< one for each number of a point; none: nothing is changed

  bool identity() const { return scale.empty(); }
  /// Σ log s
  double log_scale() const;
  Points<double> standardised(Points<double> points) const;
  Points<double> in_units(Points<double> points) const;
};

/// Of the Euclidean factors; the identity where there is none. A coordinate whose deviation is 0, or lost to
/// rounding, has none: its number is returned in `constant`, unless null, and its scale is 1.
Standardisation standardisation_of(const Manifold<double>& manifold, const Points<double>& points,
                                   std::vector<std::size_t>* constant = nullptr, const Weights& weights = {});

/// Which numbers of a point are those of Euclidean factors.
std::vector<bool> euclidean_numbers(const Manifold<double>& manifold);

}  // namespace riemflow
