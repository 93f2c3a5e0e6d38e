#pragma once
// The total mass of a density, which is 1 for one that is to be trusted.
//
// Of flows with d ≤ 3: cubature, which knows nothing of the density but p. d > 3, and of flows over a base
// that is not the default one, which may be too peaked for that: in the coordinates of the base, as the mean
// of p(φ(z))·|det Dφ(z)|/p₀(z) over `samples` draws z of the base p₀, with the differential of the flow φ by
// finite differences; 1 for each of them if p is right, so that a few hundred tell. A proposal that does not
// know where p is (the uniform density) was tried first: it misses any density that a d of 7 makes peaked. Of
// mixtures and kernel densities: component by component, in any dimension (model/mixture_mass.cpp,
// model/kernel_mass.cpp). Of a pool: Σ w_m ∫ p_m, each as above and as exactly as its weight asks for: the
// errors w_m ε_m add up to options.absolute, four fifths of it the flows', who share options.evaluations. A
// flow that is peaked takes cubature minutes; by a change of variables it is known sooner, and better.

#include <cstdint>

#include "riemflow/manifold/cubature.hpp"

namespace riemflow {

class KernelMixture;
class MixtureDensity;
template <class T>
class Transport;

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

struct MassOptions {
  CubatureOptions cubature;
  std::size_t samples = 300;
  std::uint64_t seed = 0;
  FlowMass flows = FlowMass::by_cubature;
};

/// Of a flow, whose divergence must be exact: Error otherwise.
template <class T>
Mass flow_mass(Transport<T>& flow, const MassOptions& options);
/// log p of points in double, which are rounded to T; NaN where the solve fails.
template <class T>
std::vector<double> log_density_at(Transport<T>& flow, const Points<double>& points);

/// In any dimension. error: three standard errors over kernels and directions, and the quadrature's estimate.
/// Draws until three standard errors are within options.absolute, or what options.evaluations of a flow would
/// cost is spent.
Mass kernel_mass(const KernelMixture& kernels, const CubatureOptions& options, std::uint64_t seed,
                 int threads);

/// In any dimension. error: the quadrature's estimate and the standard error over directions of each
/// component, drawn from `seed`.
Mass mixture_mass(const MixtureDensity& density, const CubatureOptions& options, std::uint64_t seed = 0);

}  // namespace riemflow
