#include "riemflow/kernel/kernel_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using ManifoldPointer = std::shared_ptr<const Manifold<double>>;

Points<double> bump(std::size_t n, std::uint64_t seed, double kappa = 30) {
  return draws_of(VonMisesFisher<double>(Eigen::Vector3d(1, 2, 3), kappa), n, seed, 0, 0, Purpose::test);
}

/// Points along a great circle, a hundredth of a radian wide.
Points<double> fault(std::size_t n, std::uint64_t seed) {
  Points<double> points(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    Random random(seed, Purpose::test, 2, i);
    const double angle = 2 * std::numbers::pi * random.uniform(), z = 0.01 * random.normal();
    points[i][0] = std::sqrt(1 - z * z) * std::cos(angle);
    points[i][1] = std::sqrt(1 - z * z) * std::sin(angle);
    points[i][2] = z;
  }
  return points;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(KernelChoice, OneBandwidthBeatsItsNeighboursOnValidation) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> data = bump(500, 3), validation = bump(500, 4);
  const KernelFit fit = fit_kernel_density(sphere, data, validation, KernelShape::one);
  const auto score = [&](double factor) {
    KernelParameters moved = fit.parameters;
    for (double& h : moved.bandwidths) h *= factor;
    return mean(KernelMixture(sphere, moved).log_prob(validation));
  };
  EXPECT_NEAR(score(1), fit.score, 2e-3);
  EXPECT_GT(score(1), score(1.15));
  EXPECT_GT(score(1), score(1 / 1.15));
  EXPECT_LT(fit.recipe.scale, 1 / std::sqrt(30.0));  // narrower than the truth
  EXPECT_GT(fit.recipe.scale, 0.02);
}

TEST(SlowKernelChoice, AnisotropicKernelsFollowAFault) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> data = fault(400, 1), test = fault(400, 2);
  double nll[3];
  for (int shape = 0; shape < 3; ++shape) {
    const KernelFit fit = fit_kernel_density(sphere, data, {}, static_cast<KernelShape>(shape));
    EXPECT_EQ(fit.recipe.shape, static_cast<KernelShape>(shape));
    const KernelMixture density(sphere, fit.parameters);
    nll[shape] = -mean(density.log_prob(test));
    // The score is by the kernels of four fifths of the points: a little below that by all the others, and
    // far below what a point scores that is its own centre (1.4 and more).
    double left_out = 0;
    for (std::size_t i = 0; i < data.size(); ++i)
      left_out += density.log_density_at(fit.parameters.centres[i], i) / static_cast<double>(data.size());
    EXPECT_LT(fit.score, left_out);
    EXPECT_GT(fit.score, left_out - 0.12);
  }
  EXPECT_LT(nll[2], nll[0] - 0.1);
  // The density of the truth: uniform in angle, normal across.
  const double truth = std::log(2 * std::numbers::pi) +
                       0.5 * std::log(2 * std::numbers::pi * std::numbers::e) + std::log(0.01);
  EXPECT_GT(nll[2], truth - 0.1);
  EXPECT_LT(nll[2], truth + 0.2);
  EXPECT_EQ(fit_kernel_density(sphere, data).recipe.shape, KernelShape::anisotropic);
}

TEST(KernelChoice, AllShapesAtOnceAreThoseOneByOne) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> data = fault(kSanitized ? 100 : 400, 1);
  const std::vector<KernelFit> fits = fit_kernel_densities(sphere, data);
  ASSERT_EQ(fits.size(), 3u);
  for (const KernelFit& fit : fits) {
    const KernelFit alone = fit_kernel_density(sphere, data, {}, fit.recipe.shape);
    EXPECT_EQ(fit.score, alone.score);
    EXPECT_EQ(fit.recipe.scale, alone.recipe.scale);
    EXPECT_EQ(KernelData(sphere, data, 64).parameters(fit.recipe).bandwidths, alone.parameters.bandwidths);
  }
  // What has no direction needs no kernels that have one: two, or a third that is not round.
  for (std::uint64_t seed = 5; seed < (kSanitized ? 6 : 8); ++seed)
    for (const KernelFit& fit : fit_kernel_densities(sphere, bump(300, seed)))
      EXPECT_FALSE(fit.recipe.shape == KernelShape::anisotropic && fit.recipe.shrinkage == 1);
}

TEST(KernelChoice, DuplicatesDoNotDriveTheBandwidthToZero) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> data = bump(200, 5);
  Points<double> twice = data;
  twice.values.insert(twice.values.end(), data.values.begin(), data.values.end());
  const KernelFit once = fit_kernel_density(sphere, data, {}, KernelShape::one),
                  doubled = fit_kernel_density(sphere, twice, {}, KernelShape::one);
  EXPECT_EQ(doubled.parameters.size(), data.size());
  EXPECT_NEAR(doubled.recipe.scale, once.recipe.scale, 0.02);  // other folds
  // A weight is a share of the points.
  Points<double> one_more = data;
  one_more.values.insert(one_more.values.end(), data[7].begin(), data[7].end());
  const KernelFit heavier = fit_kernel_density(sphere, one_more, {}, KernelShape::one);
  EXPECT_EQ(std::count_if(heavier.parameters.weights.begin(), heavier.parameters.weights.end(),
                          [&](double w) { return std::abs(w - 2.0 / 201) < 1e-12; }),
            1);
}

TEST(KernelChoice, GroupsAreKeptTogetherInCrossValidation) {
  // Each point has a twin at a thousandth: without groups the bandwidth is that of the twins.
  const ManifoldPointer plane = parse_manifold<double>("euclidean:2");
  const Points<double> data = draws_of(*default_base<double>(plane), 150, 5, 0, 0, Purpose::test),
                       fresh = draws_of(*default_base<double>(plane), 500, 6, 0, 0, Purpose::test);
  Points<double> twins = data;
  std::vector<std::size_t> groups;
  for (std::size_t i = 0; i < data.size(); ++i) {
    groups.push_back(i);
    for (const double x : data[i]) twins.values.push_back(x + 0.001);
  }
  for (std::size_t i = 0; i < data.size(); ++i) groups.push_back(i);
  const KernelFit apart = fit_kernel_density(plane, twins, {}, KernelShape::one, nullptr),
                  kept = fit_kernel_density(plane, twins, {}, KernelShape::one, nullptr, groups);
  EXPECT_LT(apart.recipe.scale, 0.05);
  EXPECT_GT(kept.recipe.scale, 0.15);
  const double truth = mean(KernelMixture(plane, kept.parameters).log_prob(fresh));
  EXPECT_NEAR(kept.score, truth, 0.15);
  EXPECT_GT(apart.score, mean(KernelMixture(plane, apart.parameters).log_prob(fresh)) + 1);
}

TEST(KernelChoice, BandwidthsAndShapesAreThoseOfTheRecipe) {
  for (const std::string& name : density_test::kKernelManifolds) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const Points<double> points = draws_of(*default_base<double>(manifold), 60, 6, 0, 0, Purpose::test);
    KernelData data(manifold, points, 20);
    KernelRecipe recipe{KernelShape::anisotropic, 0.2, 5, 0.5, 12, 0.3, 0.01};
    const KernelParameters parameters = data.parameters(recipe);
    // h_i = scale·(r_i/r̄)^α with r_i by brute force, and of geometric mean `scale`
    const KernelSpace space(manifold);
    std::vector<double> a(static_cast<std::size_t>(space.width())), b(a.size());
    double log_mean = 0;
    std::vector<double> reach;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      std::vector<double> squares;
      space.embed(parameters.centres[i], a.data());
      for (std::size_t j = 0; j < parameters.size(); ++j) {
        space.embed(parameters.centres[j], b.data());
        if (j != i) squares.push_back(space.squared_distance(a.data(), b.data()));
      }
      std::sort(squares.begin(), squares.end());
      reach.push_back(std::sqrt(squares[4]));
      log_mean += std::log(parameters.bandwidths[i]) / static_cast<double>(parameters.size());
    }
    EXPECT_NEAR(log_mean, std::log(0.2), 1e-12);
    EXPECT_NEAR(parameters.bandwidths[3] / parameters.bandwidths[8], std::sqrt(reach[3] / reach[8]), 1e-12)
        << name;
    EXPECT_NO_THROW(KernelMixture(manifold, parameters));
    // With shrinkage 1 a shape is the identity, and an elliptic kernel off spheres and tori a round one.
    if (name != "euclidean:2" && name != "ball:2") continue;
    recipe.shrinkage = 1;
    const KernelMixture elliptic(manifold, data.parameters(recipe));
    recipe.shape = KernelShape::local;
    const KernelMixture round(manifold, data.parameters(recipe));
    for (std::size_t i = 0; i < 20; ++i)
      EXPECT_NEAR(elliptic.log_density_at(points[i]), round.log_density_at(points[i]), 3e-6) << name;
  }
}

/// However little time there is, by a clock that goes on by a second whenever it is looked at.
TEST(KernelChoice, EndsInTimeWithAUsableRecipe) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> data = fault(1000, 1), validation = fault(400, 2);
  double before = -INFINITY;
  for (const double seconds : {0., 200., 4000., 1e9}) {
    double clock = 0, told = 0;
    const SearchTime time{seconds, [&] { return ++clock; }, [&](double share) { told = share; }};
    const std::vector<KernelFit> fits = fit_kernel_densities(sphere, data, validation, nullptr, {}, time);
    ASSERT_FALSE(fits.empty());
    EXPECT_EQ(fits.front().recipe.shape, KernelShape::one);
    EXPECT_LE(told, 1);
    if (seconds == 0) {
      EXPECT_LT(clock, 300);  // the neighbours of a few hundred points
    } else {
      EXPECT_LT(clock, 1.2 * seconds + 100) << seconds;
    }
    double best = -INFINITY;
    for (const KernelFit& fit : fits) {
      const KernelMixture density(sphere, KernelData(sphere, data, 64).parameters(fit.recipe));
      best = std::max(best, mean(density.log_prob(validation)));
    }
    EXPECT_GT(best, before - 0.02) << seconds;  // more time, no worse
    before = best;
  }
  const std::vector<KernelFit> all = fit_kernel_densities(sphere, data, validation);
  const KernelMixture whole(sphere, KernelData(sphere, data, 64).parameters(all.back().recipe));
  EXPECT_GT(before, mean(whole.log_prob(validation)) - 0.003);  // as without a limit
  EXPECT_THROW(fit_kernel_densities(sphere, data, validation, nullptr, {},
                                    {1e9, []() -> double { throw std::runtime_error("interrupted"); }}),
               std::runtime_error);
}

TEST(KernelChoice, TheFirstSampleIsAsLargeAsItHasToBe) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const Points<double> data = fault(4000, 1), validation = fault(400, 2);
  const auto looks = [&](std::size_t least) {
    double clock = 0;
    fit_kernel_densities(sphere, data, validation, nullptr, {}, {0, [&] { return ++clock; }, nullptr, least});
    return clock;
  };
  // The neighbours of 250, 1,000 and 4,000 points, and what is the same for all.
  const double few = looks(100), more = looks(300), all = looks(1001);
  EXPECT_GT(more, few);
  EXPECT_NEAR((all - more) / (more - few), 4, 0.5);
}

/// Far from the standard normal that R^d begins with, the kernels alone count, whatever the unit: N(m, s²I)
/// scores as N(30, I) does less d·log s. At the origin with s = 1 that normal is the truth, and better.
TEST(KernelChoice, EuclideanDataOfAnyPlaceAndScale) {
  const ManifoldPointer plane = parse_manifold<double>("euclidean:2");
  const auto drawn = [&](std::size_t n, std::uint64_t seed, double offset, double deviation) {
    Points<double> points = draws_of(*default_base<double>(plane), n, seed, 0, 0, Purpose::test);
    for (double& x : points.values) x = offset + deviation * x;
    return points;
  };
  const auto score = [&](double offset, double deviation) {
    const Points<double> validation = drawn(300, 2, offset, deviation);
    const KernelFit fit =
        fit_kernel_density(plane, drawn(100, 1, offset, deviation), validation, KernelShape::one);
    const double found = mean(KernelMixture(plane, fit.parameters).log_prob(validation));
    EXPECT_NEAR(found, fit.score, 2e-3);
    return found + 2 * std::log(deviation);
  };
  const double truth = -std::log(2 * std::numbers::pi * std::numbers::e), far = score(30, 1);
  EXPECT_NEAR(far, truth, 0.15);
  for (const double offset : {1e3, 1e6}) EXPECT_NEAR(score(offset, 1), far, 2e-3) << offset;
  for (const double deviation : {1e-3, 100., 1e5}) EXPECT_NEAR(score(0, deviation), far, 5e-3) << deviation;
  EXPECT_NEAR(score(0, 1), truth, 0.1);
}

TEST(KernelChoice, FewPoints) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  EXPECT_THROW(fit_kernel_density(sphere, Points<double>(0, 3)), Error);
  // Alone, three different points choose, a point held out at a time.
  EXPECT_THROW(fit_kernel_density(sphere, bump(2, 1)), Error);
  Points<double> twice = bump(2, 1);
  twice.values.insert(twice.values.end(), twice.values.begin(), twice.values.end());
  EXPECT_THROW(fit_kernel_density(sphere, twice), Error);
  for (const std::size_t n : {3u, 4u, 9u})
    for (const KernelShape shape : {KernelShape::one, KernelShape::local, KernelShape::anisotropic}) {
      const KernelFit fit = fit_kernel_density(sphere, bump(n, 1), Points<double>(0, 3), shape);
      EXPECT_EQ(fit.parameters.size(), n);
      // Held-out points are worse than the centres themselves, and better than under the uniform density.
      EXPECT_LT(fit.score, mean(KernelMixture(sphere, fit.parameters).log_prob(bump(n, 1))));
      EXPECT_GT(fit.score, -2.531);
    }
  const Points<double> validation = bump(20, 2);
  for (const std::size_t n : {1u, 2u, 3u})
    for (const KernelShape shape : {KernelShape::one, KernelShape::local, KernelShape::anisotropic}) {
      const KernelFit fit = fit_kernel_density(sphere, bump(n, 1), validation, shape);
      EXPECT_EQ(fit.parameters.size(), n);
      EXPECT_TRUE(std::isfinite(fit.score));
    }
}

}  // namespace
}  // namespace riemflow
