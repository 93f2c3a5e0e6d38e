#pragma once
// A fit from data or a target to model file: train, save checkpoints, score the test points.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/riemflow/fit/layers.hpp"
#include "apps/riemflow/fit/settings.hpp"
#include "apps/riemflow/fit/training_data.hpp"
#include "riemflow/fit/mixture_fit.hpp"
#include "riemflow/fit/target_score.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow::app {

struct FitRequest {
  std::string output;
  FitSettings settings;
  Values recorded;                ///< the settings that change what is computed, for the model file
  const Model* resume = nullptr;  ///< a checkpoint to go on from
  /// Of a fit that is one of several: called after every iteration in place of a progress line, and the
  /// caller says what an interrupt left. `label`: before its warnings, as in "run 2: ".
  std::function<void(const FitProgress&)> watch = nullptr;
  std::string label = "";
};

/// What was chosen for a kernel density.
struct KernelSummary {
  KernelRecipe recipe;
  std::size_t centres = 0;
};

struct FitResult {
  FitProgress progress;
  std::string stopped;                  ///< why: "iterations", "patience", "time limit", "divergence"
  double test_nll = 0, test_error = 0;  ///< mean and its standard error in nats; NaN without test points
  double reference_nll = 0;             ///< of the base on the test points
  std::string reference;                ///< "uniform density" or the base's name
  std::size_t failed_test_points = 0;
  std::optional<std::size_t> test_points;  ///< that were scored, where there was no time for all
  std::size_t parameters = 0;
  std::optional<TargetScore> target;  ///< of a fit to a target, in place of the test
  std::optional<TargetCover> cover;
  double seconds = 0;
  std::vector<MixtureScore> search;      ///< of a mixture: each fit; empty for flows
  std::size_t chosen = 0;                ///< of `search`
  std::optional<KernelSummary> kernels;  ///< of a kernel density, the model or its base
  nlohmann::ordered_json members;        ///< of a pool: names, weights, scores; and the same as a table
  std::string members_table;
};

/// In standardised coordinates; the model and what is said of it are in those of the data. Throws Error, and
/// Exit{130} after an interrupt, with the checkpoint saved.
FitResult run_fit(const FitRequest& request, const TrainingData& data);

/// Empty if a flow of these settings can be computed on the GPU of this machine, else why not.
std::string why_not_on_gpu(const FitSettings& settings, const std::string& manifold);

}  // namespace riemflow::app
