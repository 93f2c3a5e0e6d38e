#pragma once
// Densities by name, as a command line gives them. Numbers of a vector stand with semicolons between.
//
//   vmf:mu=-1;0;0,kappa=10            on the unit sphere, about μ (length 1 within 1e-3, then normalised)
//   vmf:lat=47.5,lon=8.5,kappa=100    on sphere:2, μ in degrees (manifold/earth.hpp)
//   wrapped-normal:alpha=1.5,sigma=0.3;1
//                                     on the ball, about exp_0(α∂₁) as in the paper: ∂₁ has length λ(0) = 2,
//                                     so the mean is at distance 2α, tanh(√c α)/√c on the first axis. sigma:
//                                     VARIANCES in orthonormal coordinates of T_0: one for all, one a
//                                     coordinate, or the whole matrix of d² numbers
//   wrapped-normal:mean=0.3;0.1       the mean in the coordinates of the ball; without either it is 0.
//                                     Without sigma it is 1
//   watson:mu=0;0;1,kappa=-20         on the unit sphere, about the axis μ, or with κ < 0 about what is
//   orthogonal
//                                     to it; lat and lon as for vmf
//   bingham:matrix=1;0;0;0;2;0;0;0;-5 on the unit sphere, exp(xᵀAx) of a symmetric matrix: all its numbers,
//   or
//                                     those of a diagonal
//   kent:mu=0;0;1,major=1;0;0,kappa=50,beta=20
//                                     on sphere:2, oval along the major axis; 0 ≤ 2β < κ
//   angular-central-gaussian:sigma=4;1;1
//                                     on the unit sphere, directions of a normal vector: sigma as below
//   bivariate-von-mises:mu=-60;140,kappa=50;30,lambda=20
//                                     on torus:2, means in degrees, the dependence λ
//   matrix-fisher:matrix=9;0;0;0;9;0;0;0;5
//                                     on rotation:3, exp(tr FᵀR), the matrix by rows
//   uniform                           on what has a finite volume
//   normal                            on R^d, the standard one
//   0.3*vmf:… + 0.7*vmf:…             mixtures; the weights sum to 1 within 1e-2, and are divided by their
//   sum

#include <memory>
#include <string_view>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Throws Error, naming the part that is wrong, what was expected and the near name. parse_target(p.name())
/// is p again for p of these, less rounding of normalised means and weights.
template <class T>
std::shared_ptr<const Distribution<T>> parse_target(std::string_view text,
                                                    std::shared_ptr<const Manifold<T>> manifold);

}  // namespace riemflow
