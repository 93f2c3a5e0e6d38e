#pragma once
// Points that are to be on a manifold.

#include <string>
#include <vector>

#include "riemflow/core/error.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Throws Error(Fault::bad_data) naming the first point that is not; the first of all has the number `from`.
template <class T>
void check_on_manifold(const Manifold<T>& manifold, const Points<T>& points, std::size_t from = 0) {
  const auto size = static_cast<std::size_t>(manifold.ambient());
  require(
      points.values.empty() || (points.dimension == manifold.ambient() && points.values.size() % size == 0),
      "the points have " + std::to_string(points.dimension) + " coordinates and " +
          std::to_string(points.values.size()) + " numbers",
      manifold.name() + " needs " + std::to_string(size) + " coordinates per point", Fault::bad_data);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto defect = manifold.defect(points[i]))
      throw Error("point " + std::to_string(from + i) + " is not on " + manifold.name() + ": " + *defect,
                  "correct or remove it", Fault::bad_data);
  }
}

/// Rounded to T; those that rounding takes off the manifold (near the rim of a ball) are projected.
template <class T>
Points<T> rounded_onto(const Manifold<T>& manifold, const Points<double>& points) {
  Points<T> result = converted<T>(points);
  std::vector<Pack<T>> x(static_cast<std::size_t>(points.dimension));
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!manifold.defect(result[i])) continue;
    for (std::size_t c = 0; c < x.size(); ++c) x[c] = Pack<T>(result[i][c]);
    manifold.project(x.data());
    for (std::size_t c = 0; c < x.size(); ++c) result[i][c] = x[c][0];
  }
  return result;
}

}  // namespace riemflow
