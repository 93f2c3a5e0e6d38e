#pragma once
// The backward passes of a manifold against central differences, at points x off the manifold, in a direction
// u of the size of a natural length (the stencil takes thousandths of it).

#include "tile.hpp"

namespace riemflow::test {

/// d f(x + h u)/dh at 0, to O(h⁴): [ 8 (f(h) − f(−h)) − (f(2h) − f(−2h)) ]/12h
template <class F>
Pack<double> directional_derivative(F f, const Tile<double>& x, const Tile<double>& u) {
  const double h = 1e-3;
  const auto at = [&](double s) { return f(plus(x, Pack<double>(s), u)); };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

inline Pack<double> relative_error(const Pack<double>& found, const Pack<double>& expected) {
  return (found - expected) / (1 + abs(expected));
}

/// f(x) = ⟨g, project(x)⟩, measured by log at the projected x so that it does not jump where angles do.
inline Pack<double> project_backward_error(const Manifold<double>& m, Random& random, const Tile<double>& x,
                                           const Tile<double>& u, double natural) {
  const Tile<double> g = random_normals<double>(random, m.ambient());
  const Tile<double> p = project(m, x);
  const auto f = [&](const Tile<double>& y) { return dot(g, log(m, p, project(m, y))) / natural; };
  Tile<double> x_bar = g;
  m.project_backward(x.data(), x_bar.data());
  return relative_error(dot(x_bar, u) / natural, directional_derivative(f, x, u));
}

/// f(x) = Σ_j ⟨v_j, A v_j⟩ over the basis: a trace, which no spin of the basis changes.
inline Pack<double> seed_basis_backward_error(const Manifold<double>& m, Random& random,
                                              const Tile<double>& x, const Tile<double>& u) {
  const int D = m.ambient(), d = m.dimension();
  std::vector<double> A(static_cast<std::size_t>(D * D));
  for (double& a : A) a = random.normal();
  const auto a = [&](int i, int j) { return A[static_cast<std::size_t>(i * D + j)]; };

  TileMatrix<double> v(D, d), v_bar(D, d);
  const auto f = [&](const Tile<double>& y) {
    m.seed_basis(y.data(), v.view());
    Pack<double> sum = 0;
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < D; ++i)
        for (int k = 0; k < D; ++k) sum += v.view()(i, j) * a(i, k) * v.view()(k, j);
    return sum;
  };
  const Pack<double> expected = directional_derivative(f, x, u);

  m.seed_basis(x.data(), v.view());
  for (int j = 0; j < d; ++j)
    for (int i = 0; i < D; ++i)
      for (int k = 0; k < D; ++k) v_bar.view()(i, j) += (a(i, k) + a(k, i)) * v.view()(k, j);
  const Tile<double> before = random_normals<double>(random, D);
  Tile<double> x_bar = before;
  m.seed_basis_backward(x.data(), v.view(), v_bar.view(), x_bar.data());
  return relative_error(dot(plus(x_bar, Pack<double>(-1), before), u), expected);
}

/// f(x) = Σ_j ⟨g_j, v_j(x)⟩ over projected noise.
inline Pack<double> seed_probe_backward_error(const Manifold<double>& m, Random& random,
                                              const Tile<double>& x, const Tile<double>& u) {
  const int D = m.ambient(), k = 3;
  TileMatrix<double> noise(D, k), g(D, k), v(D, k);
  for (auto& n : noise.values) n = random_pack<double>(random, &Random::normal);
  for (auto& n : g.values) n = random_pack<double>(random, &Random::normal);
  const auto f = [&](const Tile<double>& y) {
    m.seed_probe(y.data(), noise.view(), k, v.view());
    return dot(g.values, v.values);
  };
  const Tile<double> before = random_normals<double>(random, D);
  Tile<double> x_bar = before;
  m.seed_probe_backward(x.data(), noise.view(), k, g.view(), x_bar.data());
  return relative_error(dot(plus(x_bar, Pack<double>(-1), before), u), directional_derivative(f, x, u));
}

}  // namespace riemflow::test
