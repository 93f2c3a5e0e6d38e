#include "riemflow/kernel/kernel_mixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/whole.hpp"
#include "tests/distribution/support.hpp"
#include "tests/kernel/kernel_cases.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using ManifoldPointer = std::shared_ptr<const Manifold<double>>;

KernelParameters one_kernel(const Points<double>& centre, double bandwidth, double wide) {
  return {centre, {1.0}, {bandwidth}, {}, wide};
}

TEST(KernelMixture, OneKernelIsTheDensityItIsNamedAfter) {
  const double h = 0.3;
  {
    const ManifoldPointer sphere = parse_manifold<double>("sphere:3");
    const VonMisesFisher<double> bump(Eigen::Vector4d(0, 1, 0, 0), 1 / (h * h));
    Points<double> centre(1, 4);
    centre[0][1] = 1;
    const KernelMixture density(sphere, one_kernel(centre, h, 0.25));
    for (const Point& x : draw(bump, 1, 20)) {
      const double expected =
          0.75 * std::exp(log_density_at(bump, x)) + 0.25 / (2 * std::numbers::pi * std::numbers::pi);
      EXPECT_NEAR(log_density_at(density, x), std::log(expected), 1e-12);
    }
  }
  {
    const ManifoldPointer ball = parse_manifold<double>("ball:2,K=-2");
    const WrappedNormal<double> bump(2, -2, Eigen::Vector2d(0.3, -0.4), h * h * Eigen::Matrix2d::Identity());
    Points<double> centre(1, 2);
    centre.values = {0.3, -0.4};
    const KernelMixture density(ball, one_kernel(centre, h, 1e-12));
    for (const Point& x : draw(bump, 1, 20))
      EXPECT_NEAR(log_density_at(density, x), log_density_at(bump, x), 1e-9);
  }
  {
    // exp(κ(cos(x − m) − 1)) a angle
    const ManifoldPointer torus = parse_manifold<double>("torus:2");
    Points<double> centre(1, 2);
    centre.values = {3.1, -3.0};
    const KernelMixture density(torus, one_kernel(centre, h, 1e-12));
    const double peak = log_density_at(density, {3.1, -3.0});
    EXPECT_NEAR(log_density_at(density, {-3.1, 3.0}) - peak,
                (std::cos(6.2) - 1 + std::cos(6.0) - 1) / (h * h), 1e-9);
  }
}

/// On a product of factors, by the cubature over all of it.
void expect_mass_one(const ManifoldPointer& manifold, const KernelParameters& parameters) {
  const KernelMixture density(manifold, parameters);
  CubatureOptions options;
  options.absolute = options.relative = 2e-7;
  options.evaluations = 400'000;
  const Integral mass = integrate(
      [&](const Points<double>& points, std::span<double> values) {
        const std::vector<double> log_p = density.log_prob(points);
        std::transform(log_p.begin(), log_p.end(), values.begin(), [](double l) { return std::exp(l); });
      },
      whole_manifold(*manifold, kReachDouble), manifold->ambient(), options);
  EXPECT_NEAR(mass.value, 1, 2e-6) << manifold->name() << " h " << parameters.bandwidths[0] << " "
                                   << parameters.shapes.size() << " error " << mass.error;
}

TEST(KernelMixture, WideKernelsHaveMassOne) {
  for (const std::string& name : kKernelManifolds) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    if (manifold->dimension() > 2) continue;
    for (const double h : {0.25, 0.8, 20.0})
      for (const double stretch : {1.0, 2.0}) {
        if (h > 1 && !manifold->compact()) continue;
        expect_mass_one(manifold, kernels_on(manifold, 2, h, 1.2, stretch, 3));
      }
  }
}

/// ∫ p over the tangent space at the centre, in units of the deviations: the trapezoidal rule is exact to
/// rounding on what is nearly normal. dV = (sn r/r)^{d−1} dv on each factor.
double mass_in_tangent_space(const ManifoldPointer& manifold, const KernelMixture& density, double unit) {
  const int D = manifold->ambient(), d = manifold->dimension();
  const int side = d < 3 ? 41 : 27;
  const double step = d < 3 ? 0.4 : 0.6;
  std::vector<Pack<double>> x(static_cast<std::size_t>(D)), e(static_cast<std::size_t>(D * d)), v(x.size()),
      y(x.size());
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = Pack<double>(density.parameters().centres[0][c]);
  manifold->frame(x.data(), {e.data(), d});
  long total = 1;
  for (int a = 0; a < d; ++a) total *= side;
  double sum = 0;
  Points<double> point(1, D);
  for (long n = 0; n < total; ++n) {
    long rest = n;
    std::vector<double> z(static_cast<std::size_t>(d));
    for (double& z_a : z) {
      z_a = unit * step * static_cast<double>(rest % side - side / 2);
      rest /= side;
    }
    for (std::size_t c = 0; c < v.size(); ++c) {
      v[c] = Pack<double>(0);
      for (std::size_t a = 0; a < z.size(); ++a) v[c] += e[c * z.size() + a] * Pack<double>(z[a]);
    }
    manifold->exp(x.data(), v.data(), y.data());
    for (std::size_t c = 0; c < y.size(); ++c) point[0][c] = y[c][0];
    double log_volume = 0;
    for (const Factor<double>& factor : manifold->factors()) {
      const int m = factor.manifold->dimension();
      const double K = factor.manifold->curvature();
      double square = 0;
      for (int a = 0; a < m; ++a) square += std::pow(z[static_cast<std::size_t>(factor.seed + a)], 2);
      const double r = std::sqrt(square * std::abs(K));
      if (r == 0 || m == 1) continue;
      if (K > 0) log_volume += (m - 1) * std::log(std::sin(r) / r);
      if (K < 0) log_volume += (m - 1) * std::log(std::sinh(r) / r);
    }
    sum += std::exp(density.log_prob(point)[0] + log_volume);
  }
  return sum * std::pow(unit * step, d);
}

TEST(KernelMixture, NarrowKernelsHaveMassOne) {
  for (const std::string& name : kKernelManifolds) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    if (manifold->dimension() > 3) continue;
    for (const double h : {0.03, 1e-6})
      for (const double stretch : {1.0, 1.5}) {
        const KernelParameters parameters = kernels_on(manifold, 1, h, 1, stretch, 5, 1e-9);
        const KernelMixture density(manifold, parameters);
        // Within 1e-6 of the rim of a ball coordinates end.
        EXPECT_NEAR(mass_in_tangent_space(manifold, density, h), 1, 1e-6)
            << name << " " << h << " " << stretch;
      }
  }
}

TEST(KernelMixture, PrunedIsExactToTheTolerance) {
  for (const std::string& name : kKernelManifolds) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    for (const double h : {0.02, 0.3})
      for (const double stretch : {1.0, 3.0}) {
        const KernelParameters parameters = kernels_on(manifold, 200, h, 8, stretch, 7, 1e-3);
        const KernelMixture pruned(manifold, parameters), loose(manifold, parameters, 1e-3),
            exact(manifold, parameters, 0);
        const auto base = default_base<double>(manifold);
        for (const Point& x : draw(*base, 8, 10)) {
          const double truth = log_density_at(exact, x);
          EXPECT_NEAR(log_density_at(pruned, x), truth, 1.0001e-6) << name;
          EXPECT_NEAR(log_density_at(loose, x), truth, 1.001e-3) << name;
          EXPECT_LE(log_density_at(pruned, x), truth + 1e-12) << name;
        }
      }
  }
}

TEST(KernelMixture, LeavingOutIsTheDensityOfTheOthers) {
  for (const std::string name : {"sphere:2", "torus:2", "ball:2", "euclidean:2"}) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    for (const double stretch : {1.0, 2.0}) {
      const KernelParameters all = kernels_on(manifold, 40, 0.2, 2, stretch, 9);
      const KernelMixture density(manifold, all);
      for (const std::size_t out : {std::size_t{0}, std::size_t{17}, std::size_t{39}}) {
        KernelParameters others;
        others.centres.dimension = all.centres.dimension;
        others.wide = all.wide;
        const std::size_t shape = all.shapes.size() / all.size();
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (i == out) continue;
          others.centres.values.insert(others.centres.values.end(), all.centres[i].begin(),
                                       all.centres[i].end());
          others.weights.push_back(all.weights[i] / (1 - all.weights[out]));
          others.bandwidths.push_back(all.bandwidths[i]);
          others.shapes.insert(others.shapes.end(), &all.shapes[i * shape], &all.shapes[i * shape] + shape);
        }
        const double expected = KernelMixture(manifold, others, 0).log_density_at(all.centres[out]);
        EXPECT_NEAR(density.log_density_at(all.centres[out], out), expected, 2e-6) << name;
        EXPECT_GT(density.log_density_at(all.centres[out]), expected + 0.01) << name;
        EXPECT_EQ(density.centre_at(all.centres[out], 1e-9), out);
      }
      EXPECT_FALSE(density.centre_at(draw(*default_base<double>(manifold), 99, 1)[0], 1e-9));
    }
  }
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelParameters one = kernels_on(sphere, 1, 0.2, 1, 1, 1);
  EXPECT_NEAR(KernelMixture(sphere, one).log_density_at(one.centres[0], 0), -std::log(4 * std::numbers::pi),
              1e-12);
}

TEST(KernelMixture, GradientIsThatOfDifferences) {
  for (const std::string& name : kKernelManifolds) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    const int D = manifold->ambient(), d = manifold->dimension();
    for (const double stretch : {1.0, 2.0}) {
      const KernelMixture density(manifold, kernels_on(manifold, 12, 0.4, 1.5, stretch, 11), 0);
      std::vector<Point> points = draw(*default_base<double>(manifold), 12, 4);
      const auto centre = density.parameters().centres[3];
      points.emplace_back(centre.begin(), centre.end());
      for (const Point& at : points) {
        const Point g = gradient_at(density, at);
        std::vector<Pack<double>> x = tile_of<double>(at), e(static_cast<std::size_t>(D * d)), v(x.size()),
                                  y(x.size());
        manifold->frame(x.data(), {e.data(), d});
        for (int a = 0; a < d; ++a) {
          double expected[2], along = 0;
          const double step = 1e-4;
          for (const int sign : {-1, 1}) {
            for (std::size_t c = 0; c < x.size(); ++c)
              v[c] = Pack<double>(sign * step) *
                     e[c * static_cast<std::size_t>(d) + static_cast<std::size_t>(a)];
            manifold->exp(x.data(), v.data(), y.data());
            Point moved;
            for (const Pack<double>& y_c : y) moved.push_back(y_c[0]);
            expected[(sign + 1) / 2] = log_density_at(density, moved);
          }
          for (std::size_t c = 0; c < x.size(); ++c)
            along += g[c] * e[c * static_cast<std::size_t>(d) + static_cast<std::size_t>(a)][0];
          const double slope = (expected[1] - expected[0]) / (2 * step);
          EXPECT_NEAR(along, slope, 2e-6 * (1 + std::abs(slope))) << name << " " << stretch;
        }
      }
    }
  }
}

TEST(KernelMixture, DrawsFollowTheDensity) {
  for (const std::string name :
       {"sphere:1", "sphere:2", "sphere:2,K=0.25", "torus:1", "torus:2", "ball:2", "euclidean:2"}) {
    const ManifoldPointer manifold = parse_manifold<double>(name);
    for (const double stretch : {1.0, 2.5}) {
      const KernelMixture density(manifold, kernels_on(manifold, 4, 0.35, 1.3, stretch, 15, 0.2));
      const std::vector<Point> points = draw(density, 16, 4000);
      std::vector<Pack<double>> x;
      // Two features that tell directions apart; their means under p by cubature.
      for (const int feature : {0, 1, 2}) {
        const auto f = [&](std::span<const double> p) {
          const double last = p.back();
          if (feature == 0) return std::sin(p[0] + 0.3);
          return feature == 1 ? std::cos(2 * last) : std::sin(p[0]) * std::cos(last + 1);
        };
        CubatureOptions options;
        options.absolute = options.relative = 1e-5;
        const Integral expected = integrate(
            [&](const Points<double>& at, std::span<double> values) {
              const std::vector<double> log_p = density.log_prob(at);
              for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(log_p[i]) * f(at[i]);
            },
            whole_manifold(*manifold, kReachDouble), manifold->ambient(), options);
        const Estimate drawn = estimate(points, [&](const Point& p) { return f(p); });
        EXPECT_LT(drawn.sigmas(expected.value), 4) << name << " " << stretch << " " << feature;
      }
      for (const Point& p : points) EXPECT_TRUE(manifold->contains(p)) << name;
    }
  }
}

TEST(KernelMixture, RefusesWhatCannotBeMeant) {
  const ManifoldPointer sphere = parse_manifold<double>("sphere:2");
  const KernelParameters good = kernels_on(sphere, 3, 0.2, 1, 2, 1);
  const auto refused = [&](const auto& change) {
    KernelParameters parameters = good;
    change(parameters);
    EXPECT_THROW(KernelMixture(sphere, parameters), Error);
  };
  refused([](KernelParameters& p) { p = KernelParameters{Points<double>(0, 3), {}, {}, {}, 0.1}; });
  refused([](KernelParameters& p) { p.bandwidths[1] = 0; });
  refused([](KernelParameters& p) { p.bandwidths[1] = NAN; });
  refused([](KernelParameters& p) { p.bandwidths.pop_back(); });
  refused([](KernelParameters& p) { p.weights[0] = -0.1; });
  refused([](KernelParameters& p) { p.weights[0] *= 0.5; });
  refused([](KernelParameters& p) { p.wide = 0; });
  refused([](KernelParameters& p) { p.wide = 1.5; });
  refused([](KernelParameters& p) { p.centres[1][0] = 3; });
  refused([](KernelParameters& p) { p.shapes.pop_back(); });
  refused([](KernelParameters& p) {
    for (double& s : p.shapes) s = -s;
  });
  refused([](KernelParameters& p) { p.shapes[4] = NAN; });
  EXPECT_THROW(KernelMixture(sphere, good).log_prob(Points<double>(2, 2)), Error);
}

}  // namespace
}  // namespace riemflow
