// Volumes, volume densities and uniform points of the sphere.

#include <gtest/gtest.h>

#include <boost/math/quadrature/gauss.hpp>
#include <numbers>

#include "riemflow/manifold/sphere.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

using std::numbers::pi;

TEST(SphereVolume, KnownVolumes) {
  EXPECT_NEAR(std::exp(Sphere<double>(1).log_volume()), 2 * pi, 1e-13);
  EXPECT_NEAR(std::exp(Sphere<double>(2).log_volume()), 4 * pi, 1e-13);
  EXPECT_NEAR(std::exp(Sphere<double>(3).log_volume()), 2 * pi * pi, 1e-13);
  EXPECT_NEAR(std::exp(Sphere<double>(2, 4).log_volume()), pi, 1e-13);
  EXPECT_NEAR(std::exp(Sphere<double>(3, 0.25).log_volume()), 16 * pi * pi, 1e-11);
}

/// x(φ) = R(cos φ₁, sin φ₁ cos φ₂, …, sin φ₁⋯sin φ_d)
Tile<double> from_angles(const std::vector<double>& angles, double R) {
  std::vector<double> x;
  double tail = R;
  for (double a : angles) {
    x.push_back(tail * std::cos(a));
    tail *= std::sin(a);
  }
  x.push_back(tail);
  return broadcast<double>(x);
}

// ∫ √|G| dφ over φ_1..φ_{d−1} in [0, π], φ_d in [−π, π] is the volume.
TEST(SphereVolume, DensityIntegratesToIt) {
  using boost::math::quadrature::gauss;
  for (double K : {1.0, 0.3}) {
    const double R = 1 / std::sqrt(K);
    const auto integral = [&](int d) {
      const Sphere<double> m(d, K);
      std::vector<double> angles(static_cast<std::size_t>(d));
      const auto over = [&](auto self, int i) -> double {
        if (i == d) return std::exp(m.log_volume_density(from_angles(angles, R).data())[0]);
        const auto f = [&](double a) {
          angles[static_cast<std::size_t>(i)] = a;
          return self(self, i + 1);
        };
        return gauss<double, 15>::integrate(f, i == d - 1 ? -pi : 0, pi);
      };
      return over(over, 0);
    };
    for (int d : {1, 2, 3}) {
      const double volume = std::exp(Sphere<double>(d, K).log_volume());
      EXPECT_NEAR(integral(d) / volume, 1, 1e-12) << d << ' ' << K;
    }
  }
}

// log √|G| = −(d/2) log K + Σ (d − i) log sin φ_i
TEST(SphereVolume, DensityInTheAngles) {
  Random random(3, Purpose::test, 0, 0);
  for (int d : {1, 2, 5, 8, 16})
    for (int n = 0; n < 50; ++n) {
      const double K = std::exp(random.normal());
      std::vector<double> angles;
      double expected = -0.5 * d * std::log(K);
      for (int i = 1; i <= d; ++i) {
        angles.push_back(pi * random.uniform());
        expected += (d - i) * std::log(std::sin(angles.back()));
      }
      const Sphere<double> m(d, K);
      EXPECT_NEAR(m.log_volume_density(from_angles(angles, 1 / std::sqrt(K)).data())[0], expected,
                  1e-13 * (d + std::abs(expected)));
    }
}

template <class T>
class UniformSphere : public testing::Test {};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(UniformSphere, Numbers);

// Mean 0, E x_i x_j = δ_ij R²/D, E x_i⁴ = 3R⁴/D(D + 2), within 4 standard errors.
TYPED_TEST(UniformSphere, Moments) {
  using T = TypeParam;
  const int tiles = 2000;
  const double n = tiles * kLanes;
  for (int d : {1, 2, 3, 8}) {
    const Sphere<T> m(d, 0.25);
    const int D = d + 1;
    const double R = 2;
    Random random(11, Purpose::test, static_cast<std::uint64_t>(d), 0);
    std::vector<double> mean(static_cast<std::size_t>(D)), second(static_cast<std::size_t>(D * D)),
        fourth(mean);
    for (int t = 0; t < tiles; ++t) {
      const Tile<T> x = random_point(m, random, 1);
      for (std::size_t i = 0; i < x.size(); ++i) {
        mean[i] += lane_sum(x[i]) / n;
        fourth[i] += lane_sum(x[i] * x[i] * x[i] * x[i]) / n;
        for (std::size_t j = 0; j < x.size(); ++j) second[i * x.size() + j] += lane_sum(x[i] * x[j]) / n;
      }
    }
    for (int i = 0; i < D; ++i) {
      EXPECT_NEAR(mean[static_cast<std::size_t>(i)], 0, 4 * R / std::sqrt(D * n));
      const double kurtosis = 3 * std::pow(R, 4) / (D * (D + 2.0));
      const double eighth = 105 * std::pow(R, 8) / (D * (D + 2.0) * (D + 4.0) * (D + 6.0));
      EXPECT_NEAR(fourth[static_cast<std::size_t>(i)], kurtosis,
                  4 * std::sqrt((eighth - kurtosis * kurtosis) / n));
      for (int j = 0; j < D; ++j) {
        const double expected = i == j ? R * R / D : 0;
        const double square = (i == j ? 3 : 1) * std::pow(R, 4) / (D * (D + 2.0));
        EXPECT_NEAR(second[static_cast<std::size_t>(i * D + j)], expected,
                    4 * std::sqrt((square - expected * expected) / n));
      }
    }
  }
}

}  // namespace
}  // namespace riemflow::test
