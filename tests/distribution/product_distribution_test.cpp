#include "riemflow/distribution/product_distribution.hpp"

#include <gtest/gtest.h>

#include "riemflow/core/error.hpp"
#include "riemflow/distribution/normal.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "tests/distribution/support.hpp"

namespace riemflow {
namespace {

using namespace density_test;

/// A density whose entropy nobody knows.
template <class T>
class Nameless final : public Distribution<T> {
 public:
  std::string name() const override { return "nameless"; }
  int ambient() const override { return 1; }
  Pack<T> log_density(const Pack<T>* x) const override { return x[0]; }
  Pack<T> log_density_gradient(const Pack<T>* x, Pack<T>* gradient) const override {
    gradient[0] = 1;
    return x[0];
  }
  void sample(Random&, Pack<T>* x, int lane) const override { x[0][lane] = 0; }
};

template <class T>
struct Parts {
  std::shared_ptr<const Distribution<T>> sphere =
      std::make_shared<VonMisesFisher<T>>(Eigen::Vector3d(1, 2, -2), 5.0);
  std::shared_ptr<const Distribution<T>> plane = std::make_shared<StandardNormal<T>>(2);
  std::shared_ptr<const Distribution<T>> ball = std::make_shared<WrappedNormal<T>>(
      1, -0.5, Eigen::VectorXd::Constant(1, 0.7), Eigen::MatrixXd::Identity(1, 1));
  ProductDistribution<T> product{{sphere, plane, ball}};
};

template <class T>
class ProductDistributionOf : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ProductDistributionOf, Precisions);

TYPED_TEST(ProductDistributionOf, AddsLogDensitiesAndConcatenatesGradients) {
  using T = TypeParam;
  const Parts<T> parts;
  ASSERT_EQ(parts.product.ambient(), 6);
  const Point u = {0.6, 0, 0.8}, y = {1.5, -0.25}, z = {-0.3};
  const Point x = {0.6, 0, 0.8, 1.5, -0.25, -0.3};
  const double sum =
      log_density_at(*parts.sphere, u) + log_density_at(*parts.plane, y) + log_density_at(*parts.ball, z);
  EXPECT_NEAR(log_density_at(parts.product, x), sum, 4 * std::numeric_limits<T>::epsilon() * std::abs(sum));

  Point joined;
  for (const Point& part :
       {gradient_at(*parts.sphere, u), gradient_at(*parts.plane, y), gradient_at(*parts.ball, z)})
    joined.insert(joined.end(), part.begin(), part.end());
  EXPECT_EQ(gradient_at(parts.product, x), joined);
}

TYPED_TEST(ProductDistributionOf, FactorsAreIndependentAndInOrder) {
  using T = TypeParam;
  const Parts<T> parts;
  EXPECT_EQ(parts.product.name(), parts.sphere->name() + " x normal:2 x " + parts.ball->name());
  EXPECT_DOUBLE_EQ(*parts.product.entropy(),
                   *parts.sphere->entropy() + *parts.plane->entropy() + *parts.ball->entropy());
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto points = draw(parts.product, seed, 4000);
    const auto mean = [&](const auto& f) { return estimate(points, f); };
    EXPECT_LT(mean([&](const Point& x) {
                return -log_density_at(parts.product, x);
              }).sigmas(*parts.product.entropy()),
              4);
    EXPECT_LT(mean([](const Point& x) { return x[0] * x[0] + x[1] * x[1] + x[2] * x[2]; }).sigmas(1, 1e-6),
              4);
    EXPECT_LT(mean([](const Point& x) { return x[3] * x[4]; }).sigmas(0), 4);
    const double m0 = mean([](const Point& x) { return x[0]; }).mean;
    EXPECT_LT(mean([m0](const Point& x) { return (x[0] - m0) * x[3]; }).sigmas(0), 4);
    EXPECT_LT(mean([m0](const Point& x) { return (x[0] - m0) * x[5]; }).sigmas(0), 4);
  }
}

TEST(ProductDistribution, EntropyIsUnknownIfAPartIs) {
  const ProductDistribution<double> p(
      {std::make_shared<StandardNormal<double>>(1), std::make_shared<Nameless<double>>()});
  EXPECT_FALSE(p.entropy());
}

TEST(ProductDistribution, RejectsNothing) {
  EXPECT_THROW(ProductDistribution<double>({}), Error);
  EXPECT_THROW(ProductDistribution<double>({nullptr}), Error);
}

}  // namespace
}  // namespace riemflow
