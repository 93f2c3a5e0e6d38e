#pragma once
// The mean of a score over the test points of several random splits of one data set, and its standard error.
//
// The splits share their points, so that neither n₂ test points in each of J splits are J·n₂ independent
// values, nor are J splits: either reading gives an error that falls without bound as splits are added, while
// the data stay the same. With d_ij the score of point i in split j (for a comparison, the difference of two
// methods there), m the mean of all d_ij, and
//   d_ij = μ + a_i + b_j + c_ij,   a of the point, b of what was learned in the split, c of both,
// Var m has a part of the points and one of the splits.
//
// Points: averaged over the r_i splits in which point i is tested, K different points are K independent
// values d̄_i of weights r_i/N, N = Σ r_i,
//   V_p = K/(K − 1) Σ_i (r_i/N)² (d̄_i − m)²,  and no less than  s²/K,  s² the variance of the d̄_i:
// the error that is left after any number of splits is that of the points themselves.
//
// Splits: the mean b̄ of J independent b_j would have variance B/J. Training sets overlap, so that the b_j of
// one data set are alike: after Nadeau and Bengio (Machine Learning 52, 2003) their correlation is about
// n₂/(n₁ + n₂) with n₁ training points, which makes it
//   V_s = (1/J + n₂/n₁) B.
// B is what the variance S² of the splits' means has above that of means of n₂ of the n points by chance:
//   B = max(0, S² − (1 − n₂/n) w²/n₂),  w² the mean variance within splits.
// One split says nothing of B: its error is that of its points.
//
// Points with weights v_i (core/weights.hpp) keep all of this, with means by the weights: m and the splits'
// means are Σ v d/Σ v, so that a weight of 2 is in them as the point tested twice. What independent values of
// weights v count for together is N_v = (Σ v)²/Σ v²: a heavy point is one observation, however much it
// counts, and an error of points that are doubled by their weights is larger than that of so many different
// points. With c_v of core/weights.hpp, which makes the sums unbiased for values of one variance (K − 1 of
// equal weights), and sums over the K points,
//   V_p = K_v/c_v Σ_i (r_i v_i/N)² (d̄_i − m)²,  N = Σ r_i v_i,  and no less than  Σ v²(d̄ − m̄)²/(c_v Σ v²),
// m̄ the mean of the d̄_i by the weights. A split's mean has by chance the variance (1 − n₂/n) w²/n_v, n_v the
// N_v of its n₂ test points and w²/n_v their own estimate of it, as c_v makes it. A split divides points by
// their number, so that n₂/n and n₂/n₁ count points. Splits whose points have the mean weight u_j are in m as
// u_j/Σ u: 1/J is 1/J_u, J_u = (Σ u)²/Σ u². All of it is what is above where the weights are alike.

#include <cstddef>
#include <vector>

#include "riemflow/core/weights.hpp"

namespace riemflow {

/// The test points of one split.
struct TestedSplit {
  std::vector<std::size_t> points;  ///< numbers that name them in all splits
  std::vector<double> values;       ///< d_ij of each; one that is not finite is left out
  std::size_t training = 0;         ///< n₁, ≥ 1
  std::size_t all = 0;              ///< n, with training and validation points
  Weights weights = {};             ///< v_i of each; empty: all alike
};

struct SplitMean {
  double mean, error;          ///< m and √(V_p + V_s); NaN where there are too few values
  std::size_t points, splits;  ///< K different points in J splits
};

SplitMean mean_over_splits(const std::vector<TestedSplit>& splits);

}  // namespace riemflow
