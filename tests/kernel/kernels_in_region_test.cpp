#include "riemflow/kernel/kernels_in_region.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/manifold/earth.hpp"
#include "riemflow/manifold/earth_polygon.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

constexpr double kHalfWay = std::numbers::pi * kEarthRadiusKm;

MixtureParameters one_at(double latitude, double longitude, double kappa) {
  MixtureParameters mixture{Points<double>(1, 3), {1}, {kappa}};
  unit_vector<double>(latitude, longitude, mixture.means[0]);
  return mixture;
}

/// A kernel with its long axis, `ratio` times the other, at an angle to the meridian.
KernelParameters kernel_at(double latitude, double longitude, double h, double ratio) {
  KernelParameters kernels{Points<double>(1, 3), {1}, {h}, {}, 0.01};
  unit_vector<double>(latitude, longitude, kernels.centres[0]);
  if (ratio == 1) return kernels;
  double north[3], east[3];
  unit_vector<double>(latitude + 90, longitude, std::span<double>(north));
  unit_vector<double>(0, longitude + 90, std::span<double>(east));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double a[2] = {0.6 * north[i] + 0.8 * east[i], 0.8 * north[i] - 0.6 * east[i]};
      const double b[2] = {0.6 * north[j] + 0.8 * east[j], 0.8 * north[j] - 0.6 * east[j]};
      kernels.shapes.push_back(ratio * a[0] * b[0] + a[1] * b[1] / ratio);
    }
  return kernels;
}

/// The probability by cubature over the region's patches.
double by_cubature(const KernelParameters& kernels, const EarthRegion& region) {
  const KernelMixture density(parse_manifold<double>("sphere:2"), kernels, 1e-12);
  const Integral integral = integrate(
      [&](const Points<double>& points, std::span<double> values) {
        for (std::size_t i = 0; i < values.size(); ++i)
          values[i] = std::exp(density.log_density_at(points[i]));
      },
      region.patches, 3, {1e-8, 0, 2'000'000});
  EXPECT_TRUE(integral.converged) << region.name;
  return integral.value;
}

TEST(KernelsInRegion, ACapAboutTheMeanIsClosed) {
  for (const double kappa : {0.0, 1e-3, 1.0, 30.0, 1e4, 1e8})
    for (const double r : {1e-3, 0.1, 1.0, 2.5}) {
      const double drop = 2 * std::pow(std::sin(r / 2), 2);
      const double truth = kappa == 0 ? drop / 2 : std::expm1(-kappa * drop) / std::expm1(-2 * kappa);
      const Integral found =
          mixture_in_region(one_at(-20, 77, kappa), earth_circle(-20, 77, r * kEarthRadiusKm));
      EXPECT_NEAR(found.value, truth, 1e-8) << kappa << " " << r;
      EXPECT_LT(found.error, 2e-7);
    }
}

// Data and borders both like round degrees: centres on the border, at corners, and with the antipode on it.
TEST(KernelsInRegion, HalfAndQuarterWhereTheCentreIsOnTheBorder) {
  for (const double kappa : {1.0, 100.0, 1e6}) {
    const double half = mixture_in_region(one_at(0, 30, kappa), earth_box(-180, 0, 180, 90)).value;
    EXPECT_NEAR(half, 0.5, 4e-7) << kappa;
    EXPECT_NEAR(mixture_in_region(one_at(10, 90, kappa), earth_circle(0, 0, kHalfWay / 2)).value, 0.5, 4e-7);
    // The meridian of the centre and its antimeridian.
    EXPECT_NEAR(mixture_in_region(one_at(35, 140, kappa), earth_box(-40, -90, 140, 90)).value, 0.5, 4e-7)
        << kappa;
    EXPECT_NEAR(mixture_in_region(one_at(0, 30, kappa), earth_box(30, 0, 30 + 180, 90)).value, 0.25, 4e-7)
        << kappa;
  }
  EXPECT_NEAR(mixture_in_region(one_at(90, 0, 50), earth_box(10, -90, 100, 90)).value, 0.25, 4e-7);
  // 64 m wide: the rounding of the place on a border of thousands of km is 1e-5 of that.
  EXPECT_NEAR(mixture_in_region(one_at(0, 30, 1e10), earth_box(-180, 0, 180, 90)).value, 0.5, 1e-4);
  EXPECT_NEAR(mixture_in_region(one_at(0, 30, 1e10), earth_box(30, 0, 30 + 180, 90)).value, 0.25, 1e-4);
  EXPECT_NEAR(kernels_in_region(kernel_at(0, 30, 0.05, 3), earth_box(-180, 0, 180, 90)).value, 0.5, 4e-7);
}

TEST(KernelsInRegion, AsCubatureFindsIt) {
  const std::vector<EarthRegion> regions{
      earth_circle(40, 20, 900), earth_circle(41, 22, 12000), earth_box(18, 35, 25, 41),
      earth_box(100, -60, 22, 42), earth_polygons({{{{10, 35}, {25, 38}, {22, 50}, {15, 39}}}}, "polygon")};
  for (const double h : {0.03, 0.2, 1.0})
    for (const double ratio : {1.0, 4.0}) {
      const KernelParameters kernels = kernel_at(38, 23, h, ratio);
      for (const EarthRegion& region : regions) {
        const Integral found = kernels_in_region(kernels, region);
        EXPECT_NEAR(found.value, by_cubature(kernels, region), 2e-7)
            << h << " " << ratio << " " << region.name;
        EXPECT_LT(found.error, 1e-6);
      }
    }
}

TEST(KernelsInRegion, SeveralAreWeighed) {
  const EarthRegion region = earth_circle(40, 20, 900);
  MixtureParameters mixture{Points<double>(2, 3), {0.2, 0.8}, {50, 400}};
  unit_vector<double>(38, 23, mixture.means[0]);
  unit_vector<double>(52, 45, mixture.means[1]);
  const double one = mixture_in_region(one_at(38, 23, 50), region).value,
               other = mixture_in_region(one_at(52, 45, 400), region).value;
  EXPECT_GT(one - other, 0.1);
  EXPECT_NEAR(mixture_in_region(mixture, region).value, 0.2 * one + 0.8 * other, 1e-12);
  // The same as kernels of h = κ^{−1/2}, beside a tenth of the uniform density.
  const KernelParameters kernels{mixture.means, mixture.weights, {1 / std::sqrt(50), 0.05}, {}, 0.1};
  EXPECT_NEAR(kernels_in_region(kernels, region).value,
              0.9 * (0.2 * one + 0.8 * other) + 0.1 * region.steradians / (4 * std::numbers::pi), 1e-9);
}

TEST(KernelsInRegion, ComplementsAddUpToOne) {
  for (const double ratio : {1.0, 9.0}) {
    const KernelParameters kernels = kernel_at(-61.3, 178.8, 0.02, ratio);
    EXPECT_NEAR(kernels_in_region(kernels, earth_box(-180, -90, 180, 90)).value, 1, 1e-7);
    EXPECT_NEAR(kernels_in_region(kernels, earth_circle(0, 0, kHalfWay)).value, 1, 1e-7);
    const double circle = kernels_in_region(kernels, earth_circle(-60, 179, 150)).value;
    EXPECT_GT(circle, 0.1);
    EXPECT_LT(circle, 0.9);
    EXPECT_NEAR(circle + kernels_in_region(kernels, earth_circle(60, -1, kHalfWay - 150)).value, 1, 1e-7);
    const double west = kernels_in_region(kernels, earth_box(170, -62, 179, -50)).value,
                 east = kernels_in_region(kernels, earth_box(179, -62, 170, -50)).value,
                 band = kernels_in_region(kernels, earth_box(-180, -62, 180, -50)).value;
    EXPECT_NEAR(west + east, band, 1e-7);
  }
}

// A few points of the border for a kernel near it, none for others.
TEST(KernelsInRegion, FarKernelsCostNothing) {
  const EarthRegion region = earth_circle(40, 20, 900);
  EXPECT_EQ(kernels_in_region(kernel_at(-40, 20, 0.02, 3), region).evaluations, 0u);
  EXPECT_EQ(kernels_in_region(kernel_at(40, 20, 0.01, 1), region).evaluations, 0u);
  EXPECT_GT(kernels_in_region(kernel_at(40, 28, 0.02, 3), region).evaluations, 0u);
  EXPECT_LT(kernels_in_region(kernel_at(40, 28, 0.02, 3), region).evaluations, 3000u);
}

}  // namespace
}  // namespace riemflow
