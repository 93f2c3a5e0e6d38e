#pragma once
// A pack is one number for each of kLanes points: the unit in which every formula of the library is written.
// A tile is an array of packs, feature-major: x[i] holds coordinate i of all points, so a formula for one
// point, written with packs in place of numbers, is the formula for the whole tile.

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>

namespace riemflow {

/// Points in a tile. One AVX-512 register of floats; the same for double, so that tiling (and with it every
/// reduction order) does not depend on the precision.
inline constexpr int kLanes = 16;

template <class T>
struct alignas(64) Pack {
  T lane[kLanes];

  Pack() = default;
  /// Broadcast, so that `2 * x + 1` reads as it does for one number.
  template <class C>
  requires std::is_arithmetic_v<C> Pack(C value) {
    for (T& l : lane) l = static_cast<T>(value);
  }

  T& operator[](int i) { return lane[i]; }
  const T& operator[](int i) const { return lane[i]; }

  Pack& operator+=(const Pack& b) { return *this = *this + b; }
  Pack& operator-=(const Pack& b) { return *this = *this - b; }
  Pack& operator*=(const Pack& b) { return *this = *this * b; }
  Pack& operator/=(const Pack& b) { return *this = *this / b; }

  friend Pack operator+(const Pack& a, const Pack& b) {
    Pack r;
    for (int i = 0; i < kLanes; ++i) r.lane[i] = a.lane[i] + b.lane[i];
    return r;
  }
  friend Pack operator-(const Pack& a, const Pack& b) {
    Pack r;
    for (int i = 0; i < kLanes; ++i) r.lane[i] = a.lane[i] - b.lane[i];
    return r;
  }
  friend Pack operator*(const Pack& a, const Pack& b) {
    Pack r;
    for (int i = 0; i < kLanes; ++i) r.lane[i] = a.lane[i] * b.lane[i];
    return r;
  }
  friend Pack operator/(const Pack& a, const Pack& b) {
    Pack r;
    for (int i = 0; i < kLanes; ++i) r.lane[i] = a.lane[i] / b.lane[i];
    return r;
  }
  friend Pack operator-(const Pack& a) {
    Pack r;
    for (int i = 0; i < kLanes; ++i) r.lane[i] = -a.lane[i];
    return r;
  }
};

/// One truth value a lane, the result of comparing packs.
struct LaneMask {
  std::array<bool, kLanes> lane;

  bool any() const {
    bool r = false;
    for (bool l : lane) r = r || l;
    return r;
  }
  bool all() const {
    bool r = true;
    for (bool l : lane) r = r && l;
    return r;
  }
};

template <class T>
LaneMask operator<(const Pack<T>& a, const Pack<T>& b) {
  LaneMask m;
  for (int i = 0; i < kLanes; ++i) m.lane[static_cast<std::size_t>(i)] = a.lane[i] < b.lane[i];
  return m;
}
template <class T>
LaneMask operator<(const Pack<T>& a, T b) {
  return a < Pack<T>(b);
}

/// Where m holds a, elsewhere b. Both are evaluated: a must be free of traps, not of NaN, where m is false.
template <class T>
Pack<T> select(const LaneMask& m, const Pack<T>& a, const Pack<T>& b) {
  Pack<T> r;
  for (int i = 0; i < kLanes; ++i) r.lane[i] = m.lane[static_cast<std::size_t>(i)] ? a.lane[i] : b.lane[i];
  return r;
}
template <class T>
T select(bool m, T a, T b) {
  return m ? a : b;
}

#define RIEMFLOW_LANEWISE(name)                                        \
  template <class T>                                                   \
  Pack<T> name(const Pack<T>& a) {                                     \
    Pack<T> r;                                                         \
    for (int i = 0; i < kLanes; ++i) r.lane[i] = std::name(a.lane[i]); \
    return r;                                                          \
  }
RIEMFLOW_LANEWISE(sqrt)
RIEMFLOW_LANEWISE(exp)
RIEMFLOW_LANEWISE(log)
RIEMFLOW_LANEWISE(log1p)
RIEMFLOW_LANEWISE(sin)
RIEMFLOW_LANEWISE(cos)
RIEMFLOW_LANEWISE(asin)
RIEMFLOW_LANEWISE(sinh)
RIEMFLOW_LANEWISE(cosh)
RIEMFLOW_LANEWISE(tanh)
RIEMFLOW_LANEWISE(asinh)
RIEMFLOW_LANEWISE(atanh)
RIEMFLOW_LANEWISE(abs)
#undef RIEMFLOW_LANEWISE

template <class T>
Pack<T> atan2(const Pack<T>& y, const Pack<T>& x) {
  Pack<T> r;
  for (int i = 0; i < kLanes; ++i) r.lane[i] = std::atan2(y.lane[i], x.lane[i]);
  return r;
}
template <class T>
Pack<T> max(const Pack<T>& a, const Pack<T>& b) {
  Pack<T> r;
  for (int i = 0; i < kLanes; ++i) r.lane[i] = a.lane[i] < b.lane[i] ? b.lane[i] : a.lane[i];
  return r;
}
template <class T>
Pack<T> copysign(const Pack<T>& a, const Pack<T>& b) {
  Pack<T> r;
  for (int i = 0; i < kLanes; ++i) r.lane[i] = std::copysign(a.lane[i], b.lane[i]);
  return r;
}

/// Sum over the lanes, always in the same order.
template <class T>
T lane_sum(const Pack<T>& a) {
  T s = 0;
  for (T l : a.lane) s += l;
  return s;
}

/// ⟨a, b⟩ of two vectors of n coordinates; `stride_a`, `stride_b` walk a column of a PackMatrix.
template <class N>
N dot(int n, const N* a, const N* b, int stride_a = 1, int stride_b = 1) {
  N s = a[0] * b[0];
  for (int i = 1; i < n; ++i) s += a[i * stride_a] * b[i * stride_b];
  return s;
}

/// A view of packs as a matrix [row][column], rows `stride` packs apart: a jet tile is one with a row a
/// feature, the value in column 0 and the directional derivatives in columns 1..k.
template <class T>
struct PackMatrix {
  Pack<T>* data;
  int stride;

  Pack<T>& operator()(int row, int column) const { return data[row * stride + column]; }
  PackMatrix from(int row, int column) const { return {data + row * stride + column, stride}; }
};

}  // namespace riemflow
