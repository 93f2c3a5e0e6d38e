#include "riemflow/distribution/mixture_distribution.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/normal.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;

/// −∞ with no gradient, where x₁ > 0; elsewhere 1.
template <class T>
class Half final : public Distribution<T> {
 public:
  std::string name() const override { return "half"; }
  int ambient() const override { return 3; }
  Pack<T> log_density(const Pack<T>* x) const override {
    return select(Pack<T>(0) < x[0], Pack<T>(-std::numeric_limits<T>::infinity()), Pack<T>(0));
  }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    for (int i = 0; i < 3; ++i) gradient[i] = std::numeric_limits<T>::quiet_NaN();
    return log_density(x);
  }
  void sample(Random&, Pack<T>* x, int lane) const override { x[0][lane] = -2; }
};

template <class T>
std::shared_ptr<const Distribution<T>> vmf(double x, double y, double z, double kappa) {
  return std::make_shared<VonMisesFisher<T>>(Eigen::Vector3d(x, y, z), kappa);
}

template <class T>
class MixtureOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MixtureOf, Precisions);

TYPED_TEST(MixtureOf, IsTheWeightedSum) {
  using T = TypeParam;
  const auto a = vmf<T>(1, 0, 0, 4), b = vmf<T>(0, 0.6, 0.8, 9), c = vmf<T>(0, -1, 0, 1);
  const MixtureDistribution<T> p({{0.2, a}, {0.5, b}, {0.3, c}});
  const MixtureDistribution<T> scaled({{2, a}, {5, b}, {3, c}});
  const double eps = std::numeric_limits<T>::epsilon();
  for (const Point& x : {Point{1, 0, 0}, Point{0, 0.6, 0.8}, Point{-0.36, 0.48, -0.8}, Point{0, -1, 0}}) {
    const double la = std::exp(log_density_at(*a, x)), lb = std::exp(log_density_at(*b, x)),
                 lc = std::exp(log_density_at(*c, x)), sum = 0.2 * la + 0.5 * lb + 0.3 * lc;
    EXPECT_NEAR(log_density_at(p, x), std::log(sum), 8 * eps);
    EXPECT_NEAR(log_density_at(scaled, x), log_density_at(p, x), 4 * eps);
    const Point ga = gradient_at(*a, x), gb = gradient_at(*b, x), gc = gradient_at(*c, x),
                g = gradient_at(p, x);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(g[i], (0.2 * la * ga[i] + 0.5 * lb * gb[i] + 0.3 * lc * gc[i]) / sum, 100 * eps);
  }
}

TEST(Mixture, GradientByDifferences) {
  const auto at = [](double x, double y) {
    return std::make_shared<WrappedNormal<double>>(2, -1, Eigen::Vector2d(x, y),
                                                   0.3 * Eigen::MatrixXd::Identity(2, 2));
  };
  const MixtureDistribution<double> p({{0.25, at(0.4, 0)}, {0.75, at(-0.5, 0.5)}});
  for (const Point& x : {Point{0.1, 0.2}, Point{-0.8, 0.3}, Point{0, 0}}) {
    const Point g = gradient_at(p, x);
    for (std::size_t i = 0; i < 2; ++i) {
      Point up = x, down = x;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      EXPECT_NEAR(g[i], (log_density_at(p, up) - log_density_at(p, down)) / 2e-5,
                  1e-6 * (1 + std::abs(g[i])));
    }
  }
}

TYPED_TEST(MixtureOf, OneComponentIsItself) {
  using T = TypeParam;
  const auto a = vmf<T>(1, 0, 0, 4);
  const MixtureDistribution<T> p({{0.37, a}});
  EXPECT_EQ(log_density_at(p, {0.6, 0, 0.8}), log_density_at(*a, {0.6, 0, 0.8}));
  EXPECT_EQ(gradient_at(p, {0.6, 0, 0.8}), gradient_at(*a, {0.6, 0, 0.8}));
  EXPECT_EQ(p.components()[0].weight, 1);
}

TYPED_TEST(MixtureOf, NothingUnderflows) {
  // Between two peaks of κ = 1e5 both densities are e^{−1e5}.
  using T = TypeParam;
  const auto a = vmf<T>(1, 0, 0, 1e5), b = vmf<T>(-1, 0, 0, 1e5);
  const MixtureDistribution<T> p({{0.5, a}, {0.5, b}});
  EXPECT_NEAR(log_density_at(p, {0, 0, 1}), log_density_at(*a, {0, 0, 1}), 0.02);
  const double rounding = std::is_same_v<T, float> ? 1e-7 : 1e-15;
  EXPECT_NEAR(gradient_at(p, {0, 0, 1})[0], 0, 2e5 * rounding);  // of ±1e5 that cancel
  EXPECT_NEAR(log_density_at(p, {1, 0, 0}), log_density_at(*a, {1, 0, 0}) - std::log(2), 1e-5);
  EXPECT_EQ(gradient_at(p, {0.6, 0, 0.8}), gradient_at(*a, {0.6, 0, 0.8}));
}

TYPED_TEST(MixtureOf, NoMassNoShare) {
  using T = TypeParam;
  const auto half = std::make_shared<Half<T>>();
  const auto a = vmf<T>(1, 0, 0, 4);
  const MixtureDistribution<T> p({{0.5, half}, {0.5, a}}), nowhere({{0.5, half}, {0.5, half}});
  EXPECT_NEAR(log_density_at(p, {0.6, 0, 0.8}), log_density_at(*a, {0.6, 0, 0.8}) - std::log(2), 1e-6);
  EXPECT_EQ(gradient_at(p, {0.6, 0, 0.8}), gradient_at(*a, {0.6, 0, 0.8}));
  EXPECT_TRUE(std::isnan(gradient_at(p, {-0.6, 0, 0.8})[0]));
  EXPECT_EQ(log_density_at(nowhere, {0.6, 0, 0.8}), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(gradient_at(nowhere, {0.6, 0, 0.8})[0]));
  const auto unknown = tile_of<T>({std::nan(""), 0, 0});
  EXPECT_TRUE(std::isnan(p.log_density(unknown.data())[0]));
}

TEST(Mixture, SamplesInProportion) {
  const MixtureDistribution<double> p(
      {{0.2, vmf<double>(1, 0, 0, 500)}, {0.5, vmf<double>(0, 1, 0, 500)}, {0.3, vmf<double>(0, 0, 1, 500)}});
  const auto points = draw(p, 3, 20000);
  const double weights[] = {0.2, 0.5, 0.3};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT(estimate(points, [i](const Point& x) { return x[i] > 0.7 ? 1.0 : 0.0; }).sigmas(weights[i]), 4);
  EXPECT_FALSE(p.entropy());
}

TEST(Mixture, RejectsWhatIsNoMixture) {
  using Mixture = MixtureDistribution<double>;
  const auto a = vmf<double>(1, 0, 0, 4);
  EXPECT_THROW(Mixture({}), Error);
  EXPECT_THROW(Mixture({{1, nullptr}}), Error);
  EXPECT_THROW(Mixture({{0.5, a}, {0, a}}), Error);
  EXPECT_THROW(Mixture({{0.5, a}, {-0.5, a}}), Error);
  EXPECT_THROW(Mixture({{std::nan(""), a}}), Error);
  EXPECT_THROW(Mixture({{0.5, a}, {0.5, std::make_shared<StandardNormal<double>>(2)}}), Error);
  EXPECT_EQ(Mixture({{1, a}, {3, a}}).name(), "0.25*vmf:mu=1;0;0,kappa=4 + 0.75*vmf:mu=1;0;0,kappa=4");
}

}  // namespace
}  // namespace riemflow
