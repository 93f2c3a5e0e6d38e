#include "riemflow/fit/riemannian_adam.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <cmath>
#include <vector>

#include "riemflow/core/random.hpp"

namespace riemflow {
namespace {

using Eigen::VectorXd;

TEST(RiemannianAdam, FirstStepsByHand) {
  // On the circle at angle a, gradient G along the tangent (−sin a, cos a): Adam on the angle, with both
  // parts of the tangent in one second moment. A part along the point changes nothing.
  RiemannianAdam<double> optimiser(1, 2, AdamConfig{});
  Adam<double> flat(1, AdamConfig{});
  std::vector<double> x = {1, 0}, a = {0};
  Random random(1, Purpose::test, 0, 0);
  for (int i = 0; i < 50; ++i) {
    const double G = random.normal() + 0.5, radial = random.normal();
    const std::vector<double> g = {-std::sin(a[0]) * G + radial * std::cos(a[0]),
                                   std::cos(a[0]) * G + radial * std::sin(a[0])};
    optimiser.step(x, g, 0.1);
    flat.step(a, std::vector<double>{G}, 0.1);
    ASSERT_NEAR(x[0], std::cos(a[0]), 1e-12) << i;
    ASSERT_NEAR(x[1], std::sin(a[0]), 1e-12) << i;
  }
}

TEST(RiemannianAdam, SecondMomentIsOneAFactorAndRotationsCommute) {
  // Q a rotation: steps from Qx with Qg are Q of the steps from x with g. One second moment a coordinate
  // would not be so.
  const int D = 4;
  Random random(2, Purpose::test, 0, 0);
  Eigen::MatrixXd M(D, D);
  for (double& z : M.reshaped()) z = random.normal();
  const Eigen::MatrixXd Q = M.householderQr().householderQ();
  std::vector<double> x(2 * D), y(2 * D), g(2 * D), h(2 * D);
  const auto rotate = [&](const std::vector<double>& from, std::vector<double>& to) {
    for (int f = 0; f < 2; ++f)
      Eigen::Map<VectorXd>(to.data() + f * D, D) = Q * Eigen::Map<const VectorXd>(from.data() + f * D, D);
  };
  for (double& z : x) z = random.normal();
  for (int f = 0; f < 2; ++f) Eigen::Map<VectorXd>(x.data() + f * D, D).normalize();
  rotate(x, y);
  RiemannianAdam<double> one(2, D, AdamConfig{}), other(2, D, AdamConfig{});
  for (int i = 0; i < 30; ++i) {
    for (double& z : g) z = random.normal();
    rotate(g, h);
    one.step(x, g, 0.2);
    other.step(y, h, 0.2);
    std::vector<double> image(2 * D);
    rotate(x, image);
    for (std::size_t j = 0; j < y.size(); ++j) ASSERT_NEAR(y[j], image[j], 1e-11) << i;
    for (std::size_t f = 0; f < 2; ++f) {
      const Eigen::Map<VectorXd> p(x.data() + f * D, D);
      const Eigen::Map<const VectorXd> m(one.state().mean.data() + f * D, D);
      ASSERT_NEAR(p.norm(), 1, 1e-15);
      ASSERT_NEAR(p.dot(m), 0, 1e-15);
    }
  }
}

TEST(RiemannianAdam, MomentumKeepsItsLengthAndPlane) {
  // Without a new gradient m shrinks by β₁ a step, whatever the turn, and x goes along one great circle.
  RiemannianAdam<double> optimiser(1, 3, AdamConfig{});
  std::vector<double> x = {0, 0, 1}, g = {3, 4, 0}, none(3);
  optimiser.step(x, g, 1);
  double length = 0.1 * 5;
  for (int i = 0; i < 10; ++i) {
    optimiser.step(x, none, 1);
    length *= 0.9;
    const std::vector<double>& m = optimiser.state().mean;
    EXPECT_NEAR(std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]), length, 1e-14);
    EXPECT_NEAR(4 * x[0] - 3 * x[1], 0, 1e-14);
  }
  EXPECT_NEAR(optimiser.state().square[0], 0.001 * 25 * std::pow(0.999, 10), 1e-14);
}

TEST(RiemannianAdam, MeanDirectionAndRayleighQuotient) {
  const int D = 5;
  Random random(3, Purpose::test, 0, 0);
  VectorXd sum = VectorXd::Zero(D);
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(D, D);
  for (int i = 0; i < 100; ++i) {
    VectorXd z(D);
    for (int c = 0; c < D; ++c) z[c] = random.normal() * (1 + c);
    S += z * z.transpose() / 100;
    sum += (z + VectorXd::Constant(D, 1)).normalized();
  }
  // Two factors: one maximises ⟨μ, Σx⟩, the other xᵀSx.
  std::vector<double> x(2 * D), g(2 * D);
  for (double& z : x) z = random.normal();
  Eigen::Map<VectorXd> mu(x.data(), D), v(x.data() + D, D);
  mu.normalize();
  v.normalize();
  RiemannianAdam<double> optimiser(2, D, AdamConfig{});
  for (int i = 0; i < 4000; ++i) {
    Eigen::Map<VectorXd>(g.data(), D) = -sum;
    Eigen::Map<VectorXd>(g.data() + D, D) = -2 * S * v;
    optimiser.step(x, g, 0.05 * (1 - i / 4000.0));
  }
  EXPECT_LT((mu - sum.normalized()).norm(), 1e-7);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S);
  EXPECT_NEAR(std::abs(v.dot(eigen.eigenvectors().col(D - 1))), 1, 1e-12);
}

}  // namespace
}  // namespace riemflow
