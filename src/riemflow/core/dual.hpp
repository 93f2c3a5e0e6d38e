#pragma once
// Forward-mode derivatives: a dual number is a value with its derivative in one direction. Number may be a
// pack, a plain number or itself a dual (second derivatives). Used where clarity beats speed: gradients of
// log-densities (once a solve), and the reference the fast kernels are tested against.

#include <cmath>
#include <type_traits>

#include "riemflow/core/pack.hpp"

namespace riemflow {

template <class Number>
struct Dual {
  Number value;
  Number slope;

  Dual() = default;
  Dual(const Number& v) : value(v), slope(Number(0)) {}
  Dual(const Number& v, const Number& s) : value(v), slope(s) {}
  /// From a plain constant, at any depth of nesting.
  template <class C>
  requires std::is_arithmetic_v<C> &&(!std::is_same_v<C, Number>)Dual(C c)
      : value(Number(c)), slope(Number(0)) {}

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.slope + a.slope * b.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const Number q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
  friend auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
};

template <class Mask, class N>
Dual<N> select(const Mask& m, const Dual<N>& a, const Dual<N>& b) {
  return {select(m, a.value, b.value), select(m, a.slope, b.slope)};
}
/// Settles the choice between the above and select(bool, T, T).
template <class N>
Dual<N> select(bool m, const Dual<N>& a, const Dual<N>& b) {
  return m ? a : b;
}

// Each function with its derivative, in terms of the value where that is cheaper or more accurate.
template <class N>
Dual<N> sqrt(const Dual<N>& a) {
  using std::sqrt;
  const N r = sqrt(a.value);
  return {r, a.slope / (r + r)};
}
template <class N>
Dual<N> exp(const Dual<N>& a) {
  using std::exp;
  const N r = exp(a.value);
  return {r, r * a.slope};
}
template <class N>
Dual<N> log(const Dual<N>& a) {
  using std::log;
  return {log(a.value), a.slope / a.value};
}
template <class N>
Dual<N> log1p(const Dual<N>& a) {
  using std::log1p;
  return {log1p(a.value), a.slope / (N(1) + a.value)};
}
template <class N>
Dual<N> sin(const Dual<N>& a) {
  using std::cos, std::sin;
  return {sin(a.value), cos(a.value) * a.slope};
}
template <class N>
Dual<N> cos(const Dual<N>& a) {
  using std::cos, std::sin;
  return {cos(a.value), -sin(a.value) * a.slope};
}
template <class N>
Dual<N> asin(const Dual<N>& a) {
  using std::asin, std::sqrt;
  return {asin(a.value), a.slope / sqrt((N(1) - a.value) * (N(1) + a.value))};
}
template <class N>
Dual<N> sinh(const Dual<N>& a) {
  using std::cosh, std::sinh;
  return {sinh(a.value), cosh(a.value) * a.slope};
}
template <class N>
Dual<N> cosh(const Dual<N>& a) {
  using std::cosh, std::sinh;
  return {cosh(a.value), sinh(a.value) * a.slope};
}
template <class N>
Dual<N> tanh(const Dual<N>& a) {
  using std::tanh;
  const N r = tanh(a.value);
  return {r, (N(1) - r * r) * a.slope};
}
template <class N>
Dual<N> asinh(const Dual<N>& a) {
  using std::asinh, std::sqrt;
  return {asinh(a.value), a.slope / sqrt(N(1) + a.value * a.value)};
}
template <class N>
Dual<N> atanh(const Dual<N>& a) {
  using std::atanh;
  return {atanh(a.value), a.slope / ((N(1) - a.value) * (N(1) + a.value))};
}

}  // namespace riemflow
