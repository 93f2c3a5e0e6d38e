#pragma once
// The hot loops, compiled once for each instruction set and chosen at run time.
//
// All matrices are row-major. A jet matrix has a row a feature and n = (1 + k)·kLanes columns: kLanes values,
// then k blocks of kLanes directional derivatives; rows follow each other without gaps and start at a
// multiple of 64 bytes.

#include <cstddef>
#include <string>
#include <vector>

#include "riemflow/core/pack.hpp"

namespace riemflow::simd {

/// Elementwise functions, applied to a jet: y = σ(a), ẏ_j = σ′(a) ȧ_j. `asin` is asin(ρa) with
/// ρ = 1/√(1 + kAsinRounding), see manifold/sphere.hpp.
enum class Function { tanh, swish, asin, asinh, sin };

inline constexpr double kAsinRounding = 1e-4;

template <class T>
struct Kernels {
  /// C[m×n] = A[m×k] B[k×n], or += with `accumulate`. A has rows `lda` apart. n: a multiple of kLanes.
  void (*multiply)(int m, int n, int k, const T* a, int lda, const T* b, T* c, bool accumulate);
  /// C[k×n] = A[m×k]ᵀ B[m×n], or +=.
  void (*multiply_transposed)(int m, int n, int k, const T* a, int lda, const T* b, T* c, bool accumulate);
  /// A[m×k] += G[m×n] B[k×n]ᵀ. A has rows `lda` apart and may be read and rewritten unchanged up to
  /// kOverhang numbers behind its end. scratch: outer_scratch(m, n, k) numbers.
  void (*add_outer)(int m, int n, int k, const T* g, const T* b, T* a, int lda, T* scratch);
  /// sums[i] += Σ over the first kLanes columns of row i of G[m×n].
  void (*add_value_sums)(int m, int n, const T* g, T* sums);

  /// jet[rows×n] comes in as the pre-activation without bias; bias[i] is added to the values of row i, the
  /// jet is rewritten as what the backward pass keeps (tanh: its value, else the argument; derivatives of
  /// the argument), and out[rows×n] = the jet of σ.
  void (*activate)(Function function, int rows, int n, const T* bias, T* jet, T* out);
  /// out = the jet of σ again, from what `activate` kept.
  void (*reactivate)(Function function, int rows, int n, const T* kept, T* out);
  /// bar comes in as the cotangent of σ's jet and becomes that of the pre-activation's jet.
  void (*activate_backward)(Function function, int rows, int n, const T* kept, T* bar);

  /// Geodesics of the unit sphere that end at the columns y_i of y[ambient×n], n a multiple of kLanes, and
  /// are at x with a share `remaining` of their time to go: from there of angle θ_i to the end and R_i =
  /// θ_i/remaining in all. Those of R_i < π that begin uniformly distributed have at x densities in
  /// proportion to w_i = (remaining·sin R_i/sin θ_i)^(ambient−2) and velocities R_i/sin θ_i·P(y_i − x), P the
  /// tangent projection. Returns Σ v_i w_i, and sums[ambient] = Σ v_i w_i R_i/sin θ_i·(y_i − x), with v_i
  /// how often paths end at y_i: shares[n] or, where that is null, 1.
  double (*path_sums)(int ambient, int n, const T* x, const T* y, const T* shares, T remaining, double* sums);

  /// Runs `rounds` times a block of independent fused multiply-adds on registers; returns the number of
  /// floating-point operations done, with the sum in *sink.
  double (*spin)(long rounds, T* sink);
};

/// Numbers behind the end of a matrix that add_outer may touch.
inline constexpr int kOverhang = 16;
inline int round_up_to_lanes(int n) { return (n + kLanes - 1) / kLanes * kLanes; }
inline std::size_t outer_scratch(int m, int n, int k) {
  return static_cast<std::size_t>(n + kLanes) * static_cast<std::size_t>(round_up_to_lanes(m > k ? m : k));
}

/// The kernels of the chosen instruction set. RIEMFLOW_SIMD=avx512|avx2|sse4|scalar forces a lower one; the
/// choice is made at the first call. Throws Error for a name that is unknown or that this machine lacks.
template <class T>
const Kernels<T>& kernels();

/// The instruction set chosen: "avx512", "avx2", "sse4" or "scalar".
std::string instruction_set();
/// Those this machine can run, best first.
std::vector<std::string> available_instruction_sets();

}  // namespace riemflow::simd
