#pragma once
// One training run against a known target: by likelihood on its draws, or by reverse KL on draws of the
// model.

#include <memory>
#include <optional>

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/fit/trainer.hpp"
#include "riemflow/manifold/lattice.hpp"
#include "riemflow/reproduce/experiment.hpp"

namespace riemflow {

struct TargetRun {
  FlowConfig flow;  ///< of training; its tolerance is that of evaluation, too
  TrainConfig train;
  std::shared_ptr<const Distribution<double>> target;  ///< on the manifold, with a known entropy
  bool reverse_kl = false;
  long iterations = 3000;
  long curve_every = 50;            ///< iterations from one point of the learning curve to the next
  std::size_t curve_points = 1000;  ///< test points that it is made with
  std::size_t test_points = 20000;
  bool with_mass = true;
  std::optional<Lattice> lattice;  ///< densities on it are part of the result
  bool with_target = false;        ///< those of the base and of the target, too
};

/// {"nll", "reverse_kl", "entropy", "mass", "evaluations" of a solve in evaluation, "training_evaluations"
/// their mean in training, "training_seconds" without evaluations, "failed", "curve": [[iteration, nll,
/// evaluations of a training solve], …]}, "mass_of_plane" of a naive model, and "grids".
/// nll = entropy + mean of log target − log model over test draws, whose sampling error is that of
/// the difference alone. Densities are evaluated with the exact divergence.
Json run_on_target(const TargetRun& run, std::uint64_t seed, const ReproduceOptions& options);

}  // namespace riemflow
