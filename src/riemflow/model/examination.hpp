#pragma once
// Is a model's likelihood to be trusted? What can be found out about that, and a verdict.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "riemflow/core/task_observer.hpp"
#include "riemflow/model/data_scores.hpp"
#include "riemflow/model/model_file.hpp"
#include "riemflow/model/trust.hpp"

namespace riemflow {

struct Examination {
  std::string precision, manifold;
  std::string solver;   ///< or what the model is, if it is no flow
  bool is_flow = true;  ///< or a pool with flows: there are paths
  bool is_pool = false;
  Trust trust;
  std::optional<DataScores> data;
};

/// With exact divergences. source: of data to score as well, which are `path`; null: none.
Examination examine_model(const Model& model, const Evaluation& how, const TrustOptions& options,
                          TaskObserver& observer, PointSource* source = nullptr,
                          const std::string& path = "");

nlohmann::ordered_json examination_json(const std::string& model_path, const Examination& found);

/// "trustworthy", "not settled: " with what to do, or "NOT trustworthy: " and the reasons.
std::string verdict_of(const Examination& found);

/// How the mass was found.
const char* method_of(const Examination& found);
/// Of accepted steps.
double mean_step(const SolveSummary& solves);
double rejected_share(const SolveSummary& solves);

}  // namespace riemflow
