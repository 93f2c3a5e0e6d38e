#pragma once
// What a space makes a vector field of (manifold.hpp, velocity): the output of a network on jets. u comes
// with its derivatives u̇_j = Du[v_j] in k directions v_j, the seeds.

#include <array>
#include <string_view>

#include "riemflow/core/enum_names.hpp"
#include "riemflow/core/pack.hpp"

namespace riemflow {

/// What the network's output u is multiplied by where the metric is λ²I and λ varies, as on the ball, where
/// λ = 2/(1 + K|z|²).
enum class BallScaling {
  none,  ///< f = u
  unit,  ///< f = u/λ, so that ‖f‖_z = |u|
  paper  ///< f = u/√|G| = u/λ^d, as the paper's experiments (d = 2: 1/λ²)
};
constexpr auto names_of(BallScaling) { return std::to_array<std::string_view>({"none", "unit", "paper"}); }

/// p of f = λ^−p u.
constexpr int power_of(BallScaling scaling, int d) {
  switch (scaling) {
    case BallScaling::none:
      return 0;
    case BallScaling::unit:
      return 1;
    case BallScaling::paper:
      break;
  }
  return d;
}

/// What a field does to a point per unit of time.
template <class T>
struct Rates {
  Pack<T> divergence;
  Pack<T> kinetic;    ///< ‖f‖²_g
  Pack<T> frobenius;  ///< ‖∇f‖²_F; 0 unless asked for
};

template <class T>
struct OutputJet {
  PackMatrix<T> x;  ///< column 0 the point, columns 1 to k the seeds
  PackMatrix<T> u;  ///< column 0 the output, columns 1 to k its derivatives
  int k;
  T share;         ///< c: Σ_j c·v_j v_jᵀ is, or has as its mean, the identity of the tangent space
  bool frobenius;  ///< whether Rates::frobenius is asked for
  BallScaling scaling;

  /// Its rows from `row` on: those of a factor.
  OutputJet from(int row) const { return {x.from(row, 0), u.from(row, 0), k, share, frobenius, scaling}; }
};

/// ⟨column i of a, column j of b⟩ over n rows.
template <class T>
Pack<T> column_dot(int n, PackMatrix<T> a, int i, PackMatrix<T> b, int j) {
  return dot(n, a.data + i, b.data + j, a.stride, b.stride);
}

/// c Σ_j ⟨v_j, u̇_j⟩: only the network's own trace is ever estimated.
template <class T>
Pack<T> trace_of(int n, const OutputJet<T>& jet) {
  Pack<T> trace = 0;
  for (int j = 1; j <= jet.k; ++j) trace += column_dot(n, jet.x, j, jet.u, j);
  trace *= Pack<T>(jet.share);
  return trace;
}

}  // namespace riemflow
