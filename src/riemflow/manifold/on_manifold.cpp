#include "riemflow/manifold/on_manifold.hpp"

#include <string>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
void check_on_manifold(const Manifold<T>& manifold, const Points<T>& points) {
  const auto size = static_cast<std::size_t>(manifold.ambient());
  require(
      points.values.empty() || (points.dimension == manifold.ambient() && points.values.size() % size == 0),
      "the points have " + std::to_string(points.dimension) + " coordinates and " +
          std::to_string(points.values.size()) + " numbers",
      manifold.name() + " needs " + std::to_string(size) + " coordinates per point", Fault::bad_data);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto defect = manifold.defect(points[i]))
      throw Error("point " + std::to_string(i) + " is not on " + manifold.name() + ": " + *defect,
                  "correct or remove it", Fault::bad_data);
  }
}

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

template void check_on_manifold(const Manifold<float>&, const Points<float>&);
template void check_on_manifold(const Manifold<double>&, const Points<double>&);
template Points<float> rounded_onto(const Manifold<float>&, const Points<double>&);
template Points<double> rounded_onto(const Manifold<double>&, const Points<double>&);

}  // namespace riemflow
