#pragma once
// Points as users hold them (one row a point), and the one place where rows become tiles and back.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "riemflow/core/pack.hpp"

namespace riemflow {

/// n points of `dimension` numbers each, row-major.
template <class T>
struct Points {
  int dimension = 0;
  std::vector<T> values;

  Points() = default;
  Points(std::size_t n, int dim) : dimension(dim), values(n * static_cast<std::size_t>(dim)) {}

  std::size_t size() const {
    return dimension == 0 ? 0 : values.size() / static_cast<std::size_t>(dimension);
  }
  std::span<T> operator[](std::size_t i) { return {row(i), static_cast<std::size_t>(dimension)}; }
  std::span<const T> operator[](std::size_t i) const {
    return {values.data() + i * static_cast<std::size_t>(dimension), static_cast<std::size_t>(dimension)};
  }

  std::size_t tiles() const { return (size() + kLanes - 1) / kLanes; }
  /// Points in tile t: kLanes, fewer in the last.
  int lanes(std::size_t t) const {
    return static_cast<int>(std::min<std::size_t>(kLanes, size() - t * kLanes));
  }

  /// tile[i] = coordinate i of the points of tile t. The padding lanes of the last tile repeat its last
  /// point, so that no formula and no step control ever sees a made-up value.
  void load_tile(std::size_t t, Pack<T>* tile) const {
    const int valid = lanes(t);
    for (int l = 0; l < kLanes; ++l) {
      const auto point = (*this)[t * kLanes + static_cast<std::size_t>(std::min(l, valid - 1))];
      for (int i = 0; i < dimension; ++i) tile[i][l] = point[static_cast<std::size_t>(i)];
    }
  }
  /// The inverse; padding lanes are dropped.
  void store_tile(std::size_t t, const Pack<T>* tile) {
    for (int l = 0; l < lanes(t); ++l) {
      const auto point = (*this)[t * kLanes + static_cast<std::size_t>(l)];
      for (int i = 0; i < dimension; ++i) point[static_cast<std::size_t>(i)] = tile[i][l];
    }
  }

 private:
  T* row(std::size_t i) { return values.data() + i * static_cast<std::size_t>(dimension); }
};

/// The same numbers in another precision. Rounding to float leaves a manifold by no more than it must:
/// callers project where that matters.
template <class To, class From>
Points<To> converted(const Points<From>& points) {
  Points<To> result(points.size(), points.dimension);
  std::transform(points.values.begin(), points.values.end(), result.values.begin(),
                 [](From x) { return static_cast<To>(x); });
  return result;
}

template <class T>
bool is_finite(std::span<const T> point) {
  return std::all_of(point.begin(), point.end(), [](T x) { return std::isfinite(x); });
}

/// Those without NaN or infinity: the ones whose solves did not fail.
template <class T>
Points<T> finite_points(const Points<T>& points) {
  Points<T> finite;
  finite.dimension = points.dimension;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (is_finite<T>(points[i]))
      finite.values.insert(finite.values.end(), points[i].begin(), points[i].end());
  return finite;
}

/// All points, or of more than `most` that many at equal steps, in their order.
template <class T>
Points<T> thinned(const Points<T>& points, std::size_t most) {
  const std::size_t n = points.size();
  if (n <= most) return points;
  Points<T> kept(most, points.dimension);
  for (std::size_t k = 0; k < most; ++k) {
    const auto from =
        points[static_cast<std::size_t>((2 * static_cast<unsigned long long>(k) + 1) * n / (2 * most))];
    std::copy(from.begin(), from.end(), kept[k].begin());
  }
  return kept;
}

}  // namespace riemflow
