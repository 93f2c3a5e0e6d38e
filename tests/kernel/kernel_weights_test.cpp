// Kernel densities of points with weights: a point of weight 3 is three points.

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/kernel/kernel_choice.hpp"
#include "tests/kernel/kernel_cases.hpp"

namespace riemflow {
namespace {

/// Points, how many of each, and all of them.
struct Counted {
  Points<double> points, all;
  Weights counts;
};

Counted counted(const std::shared_ptr<const Manifold<double>>& manifold, std::size_t n, std::uint64_t seed) {
  Counted result{draws_of(*default_base<double>(manifold), n, seed, 0, 0, Purpose::test), {}, {}};
  result.all.dimension = result.points.dimension;
  for (std::size_t i = 0; i < n; ++i) {
    result.counts.push_back(1 + static_cast<double>(i % 4));
    for (double k = 0; k < result.counts[i]; ++k)
      result.all.values.insert(result.all.values.end(), result.points[i].begin(), result.points[i].end());
  }
  return result;
}

TEST(KernelWeights, OfAFixedRecipeAreRepeatedPoints) {
  for (const char* name : {"sphere:2", "torus:2", "euclidean:2", "ball:2", "sphere:2 x torus:1"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const Counted data = counted(manifold, 120, 1);
    const Points<double> at = draws_of(*default_base<double>(manifold), 50, 2, 0, 0, Purpose::test);
    for (const KernelShape shape : {KernelShape::one, KernelShape::local, KernelShape::anisotropic}) {
      const KernelRecipe recipe{shape, 0.3, 6, 0.5, 11, 0.3, 0.02};
      const auto log_p = [&](const Points<double>& points, Weights weights, double scale) {
        for (double& w : weights) w *= scale;
        KernelData centres(manifold, points, 16, nullptr, {}, weights);
        EXPECT_EQ(centres.size(), 120u);
        return KernelMixture(manifold, centres.parameters(recipe), 1e-300).log_prob(at);
      };
      const std::vector<double> truth = log_p(data.all, {}, 1), alike = log_p(data.points, {}, 1);
      const std::vector<double> weighted = log_p(data.points, data.counts, 1),
                                scaled = log_p(data.points, data.counts, 0.013);
      double most = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        EXPECT_NEAR(weighted[i], truth[i], 1e-12) << name;
        EXPECT_NEAR(scaled[i], truth[i], 1e-12) << name;
        most = std::max(most, std::abs(alike[i] - truth[i]));
      }
      EXPECT_GT(most, 0.01) << name;
      EXPECT_EQ(log_p(data.points, Weights(120, 1), 1), alike) << name;
    }
  }
}

/// A narrow and a wide cluster: one bandwidth suits that which weighs more, be it by validation points or by
/// folds, as it does where its points are repeated.
TEST(KernelWeights, ChooseTheBandwidth) {
  const std::shared_ptr<const Manifold<double>> plane = parse_manifold<double>("euclidean:2");
  const auto clusters = [](std::size_t n, std::uint64_t seed) {
    Points<double> points(n, 2);
    for (std::size_t i = 0; i < n; ++i) {
      Random random(seed, Purpose::test, 0, i);
      const double width = i % 2 == 0 ? 0.01 : 1;
      points[i][0] = (i % 2 == 0 ? -5 : 5) + width * random.normal();
      points[i][1] = width * random.normal();
    }
    return points;
  };
  const auto times = [](const Points<double>& points, std::size_t even, std::size_t odd) {
    Points<double> all(0, 2);
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < (i % 2 == 0 ? even : odd); ++k)
        all.values.insert(all.values.end(), points[i].begin(), points[i].end());
    return all;
  };
  const auto weights = [](std::size_t n, double even, double odd) {
    Weights all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(i % 2 == 0 ? even : odd);
    return all;
  };
  const Points<double> training = clusters(200, 1), held_out = clusters(300, 2);
  for (const Points<double>& validation : {held_out, Points<double>()}) {
    double scales[2];
    for (const std::size_t wide : {0u, 1u}) {
      const std::size_t even = wide == 0 ? 6 : 1, odd = wide == 0 ? 1 : 6;
      const double e = 0.02 * static_cast<double>(even), o = 0.02 * static_cast<double>(odd);
      const KernelFit weighted =
          fit_kernel_density(plane, training, validation, KernelShape::one, nullptr, {}, {},
                             {weights(200, e, o), validation.size() > 0 ? weights(300, e, o) : Weights()});
      const KernelFit truth = fit_kernel_density(
          plane, times(training, even, odd),
          validation.size() > 0 ? times(validation, even, odd) : validation, KernelShape::one);
      // Folds are others where points are repeated.
      EXPECT_NEAR(std::log(weighted.recipe.scale / truth.recipe.scale), 0, 0.2) << wide;
      EXPECT_NEAR(weighted.score, truth.score, 0.1) << wide;
      scales[wide] = weighted.recipe.scale;
    }
    EXPECT_GT(scales[1], 1.5 * scales[0]);
  }
}

/// Samples of the centres, where time is short, keep the weights of their points.
TEST(KernelWeights, AreThoseOfSampledCentres) {
  const std::shared_ptr<const Manifold<double>> sphere = parse_manifold<double>("sphere:2");
  const Counted data = counted(sphere, 900, 3);
  int asked = 0;
  SearchTime time{10, [&] { return 1e-4 * ++asked; }};
  const KernelFit fit =
      fit_kernel_density(sphere, data.points, {}, KernelShape::one, nullptr, {}, time, {data.counts, {}});
  double total = 0;
  for (const double count : data.counts) total += count;
  ASSERT_EQ(fit.parameters.size(), 900u);
  const KernelMixture density(sphere, fit.parameters);
  for (const std::size_t i : {0u, 1u, 2u, 899u}) {
    const auto centre = density.centre_at(data.points[i], 1e-9);
    ASSERT_TRUE(centre);
    EXPECT_NEAR(fit.parameters.weights[*centre], data.counts[i] / total, 1e-15);
  }
}

}  // namespace
}  // namespace riemflow
