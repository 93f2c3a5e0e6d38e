#include "riemflow/core/kronrod.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace riemflow {
namespace {

double monomial(const KronrodRule& rule, std::span<const double> weights, int degree) {
  double sum = 0;
  for (std::size_t i = 0; i < rule.nodes.size(); ++i) sum += weights[i] * std::pow(rule.nodes[i], degree);
  return sum;
}

// The largest even degree that is exact, and that the next one is not: a mistyped digit fails the first, a
// rule that is not optimal the second.
TEST(Kronrod, DegreesOfExactness) {
  for (int i = 0; i < kKronrodRules; ++i) {
    const KronrodRule& rule = kronrod_rule(i);
    const int n = 2 * i + 1;
    ASSERT_EQ(rule.size(), 2 * n + 1);
    const auto check = [&](std::span<const double> weights, int exact) {
      for (int degree = 0; degree <= exact; ++degree)
        EXPECT_NEAR(monomial(rule, weights, degree), degree % 2 == 0 ? 2.0 / (degree + 1) : 0, 2e-15)
            << n << " " << degree;
      const int next = exact + 1 + (exact + 1) % 2;
      EXPECT_GT(std::abs(monomial(rule, weights, next) - 2.0 / (next + 1)), 1e-9) << n;
    };
    check(rule.gauss_weights, 2 * n - 1);
    check(rule.weights, 3 * n + 2);  // one more than 3n + 1, which is even, by symmetry
  }
}

}  // namespace
}  // namespace riemflow
