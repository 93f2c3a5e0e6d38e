// Sums over paths on the unit sphere; included once for each instruction set.
#if defined(RIEMFLOW_SPHERE_PATHS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RIEMFLOW_SPHERE_PATHS_INL
#undef RIEMFLOW_SPHERE_PATHS_INL
#else
#define RIEMFLOW_SPHERE_PATHS_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "riemflow/core/simd/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace riemflow::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// With q = |x − y|²/4 = sin²(θ/2): θ = 2 asin √q and sin θ = 2√(q(1 − q)), without the cancellation of 1 −
/// ⟨x, y⟩. A path counts where R = θ/remaining < π, i.e. q < sin²(remaining·π/2); most blocks have none that
/// does, and cost the differences alone.
template <class T>
double path_sums(int ambient, int n, const T* HWY_RESTRICT x, const T* HWY_RESTRICT y,
                 const T* HWY_RESTRICT shares, T remaining, double* HWY_RESTRICT sums) {
  const hn::ScalableTag<T> d;
  const int width = static_cast<int>(hn::Lanes(d));
  const double half = std::sin(0.5 * std::numbers::pi * std::min(static_cast<double>(remaining), 1.0));
  const auto limit = hn::Set(d, static_cast<T>(half * half));
  const auto one = hn::Set(d, T(1)), two = hn::Set(d, T(2)), quarter = hn::Set(d, T(0.25));
  const auto tiny = hn::Set(d, static_cast<T>(1e-30)), least = hn::Set(d, static_cast<T>(1e-12));
  const auto speed = hn::Set(d, T(1) / remaining), pi = hn::Set(d, static_cast<T>(std::numbers::pi));
  double total = 0;
  std::fill(sums, sums + ambient, 0.0);
  for (int i = 0; i < n; i += width) {
    auto square = hn::Zero(d);
    for (int k = 0; k < ambient; ++k) {
      const auto difference = hn::Sub(hn::LoadU(d, y + k * n + i), hn::Set(d, x[k]));
      square = hn::MulAdd(difference, difference, square);
    }
    const auto q = hn::Mul(quarter, square);
    const auto counts = hn::Lt(q, limit);
    if (hn::AllFalse(d, counts)) continue;
    const auto root = hn::Sqrt(hn::Min(q, one));
    const auto length = hn::Min(hn::Mul(speed, hn::Mul(two, hn::Asin(d, root))), pi);
    const auto sine = hn::Max(hn::Mul(two, hn::Mul(root, hn::Sqrt(hn::Max(hn::Sub(one, q), tiny)))), least);
    // sin R/sin θ → R/θ at θ = 0; times θ/R, which all share: as a power it would overflow as t → 1
    const auto ratio = hn::IfThenElse(hn::Gt(q, hn::Set(d, static_cast<T>(1e-20))),
                                      hn::Mul(hn::Set(d, remaining), hn::Div(hn::Sin(d, length), sine)), one);
    auto weight = one;
    for (int k = 0; k < ambient - 2; ++k) weight = hn::Mul(weight, ratio);
    weight = hn::IfThenElseZero(counts, hn::Max(weight, hn::Zero(d)));
    if (shares != nullptr) weight = hn::Mul(weight, hn::LoadU(d, shares + i));
    const auto pull = hn::Mul(
        weight, hn::IfThenElse(hn::Gt(q, hn::Set(d, static_cast<T>(1e-20))), hn::Div(length, sine), speed));
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, weight)));
    for (int k = 0; k < ambient; ++k)
      sums[k] += static_cast<double>(hn::GetLane(
          hn::SumOfLanes(d, hn::Mul(pull, hn::Sub(hn::LoadU(d, y + k * n + i), hn::Set(d, x[k]))))));
  }
  return total;
}

}  // namespace riemflow::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
