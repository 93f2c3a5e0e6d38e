#pragma once
// Learned kernels (kernel/learned_kernels.hpp) trained on the points they are to be centres of.

#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "riemflow/fit/fit_options.hpp"
#include "riemflow/kernel/kernel_patches.hpp"
#include "riemflow/kernel/learned_kernels.hpp"

namespace riemflow {

/// So many steps are done of so many. The NLLs are of the points held out at this step, and of the validation
/// points where this step ended with a look at them, else NaN.
struct LearnStep {
  long done, of;
  double loss, rate;
  double validation = std::numeric_limits<double>::quiet_NaN();
};

struct LearnOptions {
  /// A third as many where no validation points can tell when to stop.
  long steps = FitOptions().kernel_steps;
  double rate = 3e-3;
  std::uint64_t seed = 0;
  /// Where it starts.
  KernelNetwork start = universal_kernel_network();
  /// What it may take: as many steps as fit are made, none if that is none, and the rate falls to 0 over
  /// these.
  double seconds = std::numeric_limits<double>::infinity();
  /// After each step; false ends it there.
  std::function<bool(const LearnStep&)> progress = nullptr;
};

struct LearnedFit {
  KernelNetwork network;
  long steps = 0, best_step = 0;
};

/// Points that choose the step, with their weights; none: the last is taken.
struct ValidationPoints {
  Points<double> points = {};
  Weights weights = {};
};

/// What a network learns from, and what chooses its step.
class KernelCourse {
 public:
  virtual ~KernelCourse() = default;
  /// Mean −log p of what is held out at this step of `seed`; gradient (as network.parameters()) =.
  virtual double loss(const KernelNetwork& network, std::uint64_t seed, std::uint64_t step,
                      std::span<double> gradient) const = 0;
  /// Whether there is what chooses.
  virtual bool chooses() const = 0;
  /// Mean −log p of it, of the density of all points.
  virtual double look(const KernelNetwork& network) const = 0;
};

/// Points held out afresh at every step, a tenth to two fifths of all; those of one group (none: each is one)
/// together.
class FreshCourse final : public KernelCourse {
 public:
  FreshCourse(const LearnedKernels& learned, const ValidationPoints& validation, Executor* executor = nullptr,
              const std::vector<std::size_t>& groups = {});
  double loss(const KernelNetwork& network, std::uint64_t seed, std::uint64_t step,
              std::span<double> gradient) const override;
  bool chooses() const override { return looked_at_.size() > 0; }
  double look(const KernelNetwork& network) const override;

 private:
  const LearnedKernels& learned_;
  Points<double> looked_at_;
  Weights weights_;
  Executor* executor_;
  const std::vector<std::size_t> groups_;
};

/// A few patches of many points at every step.
class PatchCourse final : public KernelCourse {
 public:
  PatchCourse(const KernelPatches& patches, const ValidationPoints& validation);
  double loss(const KernelNetwork& network, std::uint64_t seed, std::uint64_t step,
              std::span<double> gradient) const override;
  bool chooses() const override { return validation_.has_value(); }
  double look(const KernelNetwork& network) const override { return validation_.value().nll(network); }

 private:
  const KernelPatches& patches_;
  std::optional<KernelPatches::Validation> validation_;
};

/// Steps of Adam. Where the course chooses, the step that is best there, the start among them.
LearnedFit learn_kernels(const KernelCourse& course, const LearnOptions& options);

}  // namespace riemflow
