#include "riemflow/distribution/learned_mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/distribution/draws.hpp"

namespace riemflow {
namespace {

/// Three components on S^d, one of them narrow; the means of any length.
std::vector<double> parameters(int ambient) {
  std::vector<double> p = {0.3, -1.2, 0.8};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < ambient; ++i) p.push_back(std::sin(1.7 * k + 2.3 * i + 1) * (k + 0.5));
  p.insert(p.end(), {-2.0, 1.5, 4.0});
  return p;
}

TEST(LearnedMixture, IsTheMixtureOfItsParameters) {
  LearnedMixture<double> base(3, 3);
  const std::vector<double> p = parameters(3);
  base.set(p);
  const MixtureParameters& mixture = base.mixture();
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += std::exp(p[static_cast<std::size_t>(k)]);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(mixture.weights[k], std::exp(p[k]) / sum, 1e-15);
    EXPECT_NEAR(mixture.kappas[k], std::exp(p[12 + k]), 1e-12);
    const double* m = &p[3 + 3 * k];
    EXPECT_NEAR(mixture.means[k][1], m[1] / std::hypot(m[0], m[1], m[2]), 1e-15);
  }
  // And back: the same mixture again, its logits and lengths aside.
  LearnedMixture<double> again(3, 3);
  again.set(LearnedMixture<double>::parameters_of(mixture));
  const Points<double> x = draws_of<double>(base, 20, 1);
  const std::vector<double> one = log_densities_of<double>(base, x), two = log_densities_of<double>(again, x);
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], two[i], 1e-12);
}

TEST(LearnedMixture, GradientAgainstDifferences) {
  for (const int ambient : {2, 3, 5}) {
    LearnedMixture<double> base(3, ambient);
    const std::vector<double> p = parameters(ambient);
    base.set(p);
    const Points<double> points = draws_of<double>(base, 16, 3);
    std::vector<Pack<double>> x(static_cast<std::size_t>(ambient));
    points.load_tile(0, x.data());
    Pack<double> weight;
    for (int l = 0; l < kLanes; ++l) weight[l] = l == 5 ? 0 : 0.1 * (l - 4);
    std::vector<double> bar(p.size(), 7.0);  // added to
    base.add_gradient(x.data(), weight, bar.data());
    for (std::size_t i = 0; i < p.size(); ++i) {
      const auto at = [&](double shift) {
        std::vector<double> moved = p;
        moved[i] += shift;
        base.set(moved);
        return lane_sum(weight * base.log_density(x.data()));
      };
      constexpr double h = 1e-4;
      const double slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_NEAR(bar[i] - 7, slope, 1e-8 * (1 + std::abs(slope))) << ambient << ", parameter " << i;
    }
  }
}

TEST(LearnedMixture, HoldsConcentrationsAndMeansWithinReason) {
  LearnedMixture<float> base(2, 3);
  base.set(std::vector<float>{0, 1000, 0, 0, 0, 0, 1e30f, 0, 80,
                              -80});  // a mean of no length, κ too large, too small
  EXPECT_NEAR(base.mixture().kappas[0], LearnedMixture<float>::kMost, 1);
  EXPECT_NEAR(base.mixture().kappas[1], LearnedMixture<float>::kLeast, 1e-9);
  std::vector<Pack<float>> x = {0.f, 1.f, 0.f}, gradient(3);
  EXPECT_TRUE(std::isfinite(base.log_density_gradient(x.data(), gradient.data())[0]));
  std::vector<float> bar(10);
  base.add_gradient(x.data(), 1.f, bar.data());
  for (const float b : bar) EXPECT_TRUE(std::isfinite(b));
  EXPECT_EQ(bar[8], 0);
  EXPECT_EQ(bar[9], 0);
}

}  // namespace
}  // namespace riemflow
