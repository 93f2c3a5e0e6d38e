#pragma once
// Log-densities of a mixture of von Mises–Fisher distributions at many points, and the sums over the points
// from which its likelihood's derivatives and its EM step are made.
//
// With a_k = log w_k + log C_d(κ_k) + κ_k and s_k = |x − μ_k|²/2,
//   log p(x) = log Σ_k exp(a_k − κ_k s_k),   r_k(x) = exp(a_k − κ_k s_k)/p(x),
// the exponent being free of the cancellation of κ(⟨x, μ⟩ − 1). A point is a loop over the components, which
// lie next to each other: vectors of K numbers whatever the dimension.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "riemflow/core/executor.hpp"
#include "riemflow/core/points.hpp"
#include "riemflow/core/weights.hpp"

namespace riemflow {

/// K components on S^d.
struct MixtureParameters {
  Points<double> means;         ///< unit vectors
  std::vector<double> weights;  ///< ≥ 0, of sum 1
  std::vector<double> kappas;   ///< ≥ 0

  std::size_t size() const { return weights.size(); }
};

/// Sums over points of weights v, a component.
struct MixtureSums {
  Eigen::ArrayXd mass;        ///< Σ v r_k
  Eigen::ArrayXd drop;        ///< Σ v r_k s_k
  Eigen::ArrayXXd resultant;  ///< [k][i] Σ v r_k x_i
  double log_likelihood = 0;  ///< Σ v log p

  MixtureSums(Eigen::Index components, Eigen::Index ambient);
  MixtureSums& operator+=(const MixtureSums& other);
};

class MixtureEvaluator {
 public:
  /// The executor, where there is one, shares out the components' constants.
  explicit MixtureEvaluator(const MixtureParameters& parameters, Executor* executor = nullptr);

  /// values[i] = log p(points[i]).
  void log_prob(const Points<double>& points, std::span<double> values, Executor* executor = nullptr) const;
  /// The same values and gradients[i] = Σ_k r_k κ_k(μ_k − x), x = points[i] of the unit sphere.
  void log_prob_gradient(const Points<double>& points, std::span<double> values, Points<double>& gradients,
                         Executor* executor = nullptr) const;
  /// The same and the sums. The points are cut into at most 64 chunks, a function of their number alone, and
  /// these are added in order: the same bits for any number of threads.
  MixtureSums sums(const Points<double>& points, std::span<double> values, Executor* executor = nullptr,
                   const Weights& weights = {}) const;

  /// 1 − A_d(κ_k) = ∂(log C_d(κ_k) + κ_k)/∂κ_k.
  const Eigen::ArrayXd& mean_drop() const { return mean_drop_; }

 private:
  void evaluate(const Points<double>& points, std::size_t begin, std::size_t end, std::span<double> values,
                MixtureSums* sums, const Weights& weights, Points<double>* gradients) const;

  Eigen::ArrayXXd means_;  // [k][i], components next to each other
  Eigen::ArrayXd peak_, kappa_, mean_drop_;
};

}  // namespace riemflow
