#include "riemflow/fit/batches.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace riemflow {
namespace {

TEST(Batches, PointsAreInAnEpochAsOftenAsTheyWeigh) {
  const Weights weights = {0.1, 3, 1e-6, 0.5, 0.5, 7, 1, 1, 0.25, 2};
  const double total = total_weight(weights, weights.size());
  const std::size_t n = weights.size();
  Batches batches(n, n, 3, weights);
  std::vector<double> counts(n);
  const std::uint64_t epochs = 20000;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    std::vector<double> own(n);
    for (const std::size_t i : batches.indices(epoch)) own[i] += 1;
    for (std::size_t i = 0; i < n; ++i) {
      const double expected = static_cast<double>(n) * weights[i] / total;
      EXPECT_LT(std::abs(own[i] - expected), 1 + 1e-9) << i;
      counts[i] += own[i];
    }
  }
  // The deviation of a count is at most a half an epoch.
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(counts[i] / epochs, static_cast<double>(n) * weights[i] / total, 5 * 0.5 / std::sqrt(epochs))
        << i;
}

/// Weights that come and go with a period: an epoch has its share of each kind.
TEST(Batches, AnEpochHasItsShareOfEachKind) {
  Weights weights(200);
  for (std::size_t i = 0; i < 200; ++i) weights[i] = i % 2 == 0 ? 9 : 1;
  Batches batches(200, 200, 6, weights);
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
    int even = 0;
    for (const std::size_t i : batches.indices(epoch)) even += i % 2 == 0;
    EXPECT_NEAR(even, 180, 5 * 4) << epoch;
  }
}

/// Half of an epoch is one point: so is half of each batch.
TEST(Batches, CopiesOfAPointAreNotTogether) {
  Weights weights(100, 1);
  weights[42] = 99;
  Batches batches(100, 20, 4, weights);
  double most = 0, least = 20, sum = 0;
  for (std::uint64_t t = 0; t < 500; ++t) {
    const std::vector<std::size_t> chosen = batches.indices(t);
    const auto copies = static_cast<double>(std::count(chosen.begin(), chosen.end(), 42u));
    most = std::max(most, copies);
    least = std::min(least, copies);
    sum += copies;
  }
  EXPECT_EQ(sum, 5000);
  EXPECT_LT(most, 20);
  EXPECT_GT(least, 0);
}

TEST(Batches, OfEqualWeightsHaveEachPointOnceAnEpoch) {
  Batches batches(1000, 1000, 5, Weights(1000, 0.1));
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<std::size_t> chosen = batches.indices(epoch);
    std::sort(chosen.begin(), chosen.end());
    EXPECT_EQ(std::unique(chosen.begin(), chosen.end()), chosen.end());
  }
}

}  // namespace
}  // namespace riemflow
