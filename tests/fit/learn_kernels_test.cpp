#include "riemflow/fit/learn_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/manifold/parse.hpp"
#include "tests/fit/clusters.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

struct Halves {
  std::shared_ptr<const Manifold<double>> sphere = parse_manifold<double>("sphere:2");
  KernelData data{sphere, two_clusters(kSanitized ? 120 : 300, 1), LearnedKernels::kNeighbours};
  LearnedKernels learned{data};
  ValidationPoints validation{two_clusters(200, 2), {}};

  double score(const KernelNetwork& network) const {
    return weighted_mean(KernelMixture(sphere, learned.parameters(network)).log_prob(validation.points), {});
  }
};

/// Steps so long that they ruin the network: what it started from is kept.
TEST(LearnKernels, TheBestStepOnTheValidationPointsIsKept) {
  const Halves halves;
  LearnOptions options;
  options.steps = 20;
  options.rate = 2;
  const double start = halves.score(options.start);
  const LearnedFit chosen = learn_kernels(FreshCourse(halves.learned, halves.validation), options);
  EXPECT_GE(halves.score(chosen.network), start);
  options.steps = 60;  // a third of them where nothing can tell
  const LearnedFit last = learn_kernels(FreshCourse(halves.learned, {}), options);
  EXPECT_EQ(last.best_step, 20);
  EXPECT_LT(halves.score(last.network), start - 0.1);
}

/// Each step is told of once, with the validation where there was a look.
TEST(LearnKernels, TellsOfEachStep) {
  const Halves halves;
  LearnOptions options;
  options.steps = 10;
  long steps = 0, looks = 0;
  options.progress = [&](const LearnStep& step) {
    EXPECT_EQ(step.done, ++steps);
    EXPECT_EQ(step.of, 10);
    EXPECT_TRUE(std::isfinite(step.loss));
    EXPECT_GT(step.rate, 0);
    looks += std::isfinite(step.validation);
    return steps < 7;
  };
  EXPECT_EQ(learn_kernels(FreshCourse(halves.learned, halves.validation), options).steps, 7);
  EXPECT_EQ(steps, 7);
  EXPECT_EQ(looks, 3);
}

}  // namespace
}  // namespace riemflow
