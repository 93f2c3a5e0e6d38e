// What the GPU computes of spaces of matrices, on the host: against the spaces themselves in double
// precision.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "riemflow/core/random.hpp"
#include "riemflow/flow/cuda/matrices.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

struct MatrixCase {
  explicit MatrixCase(const std::string& name)
      : manifold(parse_manifold<double>(name)), D(static_cast<std::size_t>(manifold->ambient())) {
    const MatrixForm form = manifold->matrix_form();
    matrices = {form.rows,
                form.columns,
                manifold->device_formulas() == DeviceFormulas::projectors,
                form.rank,
                static_cast<float>(form.metric),
                static_cast<float>(form.bend),
                static_cast<float>(form.shift)};
  }

  std::unique_ptr<const Manifold<double>> manifold;
  std::size_t D;
  cuda::Matrices matrices;
};

using Numbers = std::vector<float>;
using Packs = std::vector<Pack<double>>;

Packs in_packs(const Numbers& numbers) { return Packs(numbers.begin(), numbers.end()); }

Numbers normals(Random& random, std::size_t n, double scale = 1) {
  Numbers all(n);
  for (float& number : all) number = static_cast<float>(scale * random.normal());
  return all;
}

/// A uniform point, and beside it by normals of size `off`.
Numbers near_point(const MatrixCase& c, Random& random, double off) {
  Packs x(c.D);
  c.manifold->random_uniform(random, x.data(), 0);
  Numbers near = normals(random, c.D, off);
  for (std::size_t i = 0; i < c.D; ++i) near[i] += static_cast<float>(x[i][0]);
  return near;
}

void expect_equal(const Numbers& own, const Packs& truth, double bar, const std::string& what) {
  for (std::size_t i = 0; i < own.size(); ++i)
    EXPECT_NEAR(own[i], truth[i][0], bar * std::max(1.0, std::abs(truth[i][0]))) << what << " " << i;
}

const char* const kSpaces[] = {"stiefel:3,1",   "stiefel:3,2",   "stiefel:5,3",
                               "stiefel:8,2",   "stiefel:16,1",  "grassmann:2,1",
                               "grassmann:3,1", "grassmann:3,2", "grassmann:4,2"};

TEST(CudaMatrices, AreTheSpaces) {
  for (const char* name : kSpaces) {
    const MatrixCase c(name);
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      Random random(seed, Purpose::test, 0, 0);
      Numbers x = near_point(c, random, 0);
      const Numbers u = normals(random, c.D), bar = normals(random, c.D);
      Numbers w(c.D), x_bar = normals(random, c.D);
      Packs true_w = in_packs(u);
      c.manifold->to_tangent(in_packs(x).data(), true_w.data());
      c.matrices.tangent(x.data(), u.data(), w.data());
      expect_equal(w, true_w, 2e-6, std::string(name) + " tangent");

      Packs true_bar = in_packs(x_bar), noise = in_packs(u), v_bar = in_packs(bar);
      const PackMatrix<double> noise_column{noise.data(), 1}, v_bar_column{v_bar.data(), 1};
      c.manifold->seed_probe_backward(in_packs(x).data(), noise_column, 1, v_bar_column, true_bar.data());
      c.matrices.tangent_backward(x.data(), u.data(), bar.data(), x_bar.data());
      expect_equal(x_bar, true_bar, 1e-5, std::string(name) + " tangent, backward");
    }
  }
}

TEST(CudaMatrices, ComeToTheNearestPoint) {
  for (const char* name : kSpaces) {
    const MatrixCase c(name);
    int near = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed, Purpose::test, 1, 0);
      const Numbers start = near_point(c, random, 1e-3 * static_cast<double>(1 + seed));
      if (!c.matrices.near(start.data())) continue;
      ++near;
      Numbers x = start, bar = normals(random, c.D);
      Packs true_x = in_packs(start), true_bar = in_packs(bar);
      c.matrices.project(x.data());
      c.manifold->project(true_x.data());
      expect_equal(x, true_x, 3e-6, std::string(name) + " projection");
      c.matrices.project_backward(start.data(), bar.data());
      c.manifold->project_backward(in_packs(start).data(), true_bar.data());
      expect_equal(bar, true_bar, 2e-5, std::string(name) + " projection, backward");
    }
    EXPECT_GT(near, 20) << name;
  }
}

// The far ones are told: zero, another rank, a frame that is twice as long.
TEST(CudaMatrices, TellWhatIsFar) {
  for (const char* name : kSpaces) {
    const MatrixCase c(name);
    Random random(3, Purpose::test, 2, 0);
    Numbers x = near_point(c, random, 0);
    EXPECT_TRUE(c.matrices.near(x.data())) << name;
    EXPECT_FALSE(c.matrices.near(Numbers(c.D).data())) << name;
    for (float& number : x) number *= 2;
    EXPECT_FALSE(c.matrices.near(x.data())) << name;
  }
}

// The divergence of a field that is constant in the surrounding space is that of the curvature alone.
TEST(CudaMatrices, HaveTheirMeanCurvature) {
  for (const char* name : kSpaces) {
    const MatrixCase c(name);
    Random random(5, Purpose::test, 3, 0);
    const Numbers x = near_point(c, random, 0), u = normals(random, c.D);
    const std::size_t D = c.D;
    Packs at = in_packs(x), field = in_packs(u), f(D);
    OutputJet<double> jet{PackMatrix<double>{at.data(), 1},
                          PackMatrix<double>{field.data(), 1},
                          0,
                          1.0,
                          false,
                          BallScaling::unit};
    Rates<double> rates{};
    c.manifold->velocity(jet, f.data(), rates);
    double divergence = 0;
    for (std::size_t i = 0; i < D; ++i)
      divergence += static_cast<double>(u[i] * c.matrices.mean_curvature(x[i], static_cast<int>(i)));
    EXPECT_NEAR(divergence, rates.divergence[0], 1e-5 * static_cast<double>(D)) << name;
  }
}

}  // namespace
}  // namespace riemflow
