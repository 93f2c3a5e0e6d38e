#pragma once
// Fitted models into a pool: scored on the points that choose the weights, weighed, and put into one model.

#include <string>
#include <vector>

#include "riemflow/fit/pool_weights.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

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

struct WeighedPool {
  Model model;  ///< a pool
  PoolWeights weights;
  std::vector<double> validation, test;  ///< of the pool
};

/// Weights by EM on the validation points. Members are named by `name` in their metadata.
WeighedPool weigh(const std::vector<Contender>& contenders);

/// Mean −log p in nats over the points that did not fail, and its standard error.
struct MeanScore {
  double nll = 0, error = 0;
  std::size_t failed = 0;
};
MeanScore mean_score(const std::vector<double>& log_densities);

/// A line a contender and one of the pool: weight, validation and test NLL.
std::string pool_table(const std::vector<Contender>& contenders, const WeighedPool& pool);
/// The same without the pool's own line.
std::vector<MemberScore> pool_rows(const std::vector<Contender>& contenders, const WeighedPool& pool);

}  // namespace riemflow
