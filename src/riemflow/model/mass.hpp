#pragma once
// Integrals of a density: the probability of a region, and the total mass, which is 1 for a density
// that is to be trusted.

#include "riemflow/flow/transport.hpp"
#include "riemflow/manifold/cubature.hpp"

namespace riemflow {

/// log p of points in double, which are rounded to T and projected; NaN where the solve fails. `cost`, unless
/// null, sums up what the solves took; its failures are left out, since their numbers are those of a batch.
template <class T>
std::vector<double> log_density_at(Density<T>& density, const Points<double>& points,
                                   SolveSummary* cost = nullptr);

/// p as an integrand, by log_density_at. The density must live as long, and be exact: what an estimate gets
/// right is the mean of the logarithm. Error otherwise.
template <class T>
Integrand density_of(Density<T>& density, SolveSummary* cost = nullptr);

/// The configuration with the exact divergence, which integrals need.
FlowConfig with_exact_divergence(FlowConfig config);

/// The error of a mass from samples is a standard error: this many of them count as the error.
inline constexpr double kSigmas = 2;

struct Mass {
  Integral integral;          ///< error: of cubature its estimate, from samples the standard error
  bool from_samples = false;  ///< by a change of variables

  /// What the error counts as.
  double bound() const { return from_samples ? kSigmas * integral.error : integral.error; }
};

/// How flows on up to three dimensions are integrated. by_either: by cubature and, where that has spent its
/// evaluations, by a change of variables, which is believed if the two agree within their errors.
enum class FlowMass { by_cubature, by_change_of_variables, by_either };

/// ∫ p over the whole manifold. d ≤ 3: cubature, which knows nothing of the density but p. d > 3, and of
/// flows over a base that is not the default one, which may be too peaked for that: in the coordinates of the
/// base, as the mean of p(φ(z))·|det Dφ(z)|/p₀(z) over `samples` draws z of the base p₀, with the
/// differential of the flow φ by finite differences; 1 for each of them if p is right, so that a few hundred
/// tell. A proposal that does not know where p is (the uniform density) was tried first: it misses any
/// density that a d of 7 makes peaked. Of mixtures and kernel densities: component by component, in any
/// dimension (model/mixture_mass.hpp, model/kernel_mass.hpp). Of a pool: Σ w_m ∫ p_m, each as above and as
/// exactly as its weight asks for: the errors w_m ε_m add up to options.absolute, four fifths of it the
/// flows', who share options.evaluations. A flow that is peaked takes cubature minutes; by a change of
/// variables it is known sooner, and better.
template <class T>
Mass total_mass(Density<T>& density, const CubatureOptions& options, std::size_t samples = 300,
                std::uint64_t seed = 0, FlowMass flows = FlowMass::by_cubature);

}  // namespace riemflow
