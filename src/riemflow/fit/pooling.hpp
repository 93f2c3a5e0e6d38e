#pragma once
// Fitted models into a pool: scored on the points that choose the weights, weighed, and put into one model.
//
// The weights of a pool: those that maximise the likelihood of points none of its members has seen,
//   L(w) = mean_i log Σ_m w_m p_m(x_i)  over  w ≥ 0, Σ w = 1,
// the mean being by the points' own weights. L is concave, so that EM, w_m ← w_m·g_m with g_m = mean_i
// p_m(x_i)/p(x_i), goes up to its one maximum; and
// max_m g_m − 1 ≥ L(best) − L(w): how far it is still to go is known at every step.

#include <string>
#include <vector>

#include "riemflow/core/weights.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

struct PoolWeights {
  std::vector<double> weights;  ///< a member; exactly 0 for those that do not help
  double nll = 0;               ///< −L, in nats
  double gap = 0;               ///< L is within so many nats of its maximum
  long iterations = 0;
};

inline constexpr double kPoolTolerance = 1e-6;
inline constexpr long kPoolIterations = 100'000;

/// log_densities[m][i] = log p_m(x_i), the same number of points for each member, at least one of both; −∞
/// where a member has no density. A point that failed in a member (NaN) or that has density in none tells
/// nothing about weights and is left out; Error(Fault::numerical) if that leaves no point.
/// tolerance: of the gap, in nats; a weight that no more than that is lost without is 0. of_points: weights.
PoolWeights fit_pool_weights(const std::vector<std::vector<double>>& log_densities,
                             double tolerance = kPoolTolerance, long most_iterations = kPoolIterations,
                             const Weights& of_points = {});

/// log Σ_m w_m p_m(x_i) of each point; NaN where a member with weight has NaN.
std::vector<double> pooled_log_densities(const std::vector<std::vector<double>>& log_densities,
                                         const std::vector<double>& weights);

/// A model that may become a member, and its log-densities: of points that neither it nor any other member
/// was trained on, which choose the weights, and of the test points.
struct Contender {
  std::string name;
  std::vector<Model> models;  ///< with equal shares: one, or one a fold
  std::vector<double> validation, test;
  bool variant = false;  ///< of another: shown only where it has a weight
};

/// What a contender is worth in a pool; the test is NaN where there is none.
struct MemberScore {
  std::string name, model;  ///< model: the name of its kind
  double weight = 0, validation_nll = 0, test_nll = 0, test_error = 0;
};

/// Of the points that contenders are scored on.
struct ScoredWeights {
  Weights validation, test;
};

struct WeighedPool {
  Model model;  ///< a pool
  PoolWeights weights;
  std::vector<double> validation, test;  ///< of the pool
  ScoredWeights points;                  ///< the weights of its points
};

/// Weights by EM on the validation points. Members are named by `name` in their metadata.
WeighedPool weigh(const std::vector<Contender>& contenders, ScoredWeights points = {});

/// Mean −log p in nats over the points that did not fail, by their weights, and its standard error.
struct MeanScore {
  double nll = 0, error = 0;
  std::size_t failed = 0;
};
MeanScore mean_score(const std::vector<double>& log_densities, const Weights& weights = {});

/// NLL of the validation points by weights that other points chose: each half of them by those of the other.
/// The weights of a pool flatter the points that chose them, the more the more members there are.
double unseen_nll(const std::vector<Contender>& contenders, const Weights& of_points = {});

/// A line a contender and one of the pool: weight, validation and test NLL.
std::string pool_table(const std::vector<Contender>& contenders, const WeighedPool& pool);
/// The same without the pool's own line.
std::vector<MemberScore> pool_rows(const std::vector<Contender>& contenders, const WeighedPool& pool);

}  // namespace riemflow
