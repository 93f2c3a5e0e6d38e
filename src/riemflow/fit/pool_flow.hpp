#pragma once
// A flow for a pool: learned by flow matching, then fine-tuned by likelihood, in a given time.

#include <functional>
#include <limits>
#include <optional>

#include "riemflow/fit/fit.hpp"
#include "riemflow/model/model_file.hpp"

namespace riemflow {

struct PoolFlow {
  Space manifold;
  Points<float> training, held_out;
  std::uint64_t seed = 0;
  int threads = 0;
  Device device = Device::cpu;
  long steps = 0;  ///< of flow matching, and a tenth as many by likelihood; 0: as many as there is time for
  SplitWeights weights = {};  ///< of training and held_out
  /// A flow that flow matching leaves worse than this, a mean −log p of held_out, is given up: no model.
  double hopeless = std::numeric_limits<double>::infinity();
};

/// Called after each step: the stage, whose names differ, where it stands and how many steps it has. False
/// ends the training.
using FlowWatch = std::function<bool(const char* stage, const FitProgress& progress, long steps)>;

/// The parameters that score best on the held-out points; none if no validation was finite, or it is given
/// up. The numbers of steps are such that they take about `seconds`, measured on the way, unless job.steps
/// says them; infinite: kMatchingSteps and kTuningSteps. With a number of steps given either way, the same
/// bits for any number of threads.
std::optional<Model> fit_pool_flow(const PoolFlow& job, double seconds, const FlowWatch& watch);

/// Of the log-density of one point, about: twice that of such a flow before it is trained.
double seconds_of_a_score(const PoolFlow& job);

/// Why a GPU cannot train the flow of a pool on the manifold; empty where it can.
std::string why_no_pool_flow_on_gpu(const Space& manifold);

/// The stage whose loss is a likelihood.
inline constexpr const char* kLikelihoodStage = "likelihood";
inline constexpr long kMatchingSteps = 4000, kTuningSteps = 400;

}  // namespace riemflow
