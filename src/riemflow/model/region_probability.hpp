#pragma once
// The probability of a region of the Earth under a fitted density of the unit sphere S²: member by member of
// a pool, P = Σ w_m P_m; of kernels and mixtures by integrals along the border
// (kernel/kernels_in_region.hpp), of flows by cubature.

#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/earth_region.hpp"
#include "riemflow/model/density.hpp"

namespace riemflow {

struct RegionOptions {
  double relative = 1e-3, absolute = 1e-7;  ///< as in CubatureOptions, of P
  /// Of the densities of flows, at most, those of a pool together. Where not even one look at each patch of
  /// the region is within them, nothing is evaluated: P is NaN and its error infinite.
  std::size_t evaluations = 400'000;
  std::function<void(std::size_t)> watch = nullptr;  ///< as in CubatureOptions
};

/// The density must be exact. Of a region that knows its rest, that is integrated, and a flow taken to have
/// mass 1, which is for trust to tell (model/trust.hpp). Error where the manifold is not sphere:2.
Integral region_probability(const Density& density, const EarthRegion& region, const RegionOptions& options);

}  // namespace riemflow
