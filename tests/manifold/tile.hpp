#pragma once
// Tiles for tests: owning storage, random points and tangent vectors on any manifold.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "riemflow/core/random.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::test {

/// One pack a coordinate.
template <class T>
using Tile = std::vector<Pack<T>>;

template <class T>
Tile<T> make_tile(int rows) {
  return Tile<T>(static_cast<std::size_t>(rows), Pack<T>(0));
}

/// Storage for a PackMatrix.
template <class T>
struct TileMatrix {
  int rows, columns;
  Tile<T> values;

  TileMatrix(int r, int c) : rows(r), columns(c), values(make_tile<T>(r * c)) {}
  PackMatrix<T> view() { return {values.data(), columns}; }
  Tile<T> column(int j) {
    Tile<T> v;
    for (int i = 0; i < rows; ++i) v.push_back(view()(i, j));
    return v;
  }
};

/// The same point in every lane.
template <class T>
Tile<T> broadcast(const std::vector<double>& point) {
  Tile<T> x;
  for (double c : point) x.push_back(Pack<T>(c));
  return x;
}

/// Lane l as a row.
template <class T>
std::vector<T> lane(const Tile<T>& x, int l) {
  std::vector<T> point;
  for (const auto& c : x) point.push_back(c[l]);
  return point;
}

/// a + s b
template <class T>
Tile<T> plus(const Tile<T>& a, const Pack<T>& s, const Tile<T>& b) {
  Tile<T> r = a;
  for (std::size_t i = 0; i < a.size(); ++i) r[i] += s * b[i];
  return r;
}

template <class T>
Pack<T> dot(const Tile<T>& a, const Tile<T>& b) {
  return riemflow::dot(static_cast<int>(a.size()), a.data(), b.data());
}
template <class T>
Pack<T> length(const Tile<T>& a) {
  return sqrt(dot(a, a));
}

/// The largest |lane|, ∞ if one is NaN.
template <class T>
double worst(const Pack<T>& p) {
  double w = 0;
  for (T e : p.lane)
    w = std::isnan(e) ? std::numeric_limits<double>::infinity()
                      : std::max(w, std::abs(static_cast<double>(e)));
  return w;
}

template <class T>
Pack<T> random_pack(Random& random, double (Random::*draw)()) {
  Pack<T> r;
  for (int l = 0; l < kLanes; ++l) r[l] = static_cast<T>((random.*draw)());
  return r;
}
/// Independent standard normals.
template <class T>
Tile<T> random_normals(Random& random, int rows) {
  Tile<T> v;
  for (int i = 0; i < rows; ++i) v.push_back(random_pack<T>(random, &Random::normal));
  return v;
}

/// A vector at x of isotropic direction, its norm ‖v‖_x uniform in (0, radius).
template <class T>
Tile<T> random_tangent(const Manifold<T>& m, Random& random, const Tile<T>& x, double radius) {
  const int d = m.dimension();
  TileMatrix<T> e(m.ambient(), d);
  m.frame(x.data(), e.view());
  const Tile<T> a = random_normals<T>(random, d);
  const Pack<T> scale = static_cast<T>(radius) * random_pack<T>(random, &Random::uniform) / length(a);
  Tile<T> v = make_tile<T>(m.ambient());
  for (int i = 0; i < m.ambient(); ++i)
    for (int j = 0; j < d; ++j)
      v[static_cast<std::size_t>(i)] += scale * a[static_cast<std::size_t>(j)] * e.view()(i, j);
  return v;
}

/// Uniform points where the manifold is compact; else within `radius` of project(0).
template <class T>
Tile<T> random_point(const Manifold<T>& m, Random& random, double radius) {
  Tile<T> x = make_tile<T>(m.ambient());
  if (m.compact()) {
    for (int l = 0; l < kLanes; ++l) m.random_uniform(random, x.data(), l);
    return x;
  }
  Tile<T> origin = x;
  m.project(origin.data());
  m.exp(origin.data(), random_tangent(m, random, origin, radius).data(), x.data());
  return x;
}

// The operations, returning tiles.
template <class T>
Tile<T> exp(const Manifold<T>& m, const Tile<T>& x, const Tile<T>& v) {
  Tile<T> y = make_tile<T>(m.ambient());
  m.exp(x.data(), v.data(), y.data());
  return y;
}
template <class T>
Tile<T> log(const Manifold<T>& m, const Tile<T>& x, const Tile<T>& y) {
  Tile<T> v = make_tile<T>(m.ambient());
  m.log(x.data(), y.data(), v.data());
  return v;
}
template <class T>
Tile<T> transport(const Manifold<T>& m, const Tile<T>& x, const Tile<T>& y, const Tile<T>& v) {
  Tile<T> w = make_tile<T>(m.ambient());
  m.transport(x.data(), y.data(), v.data(), w.data());
  return w;
}
template <class T>
Tile<T> project(const Manifold<T>& m, Tile<T> x) {
  m.project(x.data());
  return x;
}
template <class T>
Tile<T> to_tangent(const Manifold<T>& m, const Tile<T>& x, Tile<T> v) {
  m.to_tangent(x.data(), v.data());
  return v;
}
template <class T>
Pack<T> distance(const Manifold<T>& m, const Tile<T>& x, const Tile<T>& y) {
  return m.distance(x.data(), y.data());
}
template <class T>
Pack<T> inner(const Manifold<T>& m, const Tile<T>& x, const Tile<T>& u, const Tile<T>& v) {
  return m.inner(x.data(), u.data(), v.data());
}
template <class T>
Pack<T> norm(const Manifold<T>& m, const Tile<T>& x, const Tile<T>& v) {
  return m.norm(x.data(), v.data());
}

}  // namespace riemflow::test
