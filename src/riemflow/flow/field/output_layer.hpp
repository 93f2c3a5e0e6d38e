#pragma once
// From the network's output u to a tangent vector f, its divergence and what the regularisers integrate, a
// factor at a time. u comes as a jet: u and its derivatives u̇_j = Du[v_j] in k directions v_j.
//
// The divergence is c·s·Σ_j⟨v_j, u̇_j⟩ + closed form, where Σ_j c·v_j v_jᵀ is, or has as its mean, the
// identity of the tangent space: only the network's own trace is ever estimated.
//
//   R^d, T^d   f = u                  div f = tr Du
//   S^d        f = u − K⟨u,x⟩x        div f = tr_T Du − d·K⟨u,x⟩
//   B^d        f = s·u, s = λ^−p      div f = s·tr Du + (p − d)·K·λ·s⟨u,x⟩,   λ = 2/(1 + K|x|²)
//
// (ball: ∇s = p·s·K·λ·x, and div f = tr Df − d·K·λ⟨f,x⟩).  p: none 0, unit 1, paper d.
//
// The covariant derivative in direction v, c_v = ∇_v f, whose squares make the Frobenius norm:
//   S^d   u̇ − K⟨x,u̇⟩x − K⟨u,x⟩v
//   B^d   s·(u̇ + (1−p)⟨g,v⟩u + ⟨g,u⟩v − ⟨v,u⟩g),   g = ∇log λ = −K·λ·x  (the Christoffel symbols of λ²I)

#include "riemflow/core/pack.hpp"
#include "riemflow/flow/field/config.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// What a field does to a point per unit of time.
template <class T>
struct Rates {
  Pack<T> divergence;
  Pack<T> kinetic;    ///< ‖f‖²_g
  Pack<T> frobenius;  ///< ‖∇f‖²_F; 0 unless asked for
};

template <class T>
class OutputLayer {
 public:
  OutputLayer(const Factor<T>& factor, BallScaling scaling);

  /// in: jet of x (the point, and the seeds v_j); u: jet of the network's output; both are this factor's
  /// rows. f (ambient packs) =, rates +=. share = c above.
  void forward(PackMatrix<T> in, PackMatrix<T> u, int k, T share, bool frobenius, Pack<T>* f,
               Rates<T>& rates) const;

  /// u_bar =, in_bar += the cotangents, given those of f and of the rates. f_bar is scratch afterwards.
  void backward(PackMatrix<T> in, PackMatrix<T> u, int k, T share, bool frobenius, Pack<T>* f_bar,
                const Rates<T>& rates_bar, PackMatrix<T> u_bar, PackMatrix<T> in_bar) const;

 private:
  Geometry geometry_;
  T curvature_;
  int dimension_;
  int ambient_;
  int power_;  ///< p on the ball
};

}  // namespace riemflow
