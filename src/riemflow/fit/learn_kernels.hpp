#pragma once
// Learned kernels (kernel/learned_kernels.hpp) trained on the points they are to be centres of.

#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "riemflow/kernel/learned_kernels.hpp"

namespace riemflow {

struct LearnOptions {
  long steps = 800;
  double rate = 3e-3;
  std::uint64_t seed = 0;
  /// What it may take: as many steps as fit are made, and the rate falls to 0 over these.
  double seconds = std::numeric_limits<double>::infinity();
  /// Now and then while neighbours are looked for, from any thread; may throw to give up.
  std::function<void()> ask = nullptr;
  /// After each step: how many are done of how many; false ends it there.
  std::function<bool(long done, long of)> progress = nullptr;
};

inline constexpr std::size_t kMostLearned = 12'000;

struct LearnedFit {
  KernelNetwork network;
  long steps = 0, best_step = 0;
};

/// Steps of Adam on points held out afresh, a tenth to two fifths of them; of more than kMostLearned points,
/// on a sample of so many. With validation points, the step
/// whose density of `points` is best at them; without any the last of a third as many steps. Equal points are
/// one, and points of one group (none: each is one) are held out together.
LearnedFit learn_kernels(const std::shared_ptr<const Manifold<double>>& manifold,
                         const Points<double>& points, const Points<double>& validation,
                         const LearnOptions& options, Executor* executor = nullptr,
                         const std::vector<std::size_t>& groups = {}, const SplitWeights& weights = {});

/// Kernels at all points, as the network says.
KernelParameters learned_parameters(const std::shared_ptr<const Manifold<double>>& manifold,
                                    const Points<double>& points, const KernelNetwork& network,
                                    Executor* executor = nullptr, const Weights& weights = {});

}  // namespace riemflow
