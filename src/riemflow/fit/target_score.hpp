#pragma once
// How near a model is to a target whose density is known: from draws of the model, which cannot see what the
// model misses, and from draws of the target, which can.

#include "riemflow/distribution/distribution.hpp"
#include "riemflow/model/density.hpp"

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
TargetScore score_against(const Density& model, const Distribution<double>& target, std::size_t n,
                          std::uint64_t seed);

/// How much of the target the model covers.
struct TargetCover {
  double forward_kl = 0;  ///< KL(target ‖ model) in nats: mean of log target − log p over draws of the target
  double standard_error = 0;  ///< of that mean
  /// Share of the target's mass that lies where the model's density is below kMissed times the target's.
  double missed_share = 0;
  std::size_t draws = 0;   ///< that did not fail
  std::size_t failed = 0;  ///< draws without a place in its precision or without a density of the model
};
/// A model that is merely blurred stays above; a mode that it has not found is far below.
inline constexpr double kMissed = 0.1;

/// On n draws of the target, numbered from 0 under `seed`.
TargetCover cover_of(const Density& model, const Distribution<double>& target, std::size_t n,
                     std::uint64_t seed);

/// Draws of the target in T, numbered from 0; those that rounding takes off the manifold are left out.
template <class T>
Points<T> target_draws(const Manifold<T>& manifold, const Distribution<double>& target, std::size_t n,
                       std::uint64_t seed, std::uint64_t iteration = 0);

}  // namespace riemflow
