#pragma once
// The laws of patches (riemflow/manifold/whole.hpp): they say their volume, and they make up the whole.

#include <Eigen/LU>

#include "riemflow/distribution/base.hpp"
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

/// ∫ 1 beside the volume where it is finite, else ∫ p − 1 of the default base; nothing where there is none.
inline std::optional<double> whole_error(const Manifold<double>& m, const std::vector<Patch>& patches) {
  CubatureOptions options;
  options.absolute = options.relative = 1e-7;
  if (m.compact()) {
    const auto one = [](const Points<double>&, std::span<double> values) { std::ranges::fill(values, 1.0); };
    return std::expm1(std::log(integrate(one, patches, m.ambient(), options).value) - m.log_volume());
  }
  for (const Factor<double>& factor : m.factors())
    if (factor.manifold->default_base() == DefaultBase::none) return std::nullopt;
  // The manifold outlives what is made of it here.
  const auto base =
      default_base<double>(std::shared_ptr<const Manifold<double>>(std::shared_ptr<void>(), &m));
  const auto density = [&](const Points<double>& points, std::span<double> values) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension));
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      points.load_tile(t, x.data());
      const Pack<double> log_p = base->log_density(x.data());
      for (int l = 0; l < points.lanes(t); ++l)
        values[t * kLanes + static_cast<std::size_t>(l)] = std::exp(log_p[l]);
    }
  };
  return integrate(density, patches, m.ambient(), options).value - 1;
}

}  // namespace riemflow::test
