#include "riemflow/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace riemflow {
namespace {

TEST(Random, PhiloxKnownAnswer) {
  // Salmon et al., kat_vectors of Random123: philox4x32-10, counter 0, key 0. Purpose 0, iteration 0 and
  // point 0 of seed 0 make just that.
  ASSERT_EQ(static_cast<int>(Purpose::initial_parameters), 0);
  Random random(0, Purpose::initial_parameters, 0, 0);
  for (const std::uint32_t expected : {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}) {
    EXPECT_EQ(random.bits(), expected);
  }
  Random pairs(0, Purpose::initial_parameters, 0, 0);
  EXPECT_EQ(pairs.bits64(), 0x6627e8d5e169c58dull);
  EXPECT_EQ(pairs.bits64(), 0xbc57ac4c9b00dbd8ull);
}

TEST(Random, SameNameSameStream) {
  Random a(7, Purpose::batch, 3, 11), b(7, Purpose::batch, 3, 11);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits(), b.bits());
}

TEST(Random, EveryPartOfTheNameMatters) {
  std::set<std::uint64_t> first;
  int streams = 0;
  const auto add = [&](std::uint64_t seed, Purpose purpose, std::uint64_t iteration, std::uint64_t point) {
    first.insert(Random(seed, purpose, iteration, point).bits64());
    ++streams;
  };
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32, 1ull << 63})
    for (const Purpose purpose : {Purpose::initial_parameters, Purpose::base_sample, Purpose::batch,
                                  Purpose::divergence_noise, Purpose::target_sample, Purpose::test})
      for (const std::uint64_t iteration : {0ull, 1ull, 2ull, (1ull << 32) - 1})
        for (const std::uint64_t point : {0ull, 1ull, 2ull, 1ull << 32, (1ull << 40) + 1})
          add(seed, purpose, iteration, point);
  EXPECT_EQ(first.size(), static_cast<std::size_t>(streams));
}

TEST(Random, BlocksOfAStreamDiffer) {
  Random random(1, Purpose::test, 0, 0);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10000; ++i) seen.insert(random.bits64());
  EXPECT_EQ(seen.size(), 10000u);
}

/// χ² of counts against equal expectations, as a number of standard deviations above its mean.
double excess(const std::vector<int>& counts, int n) {
  const double expected = n / static_cast<double>(counts.size());
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  const double freedom = static_cast<double>(counts.size()) - 1;
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

TEST(Random, UniformIsUniform) {
  const int n = 200000;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Random random(seed, Purpose::test, 0, 0);
    std::vector<int> cell(100);
    double sum = 0, square = 0, serial = 0, last = 0.5;
    for (int i = 0; i < n; ++i) {
      const double u = random.uniform();
      ASSERT_GT(u, 0);
      ASSERT_LT(u, 1);
      ++cell[static_cast<std::size_t>(std::min(99.0, 100 * u))];
      sum += u;
      square += u * u;
      serial += (u - 0.5) * (last - 0.5);
      last = u;
    }
    // Var u = 1/12, Var u² = 4/45, Var of the product of two = 1/144.
    EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
    EXPECT_NEAR(square / n, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / n));
    EXPECT_NEAR(serial / n, 0, 4.0 / 12 / std::sqrt(n));
    EXPECT_LT(std::abs(excess(cell, n)), 4);
  }
}

TEST(Random, UniformAcrossPoints) {
  // One draw a stream: neighbours in the point number must be as independent as neighbours in a stream.
  const int n = 100000;
  std::vector<int> cell(64);
  for (int i = 0; i < n; ++i) {
    ++cell[static_cast<std::size_t>(64 *
                                    Random(5, Purpose::batch, 2, static_cast<std::uint64_t>(i)).uniform())];
  }
  EXPECT_LT(std::abs(excess(cell, n)), 4);
}

TEST(Random, NormalMoments) {
  const int n = 200000;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Random random(seed, Purpose::test, 0, 0);
    double moment[5] = {}, pair = 0, last = 0;
    int beyond_two = 0;
    for (int i = 0; i < n; ++i) {
      const double z = random.normal();
      for (int k = 1; k <= 4; ++k) moment[k] += std::pow(z, k) / n;
      if (i % 2 == 1) pair += z * last / (n / 2);
      last = z;
      beyond_two += std::abs(z) > 2;
    }
    // Var z^k = (2k−1)!! − (k−1)!!² [k even]
    EXPECT_NEAR(moment[1], 0, 4 * std::sqrt(1.0 / n));
    EXPECT_NEAR(moment[2], 1, 4 * std::sqrt(2.0 / n));
    EXPECT_NEAR(moment[3], 0, 4 * std::sqrt(15.0 / n));
    EXPECT_NEAR(moment[4], 3, 4 * std::sqrt(96.0 / n));
    EXPECT_NEAR(pair, 0, 4 / std::sqrt(n / 2));
    const double tail = std::erfc(std::sqrt(2.0));
    EXPECT_NEAR(beyond_two / static_cast<double>(n), tail, 4 * std::sqrt(tail * (1 - tail) / n));
  }
}

TEST(Random, RademacherIsAFairSign) {
  const int n = 100000;
  Random random(1, Purpose::divergence_noise, 0, 0);
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const double sign = random.rademacher();
    ASSERT_EQ(std::abs(sign), 1);
    sum += sign;
  }
  EXPECT_NEAR(sum / n, 0, 4 / std::sqrt(n));
}

TEST(Random, BelowIsUnbiased) {
  const int n = 70000;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    for (const std::uint64_t bins : {1u, 2u, 3u, 7u, 100u}) {
      Random random(seed, Purpose::batch, 0, 0);
      std::vector<int> count(bins);
      for (int i = 0; i < n; ++i) {
        const std::uint64_t k = random.below(bins);
        ASSERT_LT(k, bins);
        ++count[k];
      }
      if (bins > 1) {
        EXPECT_LT(std::abs(excess(count, n)), 4.5) << bins;
      }
    }
  }
  // bits64() % n would fall in the first third twice as often as in the others.
  Random random(4, Purpose::batch, 0, 0);
  std::vector<int> third(3);
  for (int i = 0; i < n; ++i) ++third[random.below(3ull << 62) >> 62];
  EXPECT_LT(std::abs(excess(third, n)), 4);
}

}  // namespace
}  // namespace riemflow
