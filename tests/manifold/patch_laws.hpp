#pragma once
// The laws of patches (riemflow/manifold/whole.hpp): they say their volume, they make up the whole, and what
// kernels a manifold says that it has are densities on it.

#include <Eigen/LU>

#include "riemflow/distribution/base.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/whole.hpp"
#include "tile.hpp"

namespace riemflow::test {

/// √det ⟨∂_i x, ∂_j x⟩_x by differences, against what the patch says, at a random place of each.
inline double patch_volume_error(const Manifold<double>& m, const std::vector<Patch>& patches,
                                 Random& random) {
  double error = 0;
  for (const Patch& patch : patches) {
    const auto d = static_cast<std::size_t>(patch.dimension);
    std::array<double, kMostCoordinates> u{};
    for (std::size_t i = 0; i < d; ++i)  // not at a border, where a coordinate may end
      u[i] = patch.low[i] + (patch.high[i] - patch.low[i]) * (0.1 + 0.8 * random.uniform());
    const auto at = [&](std::size_t i, double s) {
      std::array<double, kMostCoordinates> moved = u;
      moved[i] += s;
      std::vector<double> x(static_cast<std::size_t>(m.ambient()));
      (*patch.map)(moved.data(), x.data());
      return broadcast<double>(x);
    };
    const Tile<double> x = at(0, 0);
    std::vector<Tile<double>> slopes;
    for (std::size_t i = 0; i < d; ++i) {
      const double h = 1e-3 * (patch.high[i] - patch.low[i]);
      Tile<double> slope = plus(at(i, h), Pack<double>(-1), at(i, -h));
      const Tile<double> wide = plus(at(i, 2 * h), Pack<double>(-1), at(i, -2 * h));
      for (std::size_t c = 0; c < slope.size(); ++c) slope[c] = (8 * slope[c] - wide[c]) / (12 * h);
      slopes.push_back(slope);
    }
    Eigen::MatrixXd G(patch.dimension, patch.dimension);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        G(static_cast<int>(i), static_cast<int>(j)) = inner(m, x, slopes[i], slopes[j])[0];
    std::vector<double> point(static_cast<std::size_t>(m.ambient()));
    const double said = (*patch.map)(u.data(), point.data());
    error = std::max(error, std::abs(said / std::sqrt(G.determinant()) - 1));
  }
  return error;
}

/// The manifold as what is made of it here wants it, which it outlives.
inline std::shared_ptr<const Manifold<double>> unowned(const Manifold<double>& m) {
  return {std::shared_ptr<void>(), &m};
}

/// ∫ p
inline double mass_of(const Distribution<double>& p, const Manifold<double>& m,
                      const std::vector<Patch>& patches) {
  CubatureOptions options;
  options.absolute = options.relative = 1e-7;
  const auto density = [&](const Points<double>& points, std::span<double> values) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension));
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      points.load_tile(t, x.data());
      const Pack<double> log_p = p.log_density(x.data());
      for (int l = 0; l < points.lanes(t); ++l)
        values[t * kLanes + static_cast<std::size_t>(l)] = std::exp(log_p[l]);
    }
  };
  return integrate(density, patches, m.ambient(), options).value;
}

/// ∫ 1 beside the volume where it is finite, else ∫ p − 1 of the default base; nothing where there is none.
inline std::optional<double> whole_error(const Manifold<double>& m, const std::vector<Patch>& patches) {
  if (m.compact()) {
    CubatureOptions options;
    options.absolute = options.relative = 1e-7;
    const auto one = [](const Points<double>&, std::span<double> values) { std::ranges::fill(values, 1.0); };
    return std::expm1(std::log(integrate(one, patches, m.ambient(), options).value) - m.log_volume());
  }
  for (const Factor<double>& factor : m.factors())
    if (factor.manifold->default_base() == DefaultBase::none) return std::nullopt;
  return mass_of(*default_base<double>(unowned(m)), m, patches) - 1;
}

/// The worst of ∫ p − 1 of a round kernel at a random point and of one that is twice as long as wide; nothing
/// where there are none. They are a quarter wide of the largest radius, of circles or of curvature, and of a
/// natural length where it is flat.
inline std::optional<double> kernel_error(const Manifold<double>& m, const std::vector<Patch>& patches,
                                          Random& random, double natural) {
  double width = 0;
  for (const Factor<double>& factor : m.factors()) {
    const KernelForm form = factor.manifold->kernel_form();
    if (form.family == KernelForm::Family::none || factor.manifold->default_base() == DefaultBase::none)
      return std::nullopt;
    const double K = std::abs(factor.manifold->curvature());
    width = std::max(width, 0.25 * (form.family == KernelForm::Family::circles ? form.radius
                                    : K > 0                                    ? 1 / std::sqrt(K)
                                                                               : natural));
  }
  const int d = m.dimension();
  const Tile<double> at = random_point(m, random, natural);
  Points<double> centre(1, m.ambient());
  centre.values = lane(at, 0);
  TileMatrix<double> e(m.ambient(), d);
  m.frame(at.data(), e.view());
  // (I + 3aaᵀ)/4^(1/n), a random unit vector, of determinant 1: in the coordinates of a point where there are
  // more of them than dimensions, else in those of the frame.
  std::vector<double> shape;
  int seed = 0;
  for (const Factor<double>& factor : m.factors()) {
    const int n = factor.manifold->dimension(), D = factor.manifold->ambient();
    Eigen::VectorXd a(n);
    for (double& a_i : a) a_i = random.normal();
    a.normalize();
    const Eigen::MatrixXd S =
        (Eigen::MatrixXd::Identity(n, n) + 3 * a * a.transpose()) / std::pow(4.0, 1.0 / n);
    Eigen::MatrixXd E = Eigen::MatrixXd::Identity(D, n);
    for (int i = 0; i < D && D > n; ++i)
      for (int j = 0; j < n; ++j) E(i, j) = e.view()(factor.row + i, seed + j)[0];
    const Eigen::MatrixXd ambient = E * S * E.transpose();
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) shape.push_back(ambient(i, j));
    seed += n;
  }
  double error = 0;
  for (const std::vector<double>& shapes : {std::vector<double>(), shape})
    error = std::max(
        error,
        std::abs(mass_of(KernelMixture(unowned(m), {centre, {1.0}, {width}, shapes}), m, patches) - 1));
  return error;
}

}  // namespace riemflow::test
