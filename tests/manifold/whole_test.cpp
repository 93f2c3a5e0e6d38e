// Known densities over whole manifolds, in the coordinates of manifold/whole.hpp, have mass 1.

#include "riemflow/manifold/whole.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/manifold/cubature.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

Integrand base_density(const Distribution<double>& p) {
  return [&p](const Points<double>& points, std::span<double> values) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension));
    for (std::size_t t = 0; t < points.tiles(); ++t) {
      points.load_tile(t, x.data());
      const Pack<double> log_p = p.log_density(x.data());
      for (int l = 0; l < points.lanes(t); ++l)
        values[t * kLanes + static_cast<std::size_t>(l)] = std::exp(log_p[l]);
    }
  };
}

void expect_mass_one(const Manifold<double>& manifold, const Distribution<double>& p,
                     std::size_t budget = 2'000'000) {
  CubatureOptions options;
  options.absolute = options.relative = 1e-7;
  options.evaluations = budget;
  const Integral mass =
      integrate(base_density(p), whole_manifold(manifold, kReachDouble), manifold.ambient(), options);
  EXPECT_NEAR(mass.value, 1, 1e-6) << manifold.name() << " " << p.name() << " " << mass.evaluations;
  EXPECT_LE(std::abs(mass.value - 1), mass.error + 1e-9) << manifold.name() << " " << p.name();
  EXPECT_EQ(mass.failures, 0u);
}

TEST(WholeManifold, BasesHaveMassOne) {
  for (const char* name : {"sphere:1",
                           "sphere:2",
                           "sphere:3",
                           "sphere:2,K=0.3",
                           "sphere:3,K=4",
                           "sphere:1,K=2",
                           "torus:1",
                           "torus:2",
                           "torus:3",
                           "euclidean:1",
                           "euclidean:2",
                           "euclidean:3",
                           "ball:1",
                           "ball:2",
                           "ball:3",
                           "ball:1,K=-0.2",
                           "ball:2,K=-3",
                           "ball:3,K=-0.5",
                           "ball:2,K=-0.001",
                           "sphere:2 x torus:1",
                           "ball:2 x torus:1",
                           "euclidean:1 x sphere:1",
                           "sphere:1 x ball:1,K=-2 x torus:1"}) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    expect_mass_one(*manifold, *default_base<double>(manifold));
  }
}

TEST(WholeManifold, Volumes) {
  for (const char* name : {"sphere:1,K=2", "sphere:2", "sphere:2,K=0.3", "sphere:3", "sphere:3,K=4",
                           "torus:3", "sphere:1 x torus:2"}) {
    const auto manifold = parse_manifold<double>(name);
    const Integrand one = [](const Points<double>&, std::span<double> values) {
      std::fill(values.begin(), values.end(), 1.0);
    };
    const Integral volume = integrate(one, whole_manifold(*manifold, kReachDouble), manifold->ambient());
    EXPECT_NEAR(std::log(volume.value), manifold->log_volume(), 1e-9) << name;
  }
}

TEST(WholeManifold, PointsAreOnTheManifold) {
  for (const char* name : {"sphere:3,K=4", "ball:3,K=-0.5", "torus:3", "ball:2 x sphere:1"}) {
    const auto manifold = parse_manifold<double>(name);
    for (const Patch& patch : whole_manifold(*manifold, kReachDouble)) {
      std::vector<double> x(static_cast<std::size_t>(manifold->ambient()));
      for (const double share : {0.01, 0.5, 0.99}) {
        double u[3];
        for (std::size_t a = 0; a < 3; ++a) u[a] = patch.low[a] + share * (patch.high[a] - patch.low[a]);
        EXPECT_GE((*patch.map)(u, x.data()), 0);
        EXPECT_TRUE(manifold->contains(x)) << name;
      }
    }
  }
}

// Off-centre peaks, up to half a degree wide, at no special place.
TEST(WholeManifold, SharpPeaks) {
  for (const double kappa : {1.0, 100.0, 1e4}) {
    for (int d = 1; d <= 2; ++d) {
      const auto manifold = parse_manifold<double>("sphere:" + std::to_string(d));
      for (int direction = 0; direction < 5; ++direction) {
        Eigen::VectorXd mean(d + 1);
        for (int i = 0; i <= d; ++i) mean[i] = std::sin(3.1 * direction + 1.7 * i + 0.3);
        expect_mass_one(*manifold, VonMisesFisher<double>(mean, kappa));
      }
    }
  }
  Eigen::VectorXd mean(2);
  mean << 0.5, -0.6;
  Eigen::MatrixXd covariance(2, 2);
  covariance << 0.05, 0.03, 0.03, 0.04;
  expect_mass_one(*parse_manifold<double>("ball:2"), WrappedNormal<double>(2, -1, mean, covariance));
}

TEST(WholeManifold, FourDimensionsAreTooMany) {
  EXPECT_FALSE(has_patches(*parse_manifold<double>("torus:4")));
  EXPECT_THROW(whole_manifold(*parse_manifold<double>("sphere:2 x torus:2"), kReachDouble), std::exception);
}

}  // namespace
}  // namespace riemflow
