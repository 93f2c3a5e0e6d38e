#include "riemflow/fit/learn_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "riemflow/core/random.hpp"
#include "riemflow/core/stopwatch.hpp"
#include "riemflow/fit/optimizer.hpp"

namespace riemflow {
namespace {

/// Looks at the validation points, at no more of them than so many, and to what their log p is right then.
constexpr long kLooks = 5;
constexpr std::size_t kLookedAt = 1000;
constexpr double kLookTolerance = 1e-4;
/// Points that are scored at a step; shares of all that are held out.
constexpr std::size_t kScored = 512;
constexpr std::array kShares{0.1, 0.2, 0.4};
/// Steps whose time tells how many there is time for.
constexpr long kTimed = 3;
constexpr double kClip = 1;
/// Of a step: as many points are scored as in a step of few points, about.
constexpr std::size_t kPatchesOfStep = 32;

}  // namespace

FreshCourse::FreshCourse(const LearnedKernels& learned, const ValidationPoints& validation,
                         Executor* executor, const std::vector<std::size_t>& groups)
    : learned_(learned),
      looked_at_(validation.points),
      weights_(validation.weights),
      executor_(executor),
      groups_(groups) {
  looked_at_.values.resize(std::min(looked_at_.size(), kLookedAt) *
                           static_cast<std::size_t>(looked_at_.dimension));
}

double FreshCourse::loss(const KernelNetwork& network, std::uint64_t seed, std::uint64_t step,
                         std::span<double> gradient) const {
  Random random(seed, Purpose::batch, step, 1);
  const double share = kShares[random.below(kShares.size())];
  return learned_.loss(
      network,
      learned_.hold_out(share, std::min(kScored, std::max<std::size_t>(1, learned_.size() / 10)), seed, step,
                        groups_),
      gradient);
}

double FreshCourse::look(const KernelNetwork& network) const {
  const KernelMixture density(learned_.manifold(), learned_.parameters(network), kLookTolerance);
  return -weighted_mean(density.log_prob(looked_at_, executor_), weights_);
}

PatchCourse::PatchCourse(const KernelPatches& patches, const ValidationPoints& validation)
    : patches_(patches) {
  if (validation.points.size() > 0) validation_.emplace(patches, validation.points, validation.weights);
}

double PatchCourse::loss(const KernelNetwork& network, std::uint64_t seed, std::uint64_t step,
                         std::span<double> gradient) const {
  return patches_.loss(network, kPatchesOfStep, seed, step, gradient);
}

LearnedFit learn_kernels(const KernelCourse& course, const LearnOptions& options) {
  const auto start = Clock::now();
  LearnedFit fit{options.start};
  KernelNetwork network = fit.network;
  const bool chosen = course.chooses();
  double best = std::numeric_limits<double>::infinity();
  const auto look = [&] {
    const double nll = course.look(network);
    if (nll < best) {
      best = nll;
      fit.network = network;
      fit.best_step = fit.steps;
    }
    return nll;
  };
  if (chosen) look();
  const double seconds_of_a_look = seconds_since(start);

  long steps = chosen ? options.steps : options.steps / 3;
  if (seconds_since(start) > options.seconds) steps = 0;
  const auto begun = Clock::now();
  Adam<double> adam(network.parameters().size(), {.beta2 = 0.99});
  std::vector<double> gradient(network.parameters().size());
  for (bool go_on = true; go_on && fit.steps < steps;) {
    if (fit.steps == kTimed && std::isfinite(options.seconds)) {
      const double each = seconds_since(begun) / static_cast<double>(kTimed);
      const double left =
          options.seconds - seconds_since(start) - static_cast<double>(kLooks) * seconds_of_a_look;
      steps = std::clamp(kTimed + static_cast<long>(left / each), kTimed, steps);
      if (fit.steps == steps && chosen) look();
      if (fit.steps == steps) break;
    }
    LearnStep made{0, 0, course.loss(network, options.seed, static_cast<std::uint64_t>(fit.steps), gradient),
                   Schedule{Schedule::Shape::cosine, options.rate, steps}.at(fit.steps)};
    const double norm = gradient_norm<double>(gradient);
    if (std::isfinite(norm)) {
      clip_gradient<double>(gradient, norm, kClip);
      adam.step(network.parameters(), gradient, made.rate);
    }
    ++fit.steps;
    made.done = fit.steps;
    made.of = steps;
    if (chosen && fit.steps * kLooks / steps != (fit.steps - 1) * kLooks / steps) made.validation = look();
    go_on = !options.progress || options.progress(made);
    if (chosen && !go_on && std::isnan(made.validation)) look();
  }
  if (!chosen) {
    fit.network = network;
    fit.best_step = fit.steps;
  }
  return fit;
}

}  // namespace riemflow
