#pragma once
// A density for data: train or choose, score the test points, return the model. The caller saves it.
//
//   FitOptions options = options_of(preset_values("auto"));        // the default: a pool, in 60 seconds
//   Observer silent;
//   const DataSet data = read_data_set("quakes.csv", options, silent);
//   const FitResult result = fit(data, options, silent);
//   save_model("quakes.model", *result.model);

#include <cmath>
#include <map>
#include <optional>

#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/fit_options.hpp"
#include "riemflow/fit/mixture_fit.hpp"
#include "riemflow/fit/observer.hpp"
#include "riemflow/fit/pooling.hpp"
#include "riemflow/fit/target_score.hpp"
#include "riemflow/kernel/kernel_choice.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

/// What was chosen for a kernel density.
struct KernelSummary {
  KernelRecipe recipe;
  std::size_t centres = 0;
};

struct FitResult {
  std::optional<Model> model;  ///< with its provenance
  FitProgress progress;
  /// Why: "iterations", "patience", "time limit", "divergence", "convergence", "interrupted".
  std::string stopped;
  /// Mean over the test points and its standard error in nats, and that of the base; NaN without them.
  double test_nll = std::nan(""), test_error = std::nan(""), reference_nll = std::nan("");
  std::string reference;  ///< "uniform density" or the base's name
  std::size_t failed_test_points = 0;
  std::optional<std::size_t> test_points;  ///< that were scored, where there was no time for all
  std::size_t parameters = 0;
  std::optional<TargetScore> target;  ///< of a fit to a target, in place of the test
  std::optional<TargetCover> cover;
  double seconds = 0;
  std::vector<MixtureScore> search;      ///< of a mixture: each fit; empty for flows
  std::size_t chosen = 0;                ///< of `search`
  std::optional<KernelSummary> kernels;  ///< of a kernel density, the model or its base
  std::vector<MemberScore> members;      ///< of a pool; and the same as a table
  std::string members_table;
};

/// Of the kind options.model names. In standardised coordinates; the model and what is said of it are in
/// those of the data. With a limit on iterations and none on time the same bits on every machine of a kind,
/// for any number of threads. resume: a checkpoint of the same data and options to go on from; of flows
/// alone. Throws Error.
///
/// Where the observer cancels, result.stopped is "interrupted" and the model the best so far: none, if there
/// is none yet.
FitResult fit(const DataSet& data, const FitOptions& options, Observer& observer,
              const Model* resume = nullptr);

/// Empty if a flow of these options can be computed on the GPU of this machine, else why not.
std::string why_not_on_gpu(const FitOptions& options, const Space& manifold);

/// "local kernels at 4358 centres, bandwidth 0.0073 × (distance to neighbour 8)^0.625, wide share 0.0098"
std::string text_of(const KernelSummary& kernels);

/// Throws Error for values of one source that this kind of model does not have.
void refuse_foreign_options(ModelKind model, const std::map<std::string, std::string>& given);

}  // namespace riemflow
