// Elementwise functions on jets, forward and backward; included once for each instruction set.
#if defined(RIEMFLOW_ACTIVATION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RIEMFLOW_ACTIVATION_INL
#undef RIEMFLOW_ACTIVATION_INL
#else
#define RIEMFLOW_ACTIVATION_INL
#endif

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <cmath>

#include "riemflow/core/simd/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace riemflow::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Each function is a struct with `kept`, what is stored for the backward pass, as a function of the argument,
// and `at(kept)` = σ, σ′, σ″ in terms of it.
template <class V>
struct Derivatives {
  V value, first, second;
};

/// tanh in float: x·P(x²)/Q(x²) on |x| ≤ 9.02, where it is 1 to half a unit in the last place; P, Q of degree
/// 4 by reweighted least squares for the relative error (fit 2·10⁻⁸, in float arithmetic 3.5·10⁻⁷). Highway's
/// own, through exp, takes twice the time. All coefficients are positive, so nothing cancels. NaN stays NaN.
template <class D, class V>
HWY_INLINE V fast_tanh(D d, V a) {
  const V limit = hn::Set(d, 9.02f);
  const V x = hn::Min(hn::Max(a, hn::Neg(limit)), limit);
  const V y = hn::Mul(x, x);
  V p = hn::MulAdd(y, hn::Set(d, 1.33186013e-08f), hn::Set(d, 2.05832093e-05f));
  p = hn::MulAdd(p, y, hn::Set(d, 3.49402172e-03f));
  p = hn::MulAdd(p, y, hn::Set(d, 1.33797079e-01f));
  p = hn::MulAdd(p, y, hn::Set(d, 1.0f));
  V q = hn::MulAdd(y, hn::Set(d, 7.76184550e-07f), hn::Set(d, 3.28306924e-04f));
  q = hn::MulAdd(q, y, hn::Set(d, 2.58710291e-02f));
  q = hn::MulAdd(q, y, hn::Set(d, 4.67130244e-01f));
  q = hn::MulAdd(q, y, hn::Set(d, 1.0f));
  const V one = hn::Set(d, 1.0f);
  const V r = hn::Min(hn::Max(hn::Div(hn::Mul(x, p), q), hn::Neg(one)), one);
  return hn::IfThenElse(hn::Eq(a, a), r, a);
}

struct Tanh {
  // σ′ = 1 − σ², σ″ = −2σσ′: the value itself is enough.
  template <class D, class V>
  static V kept(D d, V a) {
    if constexpr (sizeof(hn::TFromD<D>) == 4)
      return fast_tanh(d, a);
    else
      return hn::Tanh(d, a);
  }
  template <class D, class V>
  static Derivatives<V> at(D d, V y) {
    const V first = hn::NegMulAdd(y, y, hn::Set(d, 1));
    return {y, first, hn::Mul(hn::Mul(hn::Set(d, -2), y), first)};
  }
};

struct KeepsArgument {
  template <class D, class V>
  static V kept(D, V a) {
    return a;
  }
};

struct Swish : KeepsArgument {
  // σ = a s, s = 1/(1 + e^−a); σ′ = s + σ(1 − s); σ″ = s(1 − s)(2 + a(1 − 2s)). From e = e^−|a|, since
  // Highway's Exp does not saturate above.
  template <class D, class V>
  static Derivatives<V> at(D d, V a) {
    const V one = hn::Set(d, 1);
    const V e = hn::Exp(d, hn::Neg(hn::Abs(a)));
    const V large = hn::Div(one, hn::Add(one, e)), small = hn::Mul(e, large);
    const auto positive = hn::Gt(a, hn::Zero(d));
    const V s = hn::IfThenElse(positive, large, small), rest = hn::IfThenElse(positive, small, large);
    const V y = hn::Mul(a, s);
    const V bend = hn::MulAdd(a, hn::Sub(rest, s), hn::Set(d, 2));
    return {y, hn::MulAdd(y, rest, s), hn::Mul(hn::Mul(s, rest), bend)};
  }
};

struct Asin : KeepsArgument {
  // σ = asin(ρa), ρ² = 1/(1 + ε): σ′ = 1/√q, σ″ = a/q^{3/2}, q = 1 + ε − a² = (1 − a)(1 + a) + ε.
  template <class D, class V>
  static Derivatives<V> at(D d, V a) {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, 1);
    const V q = hn::MulAdd(hn::Sub(one, a), hn::Add(one, a), hn::Set(d, static_cast<T>(kAsinRounding)));
    const V first = hn::Div(one, hn::Sqrt(q));
    const V rho = hn::Set(d, static_cast<T>(1 / std::sqrt(1 + kAsinRounding)));
    return {hn::Asin(d, hn::Mul(rho, a)), first, hn::Mul(a, hn::Mul(first, hn::Mul(first, first)))};
  }
};

struct Asinh : KeepsArgument {
  // σ′ = 1/√(1 + a²), σ″ = −a/(1 + a²)^{3/2}. Highway's Asinh makes a number of NaN; here NaN stays NaN.
  template <class D, class V>
  static Derivatives<V> at(D d, V a) {
    const V one = hn::Set(d, 1);
    const V first = hn::Div(one, hn::Sqrt(hn::MulAdd(a, a, one)));
    const V value = hn::IfThenElse(hn::Eq(a, a), hn::Asinh(d, a), a);
    return {value, first, hn::Neg(hn::Mul(a, hn::Mul(first, hn::Mul(first, first))))};
  }
};

struct Sin : KeepsArgument {
  // σ′ = cos a, σ″ = −sin a.
  template <class D, class V>
  static Derivatives<V> at(D d, V a) {
    const V value = hn::Sin(d, a);
    return {value, hn::Cos(d, a), hn::Neg(value)};
  }
};

/// Calls body with the struct that `function` names.
template <class Body>
HWY_INLINE void with_function(Function function, const Body& body) {
  switch (function) {
    case Function::tanh:
      return body(Tanh());
    case Function::swish:
      return body(Swish());
    case Function::asin:
      return body(Asin());
    case Function::asinh:
      return body(Asinh());
    case Function::sin:
      return body(Sin());
  }
}

template <class F, class T>
void activate_with(int rows, int n, const T* HWY_RESTRICT bias, T* HWY_RESTRICT jet, T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < rows; ++i, jet += n, out += n) {
    const auto offset = hn::Set(d, bias[i]);
    for (int l = 0; l < kLanes; l += width) {
      const auto kept = F::kept(d, hn::Add(hn::LoadU(d, jet + l), offset));
      hn::StoreU(kept, d, jet + l);
      const auto s = F::at(d, kept);
      hn::StoreU(s.value, d, out + l);
      for (int j = l + kLanes; j < n; j += kLanes)
        hn::StoreU(hn::Mul(s.first, hn::LoadU(d, jet + j)), d, out + j);
    }
  }
}

template <class F, class T>
void reactivate_with(int rows, int n, const T* HWY_RESTRICT kept, T* HWY_RESTRICT out) {
  const hn::ScalableTag<T> d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < rows; ++i, kept += n, out += n) {
    for (int l = 0; l < kLanes; l += width) {
      const auto s = F::at(d, hn::LoadU(d, kept + l));
      hn::StoreU(s.value, d, out + l);
      for (int j = l + kLanes; j < n; j += kLanes)
        hn::StoreU(hn::Mul(s.first, hn::LoadU(d, kept + j)), d, out + j);
    }
  }
}

/// ā = σ′ȳ + σ″ Σ_j ȧ_j ẏ̄_j,  ǡ_j = σ′ẏ̄_j
template <class F, class T>
void backward_with(int rows, int n, const T* HWY_RESTRICT kept, T* HWY_RESTRICT bar) {
  const hn::ScalableTag<T> d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < rows; ++i, kept += n, bar += n) {
    for (int l = 0; l < kLanes; l += width) {
      const auto s = F::at(d, hn::LoadU(d, kept + l));
      auto bend = hn::Zero(d);
      for (int j = l + kLanes; j < n; j += kLanes) {
        const auto slope_bar = hn::LoadU(d, bar + j);
        bend = hn::MulAdd(hn::LoadU(d, kept + j), slope_bar, bend);
        hn::StoreU(hn::Mul(s.first, slope_bar), d, bar + j);
      }
      hn::StoreU(hn::MulAdd(s.first, hn::LoadU(d, bar + l), hn::Mul(s.second, bend)), d, bar + l);
    }
  }
}

template <class T>
void activate(Function function, int rows, int n, const T* bias, T* jet, T* out) {
  with_function(function, [&](auto f) HWY_ATTR { activate_with<decltype(f)>(rows, n, bias, jet, out); });
}
template <class T>
void reactivate(Function function, int rows, int n, const T* kept, T* out) {
  with_function(function, [&](auto f) HWY_ATTR { reactivate_with<decltype(f)>(rows, n, kept, out); });
}
template <class T>
void activate_backward(Function function, int rows, int n, const T* kept, T* bar) {
  with_function(function, [&](auto f) HWY_ATTR { backward_with<decltype(f)>(rows, n, kept, bar); });
}

}  // namespace riemflow::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
