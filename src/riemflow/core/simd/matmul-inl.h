// Small matrix products on jet matrices; included once for each instruction set.
#if defined(RIEMFLOW_MATMUL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef RIEMFLOW_MATMUL_INL
#undef RIEMFLOW_MATMUL_INL
#else
#define RIEMFLOW_MATMUL_INL
#endif

#include <hwy/highway.h>

#include "riemflow/core/simd/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace riemflow::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Rows held in registers beside each other: 8 rows × 3 vectors fill the 32 registers of AVX-512, 4 × 3 the
/// 16 of the others.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kRows = 8;
#else
inline constexpr int kRows = 4;
#endif

/// C[R × V vectors] = or += A[R×k] B[k × V vectors]. Element (r, p) of A stands at a[r·row_step + p·k_step].
/// With kMasked the last vector of a row of C holds only `tail` numbers.
template <int R, int V, bool kMasked, class T>
HWY_INLINE void block(int k, const T* HWY_RESTRICT a, std::ptrdiff_t row_step, std::ptrdiff_t k_step,
                      const T* HWY_RESTRICT b, std::ptrdiff_t ldb, T* HWY_RESTRICT c, std::ptrdiff_t ldc,
                      bool accumulate, int tail) {
  const hn::ScalableTag<T> d;
  const auto width = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(tail));
  hn::Vec<decltype(d)> sum[R][V];
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) sum[r][v] = hn::Zero(d);
  }
  for (int p = 0; p < k; ++p) {
    hn::Vec<decltype(d)> column[V];
    for (int v = 0; v < V; ++v) column[v] = hn::LoadU(d, b + p * ldb + v * width);
    for (int r = 0; r < R; ++r) {
      const auto factor = hn::Set(d, a[r * row_step + p * k_step]);
      for (int v = 0; v < V; ++v) sum[r][v] = hn::MulAdd(factor, column[v], sum[r][v]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int v = 0; v < V; ++v) {
      T* at = c + r * ldc + v * width;
      // Not MaskedLoad, which wants alignment before AVX; the overhang is readable.
      if (accumulate) sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, at));
      if (kMasked && v == V - 1)
        hn::BlendedStore(sum[r][v], mask, d, at);
      else
        hn::StoreU(sum[r][v], d, at);
    }
  }
}

/// All rows of a panel of V vectors.
template <int V, bool kMasked, class T>
HWY_INLINE void panel(int m, int k, const T* a, std::ptrdiff_t row_step, std::ptrdiff_t k_step, const T* b,
                      std::ptrdiff_t ldb, T* c, std::ptrdiff_t ldc, bool accumulate, int tail) {
  int i = 0;
  for (; i + kRows <= m; i += kRows)
    block<kRows, V, kMasked>(k, a + i * row_step, row_step, k_step, b, ldb, c + i * ldc, ldc, accumulate,
                             tail);
  if (kRows > 4 && i + 4 <= m) {
    block<4, V, kMasked>(k, a + i * row_step, row_step, k_step, b, ldb, c + i * ldc, ldc, accumulate, tail);
    i += 4;
  }
  if (i + 2 <= m) {
    block<2, V, kMasked>(k, a + i * row_step, row_step, k_step, b, ldb, c + i * ldc, ldc, accumulate, tail);
    i += 2;
  }
  if (i < m)
    block<1, V, kMasked>(k, a + i * row_step, row_step, k_step, b, ldb, c + i * ldc, ldc, accumulate, tail);
}

/// C[m × columns] = or += A B with any number of columns, in panels of three vectors, then two, then one; B
/// and the scratch behind it are readable to the next full vector.
template <class T>
HWY_INLINE void product(int m, int columns, int k, const T* a, std::ptrdiff_t row_step, std::ptrdiff_t k_step,
                        const T* b, std::ptrdiff_t ldb, T* c, std::ptrdiff_t ldc, bool accumulate) {
  const hn::ScalableTag<T> d;
  const int width = static_cast<int>(hn::Lanes(d));
  int full = columns / width;
  const int tail = columns % width;
  int at = 0;
  // 4 = 2 + 2 keeps more sums in flight than 3 + 1.
  for (; full >= 3 && full != 4; full -= 3, at += 3 * width)
    panel<3, false>(m, k, a, row_step, k_step, b + at, ldb, c + at, ldc, accumulate, 0);
  for (; full >= 2; full -= 2, at += 2 * width)
    panel<2, false>(m, k, a, row_step, k_step, b + at, ldb, c + at, ldc, accumulate, 0);
  if (full == 1) {
    panel<1, false>(m, k, a, row_step, k_step, b + at, ldb, c + at, ldc, accumulate, 0);
    at += width;
  }
  if (tail > 0) panel<1, true>(m, k, a, row_step, k_step, b + at, ldb, c + at, ldc, accumulate, tail);
}

template <class T>
void multiply(int m, int n, int k, const T* a, int lda, const T* b, T* c, bool accumulate) {
  product(m, n, k, a, lda, 1, b, n, c, n, accumulate);
}

template <class T>
void multiply_transposed(int m, int n, int k, const T* a, int lda, const T* b, T* c, bool accumulate) {
  product(k, n, m, a, 1, lda, b, n, c, n, accumulate);
}

/// out[n × ldo] = in[k × n]ᵀ, columns k..ldo−1 zero. In squares of one 128-bit register.
template <class T>
HWY_INLINE void transpose(int k, int n, const T* HWY_RESTRICT in, T* HWY_RESTRICT out, int ldo) {
  int j = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::Full128<T> d;
  constexpr int kSide = 16 / sizeof(T);
  for (; j + kSide <= k; j += kSide) {
    for (int i = 0; i < n; i += kSide) {
      const T* from = in + j * n + i;
      T* to = out + i * ldo + j;
      if constexpr (kSide == 4) {
        const hn::Full128<double> pairs;
        const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + n);
        const auto r2 = hn::LoadU(d, from + 2 * n), r3 = hn::LoadU(d, from + 3 * n);
        const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1));
        const auto b = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1));
        const auto e = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3));
        const auto f = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, a, e)), d, to);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, a, e)), d, to + ldo);
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, b, f)), d, to + 2 * ldo);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, b, f)), d, to + 3 * ldo);
      } else {
        const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + n);
        hn::StoreU(hn::InterleaveLower(d, r0, r1), d, to);
        hn::StoreU(hn::InterleaveUpper(d, r0, r1), d, to + ldo);
      }
    }
  }
#endif
  for (; j < ldo; ++j) {
    for (int i = 0; i < n; ++i) out[i * ldo + j] = j < k ? in[j * n + i] : T(0);
  }
}

template <class T>
void add_outer(int m, int n, int k, const T* g, const T* b, T* a, int lda, T* scratch) {
  if (k < kLanes && k < m) {
    // Few columns would leave most of a vector idle: Aᵀ += B Gᵀ instead, turned round by hand.
    const int ldo = round_up_to_lanes(m);
    T* turned = scratch + static_cast<std::ptrdiff_t>(n) * ldo;
    transpose(m, n, g, scratch, ldo);
    product(k, ldo, n, b, n, 1, scratch, ldo, turned, ldo, false);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < k; ++j) a[i * lda + j] += turned[j * ldo + i];
    }
    return;
  }
  const int ldo = round_up_to_lanes(k);
  transpose(k, n, b, scratch, ldo);
  product(m, k, n, g, n, 1, scratch, ldo, a, lda, true);
}

template <class T>
void add_value_sums(int m, int n, const T* g, T* sums) {
  const hn::ScalableTag<T> d;
  const int width = static_cast<int>(hn::Lanes(d));
  for (int i = 0; i < m; ++i) {
    auto sum = hn::LoadU(d, g + i * n);
    for (int j = width; j < kLanes; j += width) sum = hn::Add(sum, hn::LoadU(d, g + i * n + j));
    sums[i] += hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

}  // namespace riemflow::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
