#include "riemflow/fit/learn_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "riemflow/core/random.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/data_set.hpp"
#include "riemflow/fit/optimizer.hpp"

namespace riemflow {
namespace {

/// Looks at the validation points, and to what their log p is right then.
constexpr long kLooks = 8;
constexpr double kLookTolerance = 1e-4;
/// Points that are scored at a step; shares of all that are held out.
constexpr std::size_t kScored = 512;
constexpr std::array kShares{0.1, 0.2, 0.4};
/// Steps whose time tells how many there is time for.
constexpr long kTimed = 5;
constexpr double kClip = 1;

}  // namespace

LearnedFit learn_kernels(const std::shared_ptr<const Manifold<double>>& manifold,
                         const Points<double>& points, const Points<double>& validation,
                         const LearnOptions& options, Executor* executor,
                         const std::vector<std::size_t>& groups, const SplitWeights& weights) {
  const auto start = Clock::now();
  // The order of a split's points is random: those at equal steps are a sample.
  const std::size_t n = std::min(points.size(), kMostLearned);
  std::vector<std::size_t> sample(n);
  for (std::size_t i = 0; i < n; ++i) sample[i] = i * points.size() / n;
  Weights sample_weights;
  if (!weights.training.empty())
    for (const std::size_t i : sample) sample_weights.push_back(weights.training[i]);
  const KernelData data(manifold, part_of<double>(points, sample), LearnedKernels::kNeighbours, executor,
                        options.ask, sample_weights);
  const LearnedKernels learned(data, executor);
  std::vector<std::size_t> group_of;
  if (!groups.empty())
    for (const std::uint32_t origin : data.origins()) group_of.push_back(groups[sample[origin]]);

  LearnedFit fit{LearnedKernels::network(options.seed)};
  KernelNetwork network = fit.network;
  const bool chosen = validation.size() > 0;
  double best = -std::numeric_limits<double>::infinity();
  const auto look = [&] {
    const KernelMixture density(manifold, learned.parameters(network), kLookTolerance);
    const double score = weighted_mean(density.log_prob(validation, executor), weights.validation);
    if (!(score > best)) return;
    best = score;
    fit.network = network;
    fit.best_step = fit.steps;
  };

  long steps = chosen ? options.steps : std::max(1L, options.steps / 3);
  Adam<double> adam(network.parameters().size(), {.beta2 = 0.99});
  std::vector<double> gradient(network.parameters().size());
  for (bool go_on = true; go_on && fit.steps < steps;) {
    if (fit.steps == kTimed && std::isfinite(options.seconds)) {
      const double each = seconds_since(start) / static_cast<double>(kTimed + 1);
      steps = std::clamp(static_cast<long>(options.seconds / each), kTimed, steps);
    }
    const auto step = static_cast<std::uint64_t>(fit.steps);
    Random random(options.seed, Purpose::batch, step, 1);
    const double share = kShares[random.below(kShares.size())];
    const LearnedKernels::HeldOut held = learned.hold_out(
        share, std::min(kScored, std::max<std::size_t>(1, data.size() / 10)), options.seed, step, group_of);
    learned.loss(network, held, gradient);
    const double norm = gradient_norm<double>(gradient);
    if (std::isfinite(norm)) {
      clip_gradient<double>(gradient, norm, kClip);
      adam.step(network.parameters(), gradient,
                Schedule{Schedule::Shape::cosine, options.rate, steps}.at(fit.steps));
    }
    ++fit.steps;
    go_on = !options.progress || options.progress(fit.steps, steps);
    if (chosen && (!go_on || fit.steps * kLooks / steps != (fit.steps - 1) * kLooks / steps)) look();
  }
  if (!chosen || fit.best_step == 0) {
    fit.network = network;
    fit.best_step = fit.steps;
  }
  return fit;
}

KernelParameters learned_parameters(const std::shared_ptr<const Manifold<double>>& manifold,
                                    const Points<double>& points, const KernelNetwork& network,
                                    Executor* executor, const Weights& weights) {
  const KernelData data(manifold, points, LearnedKernels::kSeenNeighbours, executor, {}, weights);
  return LearnedKernels(data, executor).parameters(network);
}

}  // namespace riemflow
