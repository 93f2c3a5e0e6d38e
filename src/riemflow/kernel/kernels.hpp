#pragma once
// n kernels, each a density of a manifold around a centre of its own. With τ = 1/h², h the bandwidth, a
// length:
//
// Round kernels.  S^d: von Mises–Fisher, κ = R²τ; T^d: a von Mises density of κ = τ for each angle; R^d: a
// normal of deviation h; B^d: the wrapped normal of deviation h. In the embedding of KernelSpace all are
//   log K(x) = log peak − ½ τ D(x, m)²   [+ (d−1) log(ρ/sinh ρ), ρ = √c D, on the ball].
//
// Elliptic kernels.  Covariance Σ = h² S in a tangent frame E at m, det S = 1 over all factors together; with
// u = L⁻¹ (coordinates of x in the frame), Σ = L Lᵀ, q = |u|²:
//   R^d, T^d, B^d: the wrapped normal exp_m♯N(0, Σ). exp_m is one to one on R^d and B^d, so it is exact. On
//     T^d the nearest image alone is taken and deviations end at 0.55, where the rest has mass below 1.2e-8
//     an angle.
//   S^d: the normal of R^{d+1} of mean m and covariance E Σ Eᵀ + s² m mᵀ, s^{2d} = det Σ, seen from the
//     origin: x = y/|y|. A wrapped normal has images without end on the sphere and a pole at the antipode;
//     this one is smooth everywhere, draws itself, and its density is closed for any d and any Σ. On the
//     unit sphere, with c = ⟨m, x⟩ and a = c² + s²q,
//       p(x) = (2π)^{−d/2} |Σ|^{−½} s^d a^{−(d+1)/2} exp(−½ q/a) M_d(c/(s√a)),   M_k(α) = ∫₀^∞ tᵏ φ(t − α)
//       dt.

#include <limits>
#include <memory>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/core/random.hpp"
#include "riemflow/core/simd/densities.hpp"
#include "riemflow/kernel/kernel_space.hpp"

namespace riemflow {

/// A point, in the manifold's coordinates and embedded.
struct KernelQuery {
  const double* x;
  const double* embedded;
};

class Kernels {
 public:
  virtual ~Kernels() = default;
  /// log K_i(x), one at a time; KernelBlocks computes many.
  virtual double log_value(const KernelQuery& query, std::size_t i) const = 0;
  /// gradient (ambient) += share · ∂ log K_i/∂x, of a smooth extension off the manifold.
  virtual void add_gradient(const KernelQuery& query, std::size_t i, double share,
                            double* gradient) const = 0;
  /// x (ambient) = a draw from K_i.
  virtual void sample(Random& random, std::size_t i, double* x) const = 0;

  /// log K_i(x) ≤ log_bound(i) − ½ precision(i) reach, reach = w(1 − w/4R²), w = min(D², R²), D the distance
  /// of x from the centre and R = turn(): it rises with D² and is no more than it. R = ∞: reach = D².
  virtual double log_bound(std::size_t i) const = 0;
  virtual double precision(std::size_t i) const = 0;
  virtual double turn() const { return std::numeric_limits<double>::infinity(); }

  /// For KernelBlocks: log K_i = log_constant(i) + what these factors add, whose rows for kernel i, one
  /// factor's after the other's, are `numbers` (`row` is left at 0). log_bound(i) less the quadratic forms of
  /// the factors is an upper bound of log K_i.
  virtual std::vector<simd::DensityFactor> factors() const = 0;
  virtual void numbers(std::size_t i, double* rows) const = 0;
  virtual double log_constant(std::size_t i) const = 0;
};

/// centres: on the manifold; bandwidths: h_i > 0, one a centre. Error otherwise.
std::unique_ptr<Kernels> round_kernels(std::shared_ptr<const KernelSpace> space,
                                       const Points<double>& centres, const std::vector<double>& bandwidths);

/// Deviations of elliptic kernels on a torus end here: 2Φ(−π/0.55) = 1.2e-8.
inline constexpr double kMostTorusDeviation = 0.55;

/// Numbers of the shape of one kernel: the squares of the factors' ambient dimensions, added.
std::size_t shape_size(const KernelSpace& space);
/// shapes: shape_size numbers a centre, for each factor S in ambient coordinates (E S Eᵀ with E the
/// manifold's frame on the sphere; on the ball in the orthonormal frame along the axes), row-major. Error
/// unless symmetric and positive definite on the tangent space.
std::unique_ptr<Kernels> elliptic_kernels(std::shared_ptr<const KernelSpace> space,
                                          const Points<double>& centres,
                                          const std::vector<double>& bandwidths,
                                          const std::vector<double>& shapes);

}  // namespace riemflow
