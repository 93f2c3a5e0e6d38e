#pragma once
// How near a model is to a target whose density is known, from draws of the model alone.

#include "riemflow/density/distribution.hpp"
#include "riemflow/engine/density.hpp"

namespace riemflow {

struct TargetScore {
  double reverse_kl = 0;  ///< KL(model ‖ target) in nats: mean of log p − log target over draws of the model
  double standard_error = 0;  ///< of that mean
  /// Effective sample size as a share of the draws, (Σw)²/(n Σw²) with w = target/p: what n draws are worth
  /// when they are weighted to stand for the target. 1 for a perfect model.
  double effective_share = 0;
  std::size_t draws = 0;   ///< that did not fail
  std::size_t failed = 0;  ///< draws without a place or without a density
};

/// On n draws of the model, numbered from 0 under `seed`. target: on the model's manifold.
template <class T>
TargetScore score_against(Density<T>& model, const Distribution<double>& target, std::size_t n,
                          std::uint64_t seed);

}  // namespace riemflow
