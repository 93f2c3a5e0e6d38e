#include "riemflow/distribution/matrix_fisher.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "riemflow/core/rotation.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "tests/distribution/closed_forms.hpp"

namespace riemflow {
namespace {

using namespace density_test;
using std::numbers::pi;

Eigen::Matrix3d rotation_matrix_of(const Point& q) {
  const auto m = rotation::matrix_of<double>({q[0], q[1], q[2], q[3]});
  return Eigen::Matrix3d{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
}

Eigen::Matrix3d any_rotation(std::uint64_t seed) {
  Eigen::Matrix3d m = random_frame(3, seed);
  return m.determinant() < 0 ? Eigen::Matrix3d(-m) : m;
}

/// U diag(s) Vᵀ
Eigen::Matrix3d parameter_of(std::uint64_t seed, const Eigen::Vector3d& s) {
  return any_rotation(seed) * s.asDiagonal() * any_rotation(seed + 100).transpose();
}

/// log ∫ exp(tr FᵀR) over the volume 8π², F = U diag(s) Vᵀ, over R = Rz(α) Ry(β) Rz(γ) of diag(s) alone: the
/// trapezoidal rule in α + γ and α − γ, Gauss-Legendre's place taken by the midpoint rule in cos β with
/// Richardson's extrapolation.
double brute_log_normaliser(const Eigen::Vector3d& s) {
  const double most = s.sum();
  const auto sum = [&](int n) {
    double total = 0;
    const int m = 48;
    for (int i = 0; i < n; ++i) {
      const double z = -1 + 2 * (i + 0.5) / n;
      for (int a = 0; a < m; ++a)
        for (int g = 0; g < m; ++g) {
          const double alpha = 2 * pi * a / m, gamma = 2 * pi * g / m;
          const double cc = std::cos(alpha) * std::cos(gamma), ss = std::sin(alpha) * std::sin(gamma);
          // R11 = cos α cos β cos γ − sin α sin γ, R22 = cos α cos γ − sin α cos β sin γ, R33 = cos β
          total += std::exp(s[0] * (cc * z - ss) + s[1] * (cc - ss * z) + s[2] * z - most);
        }
    }
    return total * 2 / n * std::pow(2 * pi / m, 2);
  };
  const double coarse = sum(100), fine = sum(200), finest = sum(400);
  const double once = (4 * fine - coarse) / 3, twice = (4 * finest - fine) / 3;
  return most + std::log((16 * twice - once) / 15);
}

TEST(MatrixFisher, NormaliserAgainstEulerAngles) {
  for (const Eigen::Vector3d& s :
       {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(1, 1, 1), Eigen::Vector3d(3, 3, -1),
        Eigen::Vector3d(6, 2, 0.5), Eigen::Vector3d(5, 0, 0), Eigen::Vector3d(4, 3, -3)}) {
    const double brute = brute_log_normaliser(s);
    for (const std::uint64_t seed : {1u, 2u}) {
      const Eigen::Matrix3d F = parameter_of(seed, s);
      const MatrixFisher p(F);
      const Point q = {0.5, -0.1, 0.7, std::sqrt(1 - 0.75)};
      const double log_density = (F.transpose() * rotation_matrix_of(q)).trace() - brute;
      EXPECT_NEAR(log_density_at(p, q), log_density, 3e-8) << s.transpose();
    }
  }
}

TEST(MatrixFisher, WithoutPreferenceIsUniformOnRotations) {
  const MatrixFisher p(Eigen::Matrix3d::Zero());
  const Uniform<double> uniform(parse_manifold<double>("rotation:3"));
  EXPECT_NEAR(log_density_at(p, {1, 0, 0, 0}), -std::log(8 * pi * pi), 1e-14);
  EXPECT_NEAR(log_density_at(p, {0, 0.6, 0, 0.8}), log_density_at(uniform, {0, 0.6, 0, 0.8}), 1e-14);
  EXPECT_NEAR(*p.entropy(), std::log(8 * pi * pi), 1e-14);
}

TEST(MatrixFisher, AboutARotationHasTheDensityOfTheAngle) {
  // F = κ R₀: p depends on the angle ω from R₀ alone, tr = κ(1 + 2 cos ω), and the sphere of rotations at ω
  // has the area 4π (2 sin(ω/2))², so that ∫_0^π p dω has mass 1 and E tr is a ratio of integrals.
  for (const double kappa : {1e-3, 0.7, 20.0, 1e4, 1e6}) {
    const Eigen::Matrix3d R0 = any_rotation(4);
    const MatrixFisher p(kappa * R0);
    const double end = std::min(pi, 12 / std::sqrt(2 * kappa));
    double mass = 0, mean_drop = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
      const double angle = end * (i + 0.5) / n;
      const Eigen::Matrix3d R =
          R0 * Eigen::AngleAxisd(angle, Eigen::Vector3d(1, 2, 2) / 3).toRotationMatrix();
      const auto q = rotation::from_matrix(
          {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1), R(2, 2)});
      const double part = std::exp(log_density_at(p, {q[0], q[1], q[2], q[3]})) * 16 * pi *
                          std::pow(std::sin(angle / 2), 2) * end / n;
      mass += part;
      mean_drop += part * 4 * std::pow(std::sin(angle / 2), 2);  // 3 − tr
    }
    EXPECT_NEAR(mass, 1, 2e-8) << kappa;
    EXPECT_NEAR(3 - (R0.transpose() * p.mean_matrix()).trace(), mean_drop, 3e-8 * mean_drop + 1e-14) << kappa;
    EXPECT_NEAR(
        std::abs(
            rotation_matrix_of({p.mode()[0], p.mode()[1], p.mode()[2], p.mode()[3]}).cwiseProduct(R0).sum()),
        3, 1e-12);
  }
}

TEST(MatrixFisher, ValueIsTheTraceAndItsSlope) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const double scale : {0.1, 3.0, 1e3}) {
      const Eigen::Matrix3d F = scale * normal_vector(9, seed).reshaped(3, 3);
      const MatrixFisher p(F);
      const Eigen::VectorXd a = normal_vector(4, seed + 1).normalized(),
                            b = normal_vector(4, seed + 2).normalized();
      const Point x(a.begin(), a.end()), y(b.begin(), b.end());
      EXPECT_NEAR(log_density_at(p, x) - log_density_at(p, y),
                  (F.transpose() * (rotation_matrix_of(x) - rotation_matrix_of(y))).trace(),
                  1e-12 * (10 + 10 * scale));
      expect_gradient(p, x, 1e-5, 1e-8);
    }
}

TEST(MatrixFisher, DrawsAreRotationsWithTheMeanMatrixAndTheEntropy) {
  const auto space = parse_manifold<double>("rotation:3");
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const Eigen::Vector3d& s : {Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(2, 1, -0.5),
                                     Eigen::Vector3d(40, 3, 1), Eigen::Vector3d(1e5, 1e5, 1e2)}) {
      const MatrixFisher p(parameter_of(seed, s));
      const auto points = draw(p, seed, 4000);
      for (const Point& q : points) {
        ASSERT_TRUE(space->contains(q));
        ASSERT_GE(q[0], 0);
      }
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          EXPECT_LT(estimate(points, [&](const Point& q) { return rotation_matrix_of(q)(i, j); })
                        .sigmas(p.mean_matrix()(i, j), 1e-12),
                    4.5)
              << s.transpose();
      expect_entropy_of_draws(p, seed + 5, 3000);
    }
}

TEST(MatrixFisher, FloatAgreesWithDouble) {
  const auto p = std::make_shared<const MatrixFisher>(parameter_of(3, {1e5, 2e4, 10}));
  expect_float_agrees(p, draw(*p, 1, 20));
}

TEST(FitMatrixFisher, MeanMatrixIsThatOfTheDataAndParametersComeBack) {
  for (const std::uint64_t seed : {1u, 2u, 3u})
    for (const Eigen::Vector3d& s :
         {Eigen::Vector3d(1, 0.5, -0.2), Eigen::Vector3d(30, 10, 4), Eigen::Vector3d(1e5, 5e4, 1e3)}) {
      const MatrixFisher truth(parameter_of(seed, s));
      auto drawn = draw(truth, seed, 8000);
      for (std::size_t i = 0; i < drawn.size(); i += 2)
        for (double& c : drawn[i]) c = -c;  // the other quaternion of the same rotation
      const Points<double> points = points_of(drawn);
      const Weights weights = random_weights(points.size(), seed);
      const MatrixFisher fitted = fit_matrix_fisher(points, weights);
      Eigen::Matrix3d mean = Eigen::Matrix3d::Zero();
      for (std::size_t i = 0; i < drawn.size(); ++i)
        mean += weights[i] / total_weight(weights, drawn.size()) * rotation_matrix_of(drawn[i]);
      EXPECT_LT((fitted.mean_matrix() - mean).norm(), 1e-12);
      EXPECT_LT((fitted.quaternions().gaps() - truth.quaternions().gaps())
                    .cwiseQuotient((truth.quaternions().gaps().array() + 1).matrix())
                    .cwiseAbs()
                    .maxCoeff(),
                0.12)
          << s.transpose();
      const double best = mean_log_likelihood(fitted, points, weights);
      EXPECT_NEAR(best, -*fitted.entropy(), 1e-8);
      EXPECT_GT(best, mean_log_likelihood(truth, points, weights));
      for (const std::uint64_t other : {21u, 22u}) {
        const Eigen::Matrix3d bump =
            0.02 * (1 + fitted.matrix().norm()) * normal_vector(9, other).reshaped(3, 3);
        EXPECT_GT(best, mean_log_likelihood(MatrixFisher(fitted.matrix() + bump), points, weights));
      }
    }
}

TEST(FitMatrixFisher, RefusesWhatHasNoMaximum) {
  EXPECT_THROW(fit_matrix_fisher(points_of({{1, 0, 0, 0}, {1, 0, 0, 0}})), Error);
  EXPECT_THROW(fit_matrix_fisher(points_of({{1, 0, 0}})), Error);
  EXPECT_THROW(fit_matrix_fisher(Points<double>()), Error);
  EXPECT_THROW(MatrixFisher(NAN * Eigen::Matrix3d::Identity()), Error);
}

}  // namespace
}  // namespace riemflow
