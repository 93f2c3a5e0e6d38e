#pragma once
// The total mass of a mixture of von Mises–Fisher distributions by quadrature. A cubature that knows nothing
// of the mixture steps over a component of κ = 1e6, whose width is a thousandth of a radian. So the mass is
// shared out: with r_k(x) ≥ 0, Σ_k r_k(x) = 1, the share of component k in p(x),
//   ∫ p = Σ_k ∫ p r_k = Σ_k |S^{d−1}| E_ω ∫₀^π p r_k(cos θ·μ_k + sin θ·ω) sin^{d−1}θ dθ,
// ω a direction at μ_k. The shares only say where to look: whatever they are, the sum is ∫ p, and p is what
// the density returns. Where they are right the integrand does not depend on ω.

#include "riemflow/model/mass.hpp"
#include "riemflow/model/mixture_density.hpp"

namespace riemflow {

/// In any dimension. error: the quadrature's estimate and the standard error over `directions` ≥ 2 of each
/// component, drawn from `seed`.
Mass mixture_mass(const MixtureDensity& density, const CubatureOptions& options, int directions = 4,
                  std::uint64_t seed = 0);

}  // namespace riemflow
