#pragma once
// The probability of a region of S² under kernels and mixture components, each by an integral along the
// border.
//
// Around its centre m a component is radial: there are a radius and an angle φ in which p dA = dF ∧ dφ/2π, F
// the mass within the radius. So by Stokes, of a region R whose border has R on its left,
//   P(R) = [m ∈ R] − (1/2π) ∮_∂R (1 − F) dφ,
// and where the border is far from m nothing is to be integrated: P is 1 or 0.
//
//   von Mises–Fisher: φ the azimuth about m, 1 − F = e^{−κ(1−c)} (1 − e^{−κ(1+c)})/(1 − e^{−2κ}), c = ⟨m, x⟩
//   elliptic kernels (kernel/kernels.hpp): φ the angle of u = L⁻¹Eᵀx, with q = |u|², a = c² + s²q,
//     1 − F = Φ(−1/s) + (c/√a) e^{−q/2a} Φ(c/(s√a)),
//     the mass of a cone of the normal density that they are seen of.
// In both dφ = (u₀ du₁ − u₁ du₀)/q.
//
// A border through m would have a pole there. Centres are moved by 1e-7 of their bandwidth, which changes P
// by less than 1e-7: data and borders both like round degrees.

#include "riemflow/distribution/mixture_sums.hpp"
#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/earth_region.hpp"

namespace riemflow {

/// P(region) of a kernel density on the unit sphere, its uniform share included. error: 2e-7 or less, unless
/// some kernel's integral has not converged. evaluations: points of the border, a kernel.
Integral kernels_in_region(const KernelParameters& kernels, const EarthRegion& region);

/// The same of a mixture of von Mises–Fisher densities.
Integral mixture_in_region(const MixtureParameters& mixture, const EarthRegion& region);

}  // namespace riemflow
