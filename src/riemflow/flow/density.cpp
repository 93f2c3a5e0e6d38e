#include "riemflow/flow/density.hpp"

#include <string>

#include "riemflow/core/error.hpp"

namespace riemflow {

template <class T>
void Density<T>::check(const Points<T>& points) const {
  const auto size = static_cast<std::size_t>(manifold().ambient());
  require(
      points.values.empty() || (points.dimension == manifold().ambient() && points.values.size() % size == 0),
      "the points have " + std::to_string(points.dimension) + " coordinates and " +
          std::to_string(points.values.size()) + " numbers",
      manifold().name() + " needs " + std::to_string(size) + " coordinates per point", Fault::bad_data);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (const auto defect = manifold().defect(points[i]))
      throw Error("point " + std::to_string(i) + " is not on " + manifold().name() + ": " + *defect,
                  "correct or remove it", Fault::bad_data);
  }
}

template class Density<float>;
template class Density<double>;

}  // namespace riemflow
