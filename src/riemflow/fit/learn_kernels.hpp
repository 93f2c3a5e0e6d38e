#pragma once
// Learned kernels (kernel/learned_kernels.hpp) trained on the points they are to be centres of.

#include <functional>
#include <limits>
#include <vector>

#include "riemflow/fit/fit_options.hpp"
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

/// Steps of Adam on points held out afresh, a tenth to two fifths of them. With validation points, the step
/// whose density of all points is best at them, the start among them. Points of one group (none: each is
/// one) are held out together.
LearnedFit learn_kernels(const LearnedKernels& learned, const ValidationPoints& validation,
                         const LearnOptions& options, Executor* executor = nullptr,
                         const std::vector<std::size_t>& groups = {});

}  // namespace riemflow
