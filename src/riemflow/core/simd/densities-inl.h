// Logarithms of densities in blocks, and their sum; included once for each instruction set.
#if defined(RIEMFLOW_DENSITIES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RIEMFLOW_DENSITIES_INL
#undef RIEMFLOW_DENSITIES_INL
#else
#define RIEMFLOW_DENSITIES_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/simd/densities.hpp"

HWY_BEFORE_NAMESPACE();
namespace riemflow::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Φ(−y)/φ(y), y from 0 to 9: a polynomial of degree 18 in t = (y − 4)/(y + 4) through its values at the
/// Chebyshev nodes. Relative error 1e-16, in double arithmetic 4e-16. A table of log M_k with Hermite
/// interpolation would need one a k, and gathers; degree 16 (6e-15) would save two of some 150 operations.
template <class D, class V>
HWY_INLINE V mills_ratio(D d, V y) {
  constexpr double kCoefficients[] = {
      -2.32920727537938e-08,  -1.3462168576148166e-07, -1.758897908292576e-07, 5.72772533276965e-07,
      1.6617706461185509e-06, -2.100798826857894e-06,  -1.079710013568991e-05, 1.1612018930051313e-05,
      7.18131714945866e-05,   -0.000114189109877758,   -0.0004692016486632307, 0.001601268829461218,
      0.001272269463210507,   -0.02128652664402825,    0.07736659066343768,    -0.17974381473330978,
      0.3117725582109512,     -0.42712374676605813,    0.23665238291356067};
  const V four = hn::Set(d, 4.0), t = hn::Div(hn::Sub(y, four), hn::Add(y, four));
  V sum = hn::Set(d, kCoefficients[0]);
  for (std::size_t i = 1; i < std::size(kCoefficients); ++i)
    sum = hn::MulAdd(sum, t, hn::Set(d, kCoefficients[i]));
  return sum;
}

/// log(s^k M_k(α)) − (k+1)/2 log a, α = c/(s√a), given 1/a. The recurrence is that of M_k/scaleᵏ, scale =
/// max(α, 1) (kernel/elliptic_terms.hpp); with S = (s·scale)² = max(c²/a, s²) where c > 0, what is left is
/// one logarithm, ½ log(M²/a·(S/a)ᵏ), which cannot overflow while k ≤ 8; two beyond. Where all α ≥ 9, Φ is 1
/// and φ nothing beside α, and no exponential is taken.
template <class D, class V>
HWY_INLINE V log_moment(D d, int k, V c, V inverse_a, V s2) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  const V share = hn::Mul(hn::Mul(c, c), inverse_a);  // (sα)²
  const auto positive = hn::Gt(c, zero);
  const V scale2 = hn::IfThenElse(positive, hn::Max(share, s2), s2);
  const V inverse = hn::Div(s2, scale2);  // 1/scale²
  const auto all = hn::And(positive, hn::Ge(share, hn::Mul(hn::Set(d, 81.0), s2)));
  V before = one, now = one, slope = one;  // slope: α/scale
  auto counts = positive;
  if (!hn::AllTrue(d, all)) {
    const V size = hn::Sqrt(hn::Div(share, s2));
    const V y = hn::Min(size, hn::Set(d, 9.0));  // |α|
    const V edge = hn::Mul(hn::Exp(d, hn::Mul(hn::Set(d, -0.5), hn::Mul(y, y))),
                           hn::Set(d, 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2));
    const V tail = hn::Mul(edge, mills_ratio(d, y));
    before = hn::IfThenElse(all, one, hn::IfThenElse(positive, hn::Sub(one, tail), tail));
    slope = hn::IfThenElse(positive, hn::Min(size, one), hn::Neg(y));
    now = hn::MulAdd(slope, before, hn::IfThenZeroElse(all, hn::Mul(edge, hn::Sqrt(inverse))));
    counts = hn::Or(positive, hn::Le(size, hn::Set(d, 8.0)));
  }
  for (int j = 1; j < k; ++j) {
    const V next =
        hn::MulAdd(hn::Mul(hn::Set(d, static_cast<double>(j)), inverse), before, hn::Mul(slope, now));
    before = now;
    now = next;
  }
  counts = hn::And(counts, hn::Gt(now, zero));
  const V half = hn::Set(d, 0.5), ratio = hn::Mul(scale2, inverse_a);
  V product = hn::Mul(hn::Mul(now, now), inverse_a), result;
  if (k <= 8) {
    for (int j = 0; j < k; ++j) product = hn::Mul(product, ratio);
    result = hn::Log(d, hn::IfThenElse(counts, product, one));
  } else {
    result = hn::MulAdd(hn::Set(d, static_cast<double>(k)), hn::Log(d, ratio),
                        hn::Log(d, hn::IfThenElse(counts, product, one)));
  }
  return hn::IfThenElse(counts, hn::Mul(half, result), hn::Set(d, -HUGE_VAL));
}

/// asinh(√p)/√p, p ≥ 0: below 1/8 by its series (distribution/wrapped_normal.hpp), else log(√p + √(1+p))/√p.
template <class D, class V>
HWY_INLINE V asinh_over_root(D d, V p, V root) {
  const V one = hn::Set(d, 1.0), border = hn::Set(d, 0.125);
  const auto small = hn::Lt(p, border);
  V series = one;
  if (!hn::AllFalse(d, small)) {
    for (int n = 17; n >= 0; --n) {
      const double odd = 2.0 * n + 1;
      series = hn::NegMulAdd(hn::Mul(hn::Set(d, odd * odd / ((odd + 1) * (odd + 2))), p), series, one);
    }
    if (hn::AllTrue(d, small)) return series;
  }
  const V s = hn::Sqrt(hn::Max(p, border));
  return hn::IfThenElse(small, series, hn::Div(hn::Log(d, hn::Add(s, root)), s));
}

/// One vector of densities, in the course of its factors.
template <class D>
struct DensityLanes {
  using V = hn::Vec<D>;
  D d;
  V value, bound, floor;

  /// Whether none of them counts.
  HWY_INLINE bool below() const { return hn::AllTrue(d, hn::Lt(bound, floor)); }
  HWY_INLINE V load(const double* rows, int row) const { return hn::Load(d, rows + row * kBlock); }

  /// |Wv|², v in vectors or, with kD = 0, in scratch. With kStops from the last row, the shortest, up to
  /// where the sum so far tells that none counts: with many dimensions a few rows do.
  template <int kd, int kD, bool kStops>
  HWY_INLINE V square(int run_d, int run_D, const double* w, const V* v, const double* scratch) const {
    const int rows = kD == 0 ? run_d : kd, columns = kD == 0 ? run_D : kD;
    V q = hn::Zero(d);
    int at = DensityFactor::wide(rows, columns);
    for (int r = rows - 1; r >= 0; --r) {
      at -= columns - r;
      const double* row = w + at * kBlock;
      V u = hn::Mul(load(row, 0), kD == 0 ? load(scratch, r) : v[r]);
      for (int c = r + 1; c < columns; ++c)
        u = hn::MulAdd(load(row, c - r), kD == 0 ? load(scratch, c) : v[c], u);
      q = hn::MulAdd(u, u, q);
      if (kStops && r > 0 && hn::AllTrue(d, hn::Lt(hn::NegMulAdd(hn::Set(d, 0.5), q, bound), floor))) break;
    }
    return q;
  }

  /// Euclidean space and torus. d = D, known to the compiler unless 0.
  template <int kD, bool kTorus>
  HWY_INLINE void flat(const DensityFactor& factor, const double* rows, const double* x, double* scratch) {
    const int D_ = kD == 0 ? factor.ambient : kD;
    V v[kD == 0 ? 1 : kD];
    const double turns = 0.5 * std::numbers::inv_pi * (2 * std::numbers::pi / factor.period);
    for (int c = 0; c < D_; ++c) {
      V delta = hn::Sub(hn::Set(d, x[c]), load(rows, c));
      if (kTorus)
        delta = hn::NegMulAdd(hn::Round(hn::Mul(delta, hn::Set(d, turns))), hn::Set(d, factor.period), delta);
      if (kD == 0)
        hn::Store(delta, d, scratch + c * kBlock);
      else
        v[c] = delta;
    }
    subtract(square<kD, kD, kD == 0>(D_, D_, rows + D_ * kBlock, v, scratch));
  }
  HWY_INLINE void subtract(V q) {
    const V half = hn::Set(d, 0.5);
    value = hn::NegMulAdd(half, q, value);
    bound = hn::NegMulAdd(half, q, bound);
  }

  template <int kD>
  HWY_INLINE void sphere(const DensityFactor& factor, const double* rows, const double* x, double* scratch) {
    const int D_ = kD == 0 ? factor.ambient : kD;
    V v[kD == 0 ? 1 : kD], c = hn::Zero(d);
    for (int i = 0; i < D_; ++i) {
      const V m = load(rows, i), x_i = hn::Set(d, x[i]), delta = hn::Sub(x_i, m);
      c = hn::MulAdd(x_i, m, c);
      if (kD == 0)
        hn::Store(delta, d, scratch + i * kBlock);
      else
        v[i] = delta;
    }
    c = hn::Mul(c, hn::Set(d, factor.curvature));
    const V s2 = load(rows, D_);
    const V q = square < kD == 0 ? 0 : kD - 1, kD, false > (D_ - 1, D_, rows + (D_ + 1) * kBlock, v, scratch);
    const V inverse_a = hn::Div(hn::Set(d, 1.0), hn::MulAdd(s2, q, hn::Mul(c, c)));
    subtract(hn::Mul(q, inverse_a));
    if (below()) return;
    value = hn::Add(value, log_moment(d, D_ - 1, c, inverse_a, s2));
  }

  template <bool kRound>
  HWY_INLINE void ball(const DensityFactor& factor, const double* rows, const double* x, double* scratch) {
    const int n = factor.dimension;
    const double b = x[n];
    V gap = hn::Zero(d);
    for (int i = 0; i < n; ++i) {
      const V delta = hn::Sub(hn::Set(d, x[i]), load(rows, i));
      gap = hn::MulAdd(delta, delta, gap);
    }
    const V p = hn::Div(hn::Mul(hn::Set(d, -factor.curvature), gap), hn::Mul(hn::Set(d, b), load(rows, n)));
    const V root = hn::Sqrt(hn::Add(p, hn::Set(d, 1.0))), h = asinh_over_root(d, p, root);
    if (kRound) {
      subtract(
          hn::Mul(hn::Mul(load(rows, n + 1), hn::Set(d, -4 / factor.curvature)), hn::Mul(p, hn::Mul(h, h))));
    } else {
      const V pull = hn::Mul(p, hn::Set(d, b));
      const V stretch = hn::Div(hn::Add(h, h), hn::Mul(root, hn::Set(d, b)));
      for (int i = 0; i < n; ++i) {
        const V m = load(rows, i), delta = hn::Sub(hn::Set(d, x[i]), m);
        hn::Store(hn::Mul(stretch, hn::NegMulAdd(pull, m, delta)), d, scratch + i * kBlock);
      }
      subtract(square<0, 0, true>(n, n, rows + (n + 1) * kBlock, nullptr, scratch));
    }
    if (n > 1 && !below()) value = hn::MulAdd(hn::Set(d, n - 1.0), hn::Log(d, hn::Div(h, root)), value);
  }

  HWY_INLINE void round(const DensityFactor& factor, const double* rows, const double* x) {
    V gap = hn::Zero(d);
    for (int i = 0; i < factor.ambient; ++i) {
      const V delta = hn::Sub(hn::Set(d, x[i]), load(rows, i));
      gap = hn::MulAdd(delta, delta, gap);
    }
    subtract(hn::Mul(load(rows, factor.ambient), gap));
  }
};

inline void log_values_of_densities(const DensityLayout& layout, const double* blocks, std::size_t count,
                                    const double* angles, const double* x, double log_floor, double* scratch,
                                    double* out) {
  using D = hn::ScalableTag<double>;
  const D d;
  const std::size_t width = hn::Lanes(d);
  using Kind = DensityFactor::Kind;
  for (std::size_t b = 0; b < count; ++b, out += kBlock, blocks += layout.rows * kBlock) {
    for (std::size_t l = 0; l < kBlock; l += width) {
      const double* lanes = blocks + l;
      DensityLanes<D> at{d, hn::Load(d, lanes), hn::Load(d, lanes + kBlock), hn::Set(d, log_floor)};
      bool below = at.below();
      for (int f = 0; f < layout.count && !below; ++f) {
        const DensityFactor& factor = layout.factors[f];
        const double *rows = lanes + factor.row * kBlock, *point = x + factor.point;
        switch (factor.kind) {
          case Kind::euclidean:
            if (factor.ambient == 2)
              at.template flat<2, false>(factor, rows, point, scratch);
            else
              at.template flat<0, false>(factor, rows, point, scratch);
            break;
          case Kind::torus:
            if (factor.ambient == 2)
              at.template flat<2, true>(factor, rows, angles + factor.point, scratch);
            else
              at.template flat<0, true>(factor, rows, angles + factor.point, scratch);
            break;
          case Kind::sphere:
            if (factor.ambient == 3)
              at.template sphere<3>(factor, rows, point, scratch);
            else
              at.template sphere<0>(factor, rows, point, scratch);
            break;
          case Kind::ball:
            at.template ball<false>(factor, rows, point, scratch);
            break;
          case Kind::round:
            at.round(factor, rows, point);
            break;
          case Kind::round_ball:
            at.template ball<true>(factor, rows, point, scratch);
            break;
        }
        below = at.below();
      }
      hn::Store(below ? hn::Set(d, -HUGE_VAL) : at.value, d, out + l);
    }
  }
}

inline void log_bounds(const BallLayout& layout, const double* block, const double* x, double* out) {
  const hn::ScalableTag<double> d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0), turn = hn::Set(d, layout.turn * layout.turn);
  const auto bend = hn::Set(d, 0.25 / (layout.turn * layout.turn));
  for (std::size_t l = 0; l < kBlock; l += hn::Lanes(d)) {
    const auto load = [&](int row) HWY_ATTR { return hn::Load(d, block + row * kBlock + l); };
    auto square = zero;
    for (int f = 0; f < layout.count; ++f) {
      const DensityFactor& factor = layout.factors[f];
      const bool ball = factor.kind == DensityFactor::Kind::round_ball;
      const int n = ball ? factor.dimension : factor.ambient;
      const double* point = x + factor.point;
      auto gap = zero;
      for (int i = 0; i < n; ++i) {
        const auto delta = hn::Sub(hn::Set(d, point[i]), load(factor.row + i));
        gap = hn::MulAdd(delta, delta, gap);
      }
      if (ball) {
        const auto p = hn::Div(hn::Mul(hn::Set(d, -factor.curvature), gap),
                               hn::Mul(hn::Set(d, point[n]), load(factor.row + n)));
        const auto h = asinh_over_root(d, p, hn::Sqrt(hn::Add(p, one)));
        gap = hn::Mul(hn::Set(d, -4 / factor.curvature), hn::Mul(p, hn::Mul(h, h)));
      }
      square = hn::Add(square, gap);
    }
    // Rounded down: a bound may be loose, never wrong.
    const auto far = hn::MulSub(hn::Sqrt(square), hn::Set(d, 1 - 1e-12), load(2));
    const auto gap = hn::IfThenElseZero(hn::Gt(far, zero), far);
    const auto w = hn::Min(hn::Mul(gap, gap), turn);
    const auto reach = hn::Mul(w, hn::NegMulAdd(w, bend, one));
    hn::Store(hn::NegMulAdd(hn::Mul(hn::Set(d, 0.5), load(1)), reach, load(0)), d, out + l);
  }
}

inline void add_exponentials(std::size_t n, const double* values, double* log_scale, double* sum) {
  const hn::ScalableTag<double> d;
  const std::size_t width = hn::Lanes(d);
  auto most = hn::Load(d, values);
  for (std::size_t i = width; i < n; i += width) most = hn::Max(most, hn::Load(d, values + i));
  const double largest = hn::GetLane(hn::MaxOfLanes(d, most));
  if (largest - *log_scale > kMostAboveScale) {
    *sum *= std::exp(*log_scale - largest);
    *log_scale = largest;
  }
  const auto scale = hn::Set(d, *log_scale), least = hn::Set(d, *log_scale - 745);
  auto total = hn::Zero(d);
  for (std::size_t i = 0; i < n; i += width) {
    const auto value = hn::Load(d, values + i);
    if (hn::AllTrue(d, hn::Lt(value, least))) continue;
    // Highway's Exp makes 0 of NaN; here NaN stays NaN.
    const auto power = hn::Exp(d, hn::Sub(value, scale));
    total = hn::Add(total, hn::IfThenElse(hn::Eq(value, value), power, value));
  }
  *sum += hn::GetLane(hn::SumOfLanes(d, total));
}

inline void log_moments(std::size_t n, int k, const double* c, const double* a, const double* s2,
                        double* values) {
  const hn::ScalableTag<double> d;
  for (std::size_t i = 0; i < n; i += hn::Lanes(d))
    hn::StoreU(log_moment(d, k, hn::LoadU(d, c + i), hn::Div(hn::Set(d, 1.0), hn::LoadU(d, a + i)),
                          hn::LoadU(d, s2 + i)),
               d, values + i);
}

}  // namespace riemflow::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
