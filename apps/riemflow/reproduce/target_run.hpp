#pragma once
// One training run against a known target: by likelihood on its draws, or by reverse KL on draws of the
// model.

#include <memory>

#include "apps/riemflow/reproduce/results.hpp"
#include "riemflow/density/chart_map.hpp"
#include "riemflow/density/distribution.hpp"
#include "riemflow/density/flow_config.hpp"

namespace riemflow::app {

struct TargetRun {
  FlowConfig flow;  ///< of training; its tolerance is that of evaluation, too
  std::shared_ptr<const ChartMap<double>>
      chart;  ///< where the flow is one on R^d; null: it is on the manifold itself
  // On the manifold, with a known entropy; the same in both precisions.
  std::shared_ptr<const Distribution<double>> target;
  std::shared_ptr<const Distribution<float>> target_float;
  bool reverse_kl = false;
  long iterations = 3000;
  long curve_every = 0;  ///< iterations from one point of the learning curve to the next; 0: none
  std::size_t test_points = 20000;
  std::uint64_t seed = 0;
};

/// {"nll", "reverse_kl", "entropy", "mass", "evaluations", "curve": [[iteration, nll, evaluations], …],
/// "failed"}. nll = entropy + mean of log target − log model over test draws, whose sampling error is that of
/// the difference alone. Densities are evaluated with the exact divergence.
Json run_on_target(const TargetRun& run);

}  // namespace riemflow::app
