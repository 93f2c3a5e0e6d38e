// Same seed, same bits, for any number of threads.

#include <gtest/gtest.h>

#include "tests/flow/flows.hpp"
#include "tests/flow/linear_target.hpp"

namespace riemflow {
namespace {

using namespace test;

/// All that a flow computes for a batch of n points.
template <class T>
struct Computed {
  std::vector<T> log_prob, base_points, samples, nll_gradient, kl_gradient, matching_gradient;
  double nll, kl, matching;
  long evaluations;

  bool operator==(const Computed&) const = default;
};

template <class T>
Computed<T> compute(Flow<T>& flow, std::size_t n) {
  Computed<T> r;
  const auto sample = flow.sample(n, 6);
  r.samples = sample.frames.back().values;
  const LogProb<T> log_prob = flow.log_prob(sample.frames.back(), {5, 3});
  r.log_prob = log_prob.values;
  r.base_points = log_prob.base_points.values;
  r.nll_gradient.resize(flow.parameters().size());
  r.kl_gradient.resize(flow.parameters().size());
  const Loss nll = flow.gradient_of(LikelihoodBatch{sample.frames.back()}, r.nll_gradient, {{5, 4}, 0.1});
  const auto target = std::make_shared<LinearTarget<double>>(
      std::vector<double>(static_cast<std::size_t>(flow.manifold().ambient()), 0.7));
  const Loss kl = flow.gradient_of(ReverseKlBatch{n, target}, r.kl_gradient, {{5, 4}});
  r.matching_gradient.resize(flow.parameters().size());
  const Points<T>& drawn = sample.frames.back();
  r.matching = flow.gradient_of(MatchingBatch{drawn, &drawn}, r.matching_gradient, {{5, 4}}).total;
  r.nll = nll.total;
  r.kl = kl.total;
  r.evaluations = log_prob.summary.evaluations + nll.summary.evaluations + kl.summary.evaluations;
  EXPECT_TRUE(sample.summary.ok() && log_prob.summary.ok() && nll.summary.ok() && kl.summary.ok());
  EXPECT_EQ(log_prob.summary.points, n);
  EXPECT_EQ(log_prob.summary.solves, (n + kLanes - 1) / kLanes);
  return r;
}

template <class T>
void expect_same_bits(const std::string& manifold, DivergenceEstimator estimator,
                      const std::vector<std::size_t>& sizes) {
  FlowConfig config = small_config(manifold, 1e-4);
  config.field.width = 13;
  config.divergence.estimator = estimator;
  config.regularisation.kinetic = 0.01;
  const auto one = random_flow<T>(config, 21, 1), two = random_flow<T>(config, 21, 2),
             three = random_flow<T>(config, 21, 3);
  EXPECT_EQ(one->threads(), 1);
  EXPECT_EQ(three->threads(), 3);
  for (const std::size_t n : sizes) {
    const Computed<T> expected = compute(*one, n);
    for (Flow<T>* flow : {one.get(), two.get(), three.get()})
      EXPECT_TRUE(compute(*flow, n) == expected)
          << manifold << ", " << n << " points, " << flow->threads() << " threads";
  }
}

TEST(Threads, DoNotChangeABitInFloat) {
  expect_same_bits<float>("sphere:2", DivergenceEstimator::exact, {1, 15, 16, 17, 400, 1500});
  expect_same_bits<float>("ball:2 x torus:1", DivergenceEstimator::hutchinson, {17, 400});
}
TEST(Threads, DoNotChangeABitInDouble) {
  expect_same_bits<double>("sphere:2 x sphere:1", DivergenceEstimator::hutchinson, {15, 33, 400});
  expect_same_bits<double>("euclidean:2", DivergenceEstimator::exact, {1, 16, 1500});
}

// The noise of an estimate is named by key and point: the same again, another for another name.
TEST(Threads, TheNoiseHasAName) {
  FlowConfig config = small_config("sphere:3", 1e-5);
  config.divergence = {DivergenceEstimator::hutchinson, Noise::gaussian, 1};
  const auto flow = random_flow<double>(config, 22, 2);
  const Points<double> points = flow->sample(40, 2).frames.back();
  const auto values = [&](NoiseKey key) { return flow->log_prob(points, key).values; };
  EXPECT_EQ(values({1, 2}), values({1, 2}));
  const std::vector<double> first = values({1, 2}), second = values({1, 3}), third = values({2, 2});
  for (std::size_t p = 0; p < points.size(); ++p) {
    EXPECT_GT(std::abs(first[p] - second[p]), 1e-5) << p;
    EXPECT_GT(std::abs(first[p] - third[p]), 1e-5) << p;
  }
  // Twice the same point: its noise is that of its place in the batch.
  Points<double> twins(2, points.dimension);
  for (const std::size_t i : {0u, 1u}) std::copy(points[0].begin(), points[0].end(), twins[i].begin());
  const auto twin_values = flow->log_prob(twins, {1, 2}).values;
  EXPECT_GT(std::abs(twin_values[0] - twin_values[1]), 1e-6);
}

}  // namespace
}  // namespace riemflow
