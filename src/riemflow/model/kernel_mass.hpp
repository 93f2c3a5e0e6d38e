#pragma once
// The total mass of a kernel density by quadrature around its kernels, of which a cubature that knows nothing
// of them would step over most. As in model/mixture_mass.hpp the mass is shared out: with r_k = w_k K_k/Σ_j
// w_j K_j, the share of kernel k, and r_0 that of the base,
//   ∫ p = Σ_k ∫ p r_k + ∫ p r_0,   ∫ p r_k = |L_k| |S^{d−1}| E_ω ∫_0^{cut} p r_k J ρ^{d−1} dρ at exp_k(ρ L_k
//   ω),
// J = Π_f (sn r_f/r_f)^{d_f−1} the volume of exponential coordinates, L_k Lᵀ_k the covariance of kernel k. Of
// n kernels a few are drawn by their weights: ∫ p r_k/w_k is 1 for each if the density is right.

#include "riemflow/kernel/kernel_mixture.hpp"
#include "riemflow/model/mass.hpp"

namespace riemflow {

/// In any dimension. error: three standard errors over kernels and directions, and the quadrature's estimate.
/// Draws until a standard error is a tenth of options.absolute, or options.evaluations are spent.
Mass kernel_mass(const KernelMixture& kernels, const CubatureOptions& options, std::uint64_t seed = 0,
                 int threads = 0);

}  // namespace riemflow
