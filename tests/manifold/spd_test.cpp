#include "riemflow/manifold/spd.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
#include "tile.hpp"

namespace riemflow::test {
namespace {

std::vector<double> triangle_of(const Eigen::MatrixXd& S) {
  std::vector<double> numbers;
  for (int i = 0; i < S.rows(); ++i)
    for (int j = i; j < S.rows(); ++j) numbers.push_back(S(i, j));
  return numbers;
}
Tile<double> tile_of(const Eigen::MatrixXd& S) { return broadcast<double>(triangle_of(S)); }
Eigen::MatrixXd identity(int n) { return Eigen::MatrixXd::Identity(n, n); }

// On the line of multiples of the identity the metric is n (dt/t)², so that exp_I(2I) = e² I, the logarithm
// of I at 2I is −2 ln 2 · I, and aI and bI are √n |ln a/b| apart.
TEST(Spd, MultiplesOfTheIdentity) {
  for (const int n : {1, 2, 3, 8}) {
    const Spd<double> space(n);
    const Tile<double> I = tile_of(identity(n)), twice = tile_of(2 * identity(n));
    const Tile<double> far = tile_of(std::exp(2) * identity(n)),
                       minus = tile_of(-2 * std::log(2) * identity(n));
    const Tile<double> reached = exp(space, I, twice), back = log(space, twice, I);
    for (std::size_t i = 0; i < I.size(); ++i) {
      EXPECT_NEAR(reached[i][0], far[i][0], 1e-14);
      EXPECT_NEAR(back[i][0], minus[i][0], 1e-15);
    }
    EXPECT_NEAR(distance(space, tile_of(0.3 * identity(n)), tile_of(7e5 * identity(n)))[0],
                std::sqrt(n) * std::log(7e5 / 0.3), 1e-12);
  }
}

// Of diagonal matrices: the logarithms are flat coordinates.
TEST(Spd, DiagonalMatricesAreFlat) {
  const Spd<double> space(3);
  const Eigen::Vector3d a(1e-3, 4, 5e4), b(2, 3e-5, 7);
  EXPECT_NEAR(distance(space, tile_of(a.asDiagonal()), tile_of(b.asDiagonal()))[0],
              (a.array().log() - b.array().log()).matrix().norm(), 1e-12);
}

TEST(Spd, IsInvariantUnderCongruence) {
  for (const int n : {2, 3, 5}) {
    const Spd<double> space(n);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Random random(seed, Purpose::test, static_cast<std::uint64_t>(n), 0);
      Eigen::MatrixXd A(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) A(i, j) = random.normal() + (i == j ? 3 : 0);
      const auto full = [&](const Tile<double>& x) {
        Eigen::MatrixXd S(n, n);
        std::size_t k = 0;
        for (int i = 0; i < n; ++i)
          for (int j = i; j < n; ++j) S(i, j) = S(j, i) = x[k++][0];
        return S;
      };
      const auto moved = [&](const Tile<double>& x) { return tile_of(A * full(x) * A.transpose()); };
      const Tile<double> x = random_point(space, random, 2), y = random_point(space, random, 2);
      const Tile<double> u = random_tangent(space, random, x, 1), v = random_tangent(space, random, x, 1);
      EXPECT_NEAR(distance(space, moved(x), moved(y))[0], distance(space, x, y)[0], 1e-11);
      EXPECT_NEAR(inner(space, moved(x), moved(u), moved(v))[0], inner(space, x, u, v)[0], 1e-11);
      const Tile<double> after = exp(space, moved(x), moved(v)), before = moved(exp(space, x, v));
      EXPECT_NEAR(distance(space, after, before)[0], 0, 1e-9);
    }
  }
}

/// J of the eigenvalues of X, as it stands in books.
double stretch_of(const Eigen::VectorXd& values) {
  long double sum = 0;
  for (int i = 0; i < values.size(); ++i)
    for (int j = 0; j < i; ++j) {
      const long double half = std::abs(static_cast<long double>(values[i]) - values[j]) / 2;
      if (half > 0) sum += std::log(std::sinh(half) / half);
    }
  return static_cast<double>(sum);
}

// From equal eigenvalues to some that are 500 apart; of two, the gradient along the difference is ½ coth(δ/2)
// − 1/δ.
TEST(Spd, StretchAtAnyDistanceOfEigenvalues) {
  const Spd<double> space(2);
  for (const double delta : {0.0, 1e-12, 1e-5, 0.1, 0.2499, 0.2501, 1.0, 30.0, 500.0}) {
    // Turned by 0.3, and of trace 2.
    const Eigen::Matrix2d R = Eigen::Rotation2Dd(0.3).toRotationMatrix();
    const Eigen::Vector2d values(1 + delta / 2, 1 - delta / 2);
    const Eigen::Matrix2d X = R * values.asDiagonal() * R.transpose();
    const double x[] = {X(0, 0), X(0, 1) * std::numbers::sqrt2, X(1, 1)};
    double bar[3] = {0, 0, 0};
    const double found = space.covering()->log_stretch(x, bar);
    EXPECT_NEAR(found, stretch_of(values), 1e-14 + 1e-13 * stretch_of(values)) << delta;
    const long double half = static_cast<long double>(delta) / 2;
    const auto slope =
        delta == 0 ? 0 : static_cast<double>(std::cosh(half) / std::sinh(half) / 2 - 1 / (2 * half));
    // dδ of X: ⟨R diag(1, −1) Rᵀ, dX⟩
    const Eigen::Matrix2d G = slope * R * Eigen::Vector2d(1, -1).asDiagonal() * R.transpose();
    const double tolerance = delta < 1e-4 ? 1e-9 : 1e-12;  // that of δ itself in X, and of the book's formula
    EXPECT_NEAR(bar[0], G(0, 0), tolerance) << delta;
    EXPECT_NEAR(bar[1], G(0, 1) * std::numbers::sqrt2, tolerance) << delta;
    EXPECT_NEAR(bar[2], G(1, 1), tolerance) << delta;
  }
}

TEST(Spd, LiftIsTheLogarithm) {
  const Spd<double> space(2);
  // The logarithm of R diag(e³, e⁻¹) Rᵀ.
  const Eigen::Matrix2d R = Eigen::Rotation2Dd(1.1).toRotationMatrix();
  const Eigen::Matrix2d S = R * Eigen::Vector2d(std::exp(3), std::exp(-1)).asDiagonal() * R.transpose();
  const Eigen::Matrix2d X = R * Eigen::Vector2d(3, -1).asDiagonal() * R.transpose();
  double x[3];
  space.covering()->lift(triangle_of(S).data(), 0, x);
  EXPECT_NEAR(x[0], X(0, 0), 1e-13);
  EXPECT_NEAR(x[1], X(0, 1) * std::numbers::sqrt2, 1e-13);
  EXPECT_NEAR(x[2], X(1, 1), 1e-13);
}

TEST(Spd, SaysWhatIsWrong) {
  const Spd<double> space(2);
  EXPECT_EQ(space.defect(std::vector<double>{2, 1, 2}), std::nullopt);
  EXPECT_EQ(*space.defect(std::vector<double>{1, 2, 1}),
            "the matrix is not positive definite: its smallest eigenvalue is -1");
  EXPECT_NE(space.defect(std::vector<double>{1, 1, 1}).value_or("").find("matrix is"), std::string::npos);
  EXPECT_NE(space.defect(std::vector<double>{1e18, 1e9 - 1e-6, 1.0}), std::nullopt);
  EXPECT_EQ(space.defect(std::vector<double>{1e18, 0, 1e10}), std::nullopt);
  EXPECT_THROW(Spd<double>(9), Error);

  const std::vector<Notation> notations = space.notations();
  ASSERT_EQ(notations.size(), 2u);
  EXPECT_EQ(notations[0].columns, (std::vector<std::string>{"s11", "s12", "s22"}));
  EXPECT_EQ(notations[1].columns, (std::vector<std::string>{"s11", "s12", "s21", "s22"}));
  double point[3], numbers[4];
  const double whole[] = {2, 0.5, 0.5 + 1e-9, 3}, skew[] = {2, 0.5, 0.6, 3}, negative[] = {-1, 0, 0, -2};
  EXPECT_EQ(notations[1].read(whole, point), std::nullopt);
  notations[1].write(point, numbers);
  EXPECT_EQ(numbers[1], numbers[2]);
  EXPECT_NEAR(numbers[1], 0.5, 1e-9);
  EXPECT_EQ(*notations[1].read(skew, point), "the matrix is not symmetric: s12 is 0.5, but s21 is 0.6");
  EXPECT_EQ(*notations[1].read(negative, point),
            "the matrix is not positive definite: its smallest eigenvalue is -2");
}

TEST(Spd, ProjectionPullsInside) {
  const Spd<double> space(2);
  for (const std::vector<double>& off :
       {std::vector<double>{1, 3, 1}, {0, 0, 0}, {-4, 1, -2}, {1e-300, 0, 5}}) {
    const Tile<double> p = project(space, broadcast<double>(off));
    EXPECT_EQ(space.defect(lane(p, 0)), std::nullopt);
    EXPECT_EQ(lane(project(space, p), 0), lane(p, 0));
  }
}

}  // namespace
}  // namespace riemflow::test
