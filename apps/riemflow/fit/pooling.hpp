#pragma once
// Fitted models into a pool: scored on the points that choose the weights, weighed, and put into one model.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/riemflow/support/options.hpp"
#include "riemflow/fit/pool_weights.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

/// A model that may become a member, and its log-densities: of points that neither it nor any other member
/// was trained on, which choose the weights, and of the test points.
struct Contender {
  std::string name;
  std::vector<Model> models;  ///< with equal shares: one, or one a fold
  std::vector<double> validation, test;
  bool variant = false;  ///< of another: shown only where it has a weight
};

/// Of a model on points in double; NaN where it failed.
std::vector<double> log_densities_of_model(const Model& model, const ModelChoice& choice,
                                           const Points<double>& points);

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
/// The same: [{"name", "model", "weight", "validation_nll", "test_nll", …}, …].
nlohmann::ordered_json pool_rows(const std::vector<Contender>& contenders, const WeighedPool& pool);

}  // namespace riemflow::app
