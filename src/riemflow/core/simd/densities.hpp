#pragma once
// Logarithms of many densities of one kind at one point, and the sum of what they are logarithms of. Compiled
// and chosen as kernels.hpp says.
//
// Densities stand in blocks of kBlock: row r of a block is one number of each of its densities, so that
// number r of density i is blocks[(i/kBlock·rows + r)·kBlock + i mod kBlock]. Blocks start at a multiple of
// 64 bytes. Row 0 is a logarithm to which all factors add, row 1 what log_floor is compared with, then come
// the rows of each factor.

#include <cstddef>
#include <numbers>

#include "riemflow/core/pack.hpp"

namespace riemflow::simd {

/// Densities of a block: one AVX-512 register of doubles.
inline constexpr int kBlock = 8;

/// A factor of the manifold, of d dimensions and D numbers, and what it adds to the logarithm. With m a
/// centre and W (d × D) upper trapezoidal, only W_rc with c ≥ r stored, row after row: wide(d, D) numbers.
struct DensityFactor {
  enum class Kind {
    /// rows m (D), W. −½ q, q = |W(x − m)|².
    euclidean,
    /// The same with x − m taken to the nearest image, ± period/2. x: angles.
    torus,
    /// rows m (D), s², W. With c = K⟨m, x⟩ and a = c² + s²q:
    /// −½ q/a − (d+1)/2 log a + log(s^d M_d(c/(s√a))), M_k(α) = ∫₀^∞ tᵏ φ(t − α) dt; −∞ where α < −8.
    sphere,
    /// rows m (d), b(m), W. x: its coordinates, then b(x); b = 1 + K|·|². With p = −K|x − m|²/(b(x) b(m)),
    /// h = asinh(√p)/√p: (d−1) log(h/√(1+p)) − ½ |Wv|², v = 2h/(√(1+p)·b(x)) (x − m − p·b(x)·m).
    ball,
    /// rows m (D), τ: −½ τ|x − m|².
    round,
    /// rows m (d), b(m), τ. As ball, with (4/−K) p h² in place of |x − m|².
    round_ball,
  };
  Kind kind;
  int dimension, ambient;
  double curvature;
  int point;                             ///< where its numbers of x start; torus: among the angles
  int row;                               ///< where its rows start
  double period = 2 * std::numbers::pi;  ///< torus: of its coordinates

  static int wide(int d, int D) { return d * D - d * (d - 1) / 2; }
  int rows() const {
    switch (kind) {
      case Kind::euclidean:
      case Kind::torus:
        return ambient + wide(dimension, ambient);
      case Kind::sphere:
        return ambient + 1 + wide(dimension, ambient);
      case Kind::ball:
        return dimension + 1 + wide(dimension, dimension);
      case Kind::round:
        return ambient + 1;
      case Kind::round_ball:
        return dimension + 2;
    }
    return 0;
  }
};

struct DensityLayout {
  const DensityFactor* factors;
  int count;
  int rows;     ///< of a block
  int scratch;  ///< of the largest factor, in numbers
};

/// Balls that hold centres of densities, in blocks: row 0 a logarithm l, row 1 a precision τ, row 2 a radius
/// r, from row 3 on a centre. The distance D of x from the centre is that of factors of kind round, |x − m|,
/// and round_ball, each with its centre's numbers alone as rows.
struct BallLayout {
  const DensityFactor* factors;
  int count;
  int rows;     ///< of a block
  double turn;  ///< R: see log_bounds
};

struct Densities {
  /// out[count·kBlock] = the logarithms of `count` blocks at a point. −∞ instead where row 1 less the
  /// factors' quadratic forms (½ q, on the sphere ½ q/a) is below log_floor, for all densities that are
  /// computed at once; which those are depends on the instruction set. scratch: layout.scratch numbers.
  void (*log_values)(const DensityLayout& layout, const double* blocks, std::size_t count,
                     const double* angles, const double* x, double log_floor, double* scratch, double* out);
  /// out[kBlock] = l − ½ τ reach of the balls of a block, reach = w(1 − w/4R²), w = min(g², R²), g = D − r
  /// the gap between x and the ball, 0 inside. R = ∞: reach = g².
  void (*log_bounds)(const BallLayout& layout, const double* block, const double* x, double* out);
  /// e^{log_scale}·sum += Σ e^{values_i}, n a multiple of kBlock. log_scale rises to the largest value where
  /// that is more than kMostAboveScale above it, so that nothing overflows; it never falls.
  void (*add_exponentials)(std::size_t n, const double* values, double* log_scale, double* sum);
  /// values[i] = log(s^k M_k(c/(s√a))) − (k+1)/2 log a, i < n, n a multiple of kBlock.
  void (*log_moments)(std::size_t n, int k, const double* c, const double* a, const double* s2,
                      double* values);
};
inline constexpr double kMostAboveScale = 300;

/// Of the chosen instruction set.
const Densities& densities();

}  // namespace riemflow::simd
