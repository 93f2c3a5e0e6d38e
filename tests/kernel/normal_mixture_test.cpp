#include "riemflow/kernel/normal_mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/model/mass.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

using ManifoldPointer = std::shared_ptr<const Manifold<double>>;

double mean_log_prob(const KernelMixture& density, const Points<double>& points) {
  const std::vector<double> values = density.log_prob(points);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// On every space: a few elliptic kernels, and what EM makes of draws of them. Its density is as good as the
/// true one on other draws, but for what its numbers cost.
TEST(NormalMixture, RecoversTheNormalsThatPointsAreOf) {
  for (const std::string& name : density_test::kKernelManifolds) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelMixture truth(manifold, density_test::kernels_on(manifold, 3, 0.15, 1.5, 2, 4, 0.02), 1e-12);
    const std::size_t n = kSanitized ? 400 : 3000;
    const KernelData data(manifold, draws_of(truth, n, 1, 0, 0, Purpose::test), 1);
    const Points<double> others = draws_of(truth, n, 2, 0, 0, Purpose::test);
    double best = -INFINITY;  // of starts: EM may end where two of its normals share one of these
    for (std::uint64_t start = 0; start < 5; ++start) {
      NormalMixture mixture(data, 3, start);
      for (int step = 0; step < 60; ++step) mixture.step();
      best = std::max(best, mean_log_prob(KernelMixture(manifold, mixture.parameters(), 1e-9), others));
    }
    EXPECT_NEAR(best, mean_log_prob(truth, others), kSanitized ? 0.1 : 0.015) << name;
  }
}

/// On the plane with a weight a point: shares, means and covariances by plain loops.
TEST(NormalMixture, AStepOnThePlaneIsThatOfEm) {
  const ManifoldPointer plane = parse_manifold<double>("euclidean:2");
  const KernelMixture truth(plane, density_test::kernels_on(plane, 4, 0.5, 2, 2, 5, 0.05));
  const std::size_t n = 200;
  const Points<double> points = draws_of(truth, n, 3, 0, 0, Purpose::test);
  Weights weights(n);
  for (std::size_t i = 0; i < n; ++i) weights[i] = 1 + static_cast<double>(i % 3);
  const KernelData data(plane, points, 1, nullptr, {}, weights);
  NormalMixture mixture(data, 3, 7);
  for (int step = 0; step < 4; ++step) {
    const KernelParameters before = mixture.parameters();
    const double likelihood = mixture.step();
    const KernelParameters after = mixture.parameters();
    // log w K of each normal and of the base N(0, I).
    const auto parts_at = [&](std::span<const double> x) {
      std::vector<double> parts;
      for (std::size_t m = 0; m < 3; ++m) {
        const double h2 = before.bandwidths[m] * before.bandwidths[m];
        const double* S = &before.shapes[4 * m];
        const double a = h2 * S[0], b = h2 * S[1], c = h2 * S[3], det = a * c - b * b;
        const double u = x[0] - before.centres[m][0], v = x[1] - before.centres[m][1];
        const double q = (c * u * u - 2 * b * u * v + a * v * v) / det;
        parts.push_back((1 - before.wide) * before.weights[m] * std::exp(-0.5 * q) /
                        (2 * std::numbers::pi * std::sqrt(det)));
      }
      parts.push_back(before.wide * std::exp(-0.5 * (x[0] * x[0] + x[1] * x[1])) / (2 * std::numbers::pi));
      return parts;
    };
    double log_likelihood = 0, wide = 0;
    std::vector<double> counts(3), sum_u(3), sum_v(3), uu(3), uv(3), vv(3);
    for (std::size_t i = 0; i < n; ++i) {
      const std::vector<double> parts = parts_at(data.centres()[i]);
      const double p = std::accumulate(parts.begin(), parts.end(), 0.0), w = data.weights()[i];
      log_likelihood += w * std::log(p);
      wide += w * parts[3] / p;
      for (std::size_t m = 0; m < 3; ++m) {
        const double r = static_cast<double>(n) * w * parts[m] / p, u = data.centres()[i][0],
                     v = data.centres()[i][1];
        counts[m] += r;
        sum_u[m] += r * u;
        sum_v[m] += r * v;
        uu[m] += r * u * u;
        uv[m] += r * u * v;
        vv[m] += r * v * v;
      }
    }
    EXPECT_NEAR(likelihood, log_likelihood, 1e-9);
    EXPECT_NEAR(after.wide, wide, 1e-9);
    const double all = counts[0] + counts[1] + counts[2];
    for (std::size_t m = 0; m < 3; ++m) {
      const double N = counts[m], u = sum_u[m] / N, v = sum_v[m] / N;
      EXPECT_NEAR(after.weights[m], N / all, 1e-5);
      EXPECT_NEAR(after.centres[m][0], u, 1e-4);
      EXPECT_NEAR(after.centres[m][1], v, 1e-4);
      const double a = uu[m] - N * u * u, b = uv[m] - N * u * v, c = vv[m] - N * v * v;
      const double own = 2 * (a + c) / (2 * N);  // two imagined points of the mean variance, an axis
      const double h2 = after.bandwidths[m] * after.bandwidths[m];
      EXPECT_NEAR(h2 * after.shapes[4 * m], (a + own) / (N + 2), 1e-3 * h2);
      EXPECT_NEAR(h2 * after.shapes[4 * m + 1], b / (N + 2), 1e-3 * h2);
      EXPECT_NEAR(h2 * after.shapes[4 * m + 3], (c + own) / (N + 2), 1e-3 * h2);
    }
  }
}

TEST(NormalMixture, HasMassOne) {
  for (const char* name : {"sphere:2", "torus:2", "ball:2", "sphere:1 x euclidean:1"}) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const KernelMixture truth(manifold, density_test::kernels_on(manifold, 6, 0.3, 2, 3, 6));
    const KernelData data(manifold, draws_of(truth, 200, 1, 0, 0, Purpose::test), 1);
    NormalMixture mixture(data, 5, 1);
    for (int step = 0; step < 10; ++step) mixture.step();
    const KernelParameters parameters = mixture.parameters();
    EXPECT_NEAR(std::accumulate(parameters.weights.begin(), parameters.weights.end(), 0.0), 1, 1e-12);
    CubatureOptions options;
    options.absolute = 1e-3;
    options.evaluations = kSanitized ? 2'000 : 20'000;
    const Mass mass = kernel_mass(KernelMixture(manifold, parameters), options, 1, 1);
    EXPECT_NEAR(mass.integral.value, 1, std::max(2e-3, mass.bound())) << name;
    EXPECT_LT(mass.bound(), 0.1) << name;
  }
}

TEST(NormalMixture, AWeightIsAsManyEqualPoints) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelMixture truth(sphere, density_test::kernels_on(sphere, 4, 0.3, 2, 2, 8));
  const Points<double> points = draws_of(truth, 80, 1, 0, 0, Purpose::test);
  Points<double> twice = points;
  twice.values.insert(twice.values.end(), points[7].begin(), points[7].end());
  Weights weights(points.size(), 1);
  weights[7] = 2;
  const KernelData repeated(sphere, twice, 1), weighted(sphere, points, 1, nullptr, {}, weights),
      plain(sphere, points, 1);
  const auto likelihood = [](const KernelData& data) {
    NormalMixture mixture(data, 4, 3);
    for (int step = 0; step < 6; ++step) mixture.step();
    return mixture.step();
  };
  EXPECT_NEAR(likelihood(weighted), likelihood(repeated), 1e-12);
  EXPECT_GT(std::abs(likelihood(weighted) - likelihood(plain)), 1e-4);
}

/// Turned points have turned normals: the step has no direction of its own, and no place, also where the
/// frames of the sphere jump.
TEST(NormalMixture, TurnsWithThePoints) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelMixture truth(sphere, density_test::kernels_on(sphere, 4, 0.4, 2, 3, 9));
  const Points<double> points = draws_of(truth, 300, 1, 0, 0, Purpose::test);
  Points<double> turned = points;
  for (std::size_t i = 0; i < points.size(); ++i) {  // (x, y, z) → (z, −x, −y)
    turned[i][0] = points[i][2];
    turned[i][1] = -points[i][0];
    turned[i][2] = -points[i][1];
  }
  const KernelData one(sphere, points, 1), other(sphere, turned, 1);
  NormalMixture a(one, 5, 2), b(other, 5, 2);
  for (int step = 0; step < 8; ++step) EXPECT_NEAR(a.step(), b.step(), 1e-9);
}

TEST(NormalMixture, ThreadsChangeNoBit) {
  const ManifoldPointer torus = parse_manifold<double>("torus:2");
  const KernelMixture truth(torus, density_test::kernels_on(torus, 9, 0.3, 2, 2, 10));
  const KernelData data(torus, draws_of(truth, 900, 1, 0, 0, Purpose::test), 1);
  Executor one(1), three(3);
  NormalMixture alone(data, 8, 4, &one), together(data, 8, 4, &three);
  for (int step = 0; step < 4; ++step) EXPECT_EQ(alone.step(), together.step());
  EXPECT_EQ(alone.parameters().shapes, together.parameters().shapes);
}

/// Normals of few points do not collapse on them.
TEST(NormalMixture, AsManyAsThereArePoints) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelMixture truth(sphere, density_test::kernels_on(sphere, 4, 0.3, 2, 2, 11));
  const KernelData data(sphere, draws_of(truth, 12, 1, 0, 0, Purpose::test), 1);
  NormalMixture mixture(data, 12, 1);
  for (int step = 0; step < 30; ++step) EXPECT_TRUE(std::isfinite(mixture.step()));
  for (const double h : mixture.parameters().bandwidths) EXPECT_GT(h, 1e-5);
  EXPECT_THROW(NormalMixture(data, 13, 1), Error);
  EXPECT_THROW(NormalMixture(data, 0, 1), Error);
}

}  // namespace
}  // namespace riemflow
