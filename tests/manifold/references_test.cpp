// Geodesics by the formulas that other libraries have (geomstats, geoopt), written down here once more with
// matrices, beside those of the spaces.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "riemflow/manifold/grassmann.hpp"
#include "riemflow/manifold/hyperboloid.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/poincare_ball.hpp"
#include "riemflow/manifold/rotation.hpp"
#include "riemflow/manifold/spd.hpp"
#include "riemflow/manifold/stiefel.hpp"
#include "tests/manifold/tile.hpp"

namespace riemflow::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// eᴬ by its series, of A/2ᵏ with ‖A‖/2ᵏ < 1/2, squared k times.
MatrixXd expm(const MatrixXd& A) {
  const int k = std::max(0, static_cast<int>(std::ceil(std::log2(2 * A.norm() + 1e-300))));
  const MatrixXd B = A / std::pow(2.0, k);
  MatrixXd sum = MatrixXd::Identity(A.rows(), A.cols()), term = sum;
  for (int n = 1; n < 25; ++n) {
    term = term * B / n;
    sum += term;
  }
  for (int i = 0; i < k; ++i) sum = (sum * sum).eval();
  return sum;
}
/// f of the eigenvalues of a symmetric matrix.
MatrixXd of_eigenvalues(const MatrixXd& S, const std::function<double(double)>& f) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(S);
  return eigen.eigenvectors() * eigen.eigenvalues().unaryExpr(f).asDiagonal() *
         eigen.eigenvectors().transpose();
}
MatrixXd root(const MatrixXd& S) {
  return of_eigenvalues(S, [](double l) { return std::sqrt(l); });
}

MatrixXd matrix_of(const Tile<double>& x, int l, int rows, int columns) {
  MatrixXd X(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) X(i, j) = x[static_cast<std::size_t>(i * columns + j)][l];
  return X;
}
MatrixXd symmetric_of(const Tile<double>& x, int l, int n) {
  MatrixXd S(n, n);
  std::size_t k = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) S(i, j) = S(j, i) = x[k++][l];
  return S;
}

/// Points at which formulas are compared, and a vector at the first.
struct Places {
  Places(const Manifold<double>& m, std::uint64_t seed, double reach, double vector) {
    Random random(seed, Purpose::test, 0, 0);
    x = random_point(m, random, reach);
    y = random_point(m, random, reach);
    v = random_tangent(m, random, x, vector);
    w = random_tangent(m, random, x, 1);
  }
  Tile<double> x, y, v, w;
};

// Pennec, Fillard and Ayache (2006), geomstats' SPDAffineMetric: exp_X V = R exp(R⁻¹VR⁻¹) R with R = √X,
// log_X Y = R log(R⁻¹YR⁻¹) R, the distance ‖log(R⁻¹YR⁻¹)‖, transport EVEᵀ with E = R √(R⁻¹YR⁻¹) R⁻¹.
TEST(References, PositiveDefiniteMatrices) {
  for (const int n : {2, 3, 5}) {
    const Spd<double> space(n);
    const Places at(space, 1, 2, 2);
    const Tile<double> end = exp(space, at.x, at.v), way = log(space, at.x, at.y),
                       carried = transport(space, at.x, at.y, at.v);
    const Pack<double> apart = distance(space, at.x, at.y), speed = inner(space, at.x, at.v, at.w);
    for (int l = 0; l < kLanes; ++l) {
      const MatrixXd X = symmetric_of(at.x, l, n), Y = symmetric_of(at.y, l, n), V = symmetric_of(at.v, l, n),
                     W = symmetric_of(at.w, l, n), R = root(X), I = R.inverse();
      const MatrixXd step = of_eigenvalues(I * V * I, [](double e) { return std::exp(e); });
      const MatrixXd turn = of_eigenvalues(I * Y * I, [](double e) { return std::log(e); });
      const MatrixXd E = R * root(I * Y * I) * I;
      EXPECT_LT((symmetric_of(end, l, n) - R * step * R).norm(), 1e-10 * (R * step * R).norm());
      EXPECT_LT((symmetric_of(way, l, n) - R * turn * R).norm(), 1e-10 * X.norm() * (1 + turn.norm()));
      EXPECT_NEAR(apart[l], turn.norm(), 1e-11 * (1 + turn.norm()));
      EXPECT_NEAR(speed[l], (X.inverse() * V * X.inverse() * W).trace(), 1e-10);
      EXPECT_LT((symmetric_of(carried, l, n) - E * V * E.transpose()).norm(),
                1e-9 * (E * V * E.transpose()).norm());
    }
  }
}

/// The matrix of a unit quaternion w x y z.
Eigen::Matrix3d turn_of(const Tile<double>& x, int l) {
  return Eigen::Quaterniond(x[0][l], x[1][l], x[2][l], x[3][l]).toRotationMatrix();
}

// geomstats' SpecialOrthogonal(3): the distance is the angle of AᵀB, arccos((tr AᵀB − 1)/2), and geodesics
// are A exp(t[ω]×), of length |ω|.
TEST(References, Rotations) {
  const Rotation<double> space("1");
  const Places at(space, 2, 1, 2);
  const Tile<double> end = exp(space, at.x, at.v),
                     half = exp(space, at.x, plus(make_tile<double>(4), Pack<double>(0.5), at.v));
  const Pack<double> apart = distance(space, at.x, at.y), size = norm(space, at.x, at.v);
  for (int l = 0; l < kLanes; ++l) {
    const Eigen::Matrix3d A = turn_of(at.x, l), B = turn_of(at.y, l);
    EXPECT_NEAR(apart[l], std::acos(std::clamp(((A.transpose() * B).trace() - 1) / 2, -1.0, 1.0)), 1e-7);
    const Eigen::AngleAxisd whole(Eigen::Matrix3d(A.transpose() * turn_of(end, l)));
    EXPECT_NEAR(whole.angle(), size[l], 1e-11);
    const Eigen::Vector3d omega = whole.angle() * whole.axis();
    Eigen::Matrix3d cross;
    cross << 0, -omega[2], omega[1], omega[2], 0, -omega[0], -omega[1], omega[0], 0;
    EXPECT_LT((turn_of(end, l) - A * expm(cross)).norm(), 1e-12);
    EXPECT_LT((turn_of(half, l) - A * expm(cross / 2)).norm(), 1e-12);
  }
}

// geoopt's Stereographic of curvature K = −c: x ⊕ y = ((1 + 2c⟨x, y⟩ + c|y|²)x + (1 − c|x|²)y)/(1 + 2c⟨x, y⟩
// + c²|x|²|y|²), the distance 2/√c artanh(√c|−x ⊕ y|), exp_x v = x ⊕ tanh(√c λ|v|/2) v/(√c|v|).
TEST(References, PoincareBall) {
  for (const double c : {0.25, 1.0, 3.0})
    for (const int d : {2, 5}) {
      const PoincareBall<double> space(d, -c);
      const Places at(space, 3, 2 / std::sqrt(c), 2 / std::sqrt(c));
      const auto add = [c](const VectorXd& x, const VectorXd& y) -> VectorXd {
        const double xy = x.dot(y), xx = x.squaredNorm(), yy = y.squaredNorm();
        return ((1 + 2 * c * xy + c * yy) * x + (1 - c * xx) * y) / (1 + 2 * c * xy + c * c * xx * yy);
      };
      const Tile<double> end = exp(space, at.x, at.v);
      const Pack<double> apart = distance(space, at.x, at.y);
      for (int l = 0; l < kLanes; ++l) {
        const VectorXd x = matrix_of(at.x, l, d, 1), y = matrix_of(at.y, l, d, 1),
                       v = matrix_of(at.v, l, d, 1);
        const double lambda = 2 / (1 - c * x.squaredNorm()), s = std::sqrt(c) * v.norm();
        EXPECT_NEAR(apart[l], 2 / std::sqrt(c) * std::atanh(std::sqrt(c) * add(-x, y).norm()), 1e-11);
        EXPECT_LT((matrix_of(end, l, d, 1) - add(x, std::tanh(lambda * s / 2) / s * v)).norm(), 1e-12);
      }
    }
}

// Of curvature −1, as both have it: cosh of the distance is −⟨x, y⟩ = x₀y₀ − x₁y₁ − …, exp_x v = cosh|v| x +
// sinh|v|/|v| v.
TEST(References, Hyperboloid) {
  const Hyperboloid<double> space(3);
  const Places at(space, 4, 2, 2);
  const auto product = [](const VectorXd& a, const VectorXd& b) { return a.dot(b) - 2 * a[0] * b[0]; };
  const Tile<double> end = exp(space, at.x, at.v);
  const Pack<double> apart = distance(space, at.x, at.y);
  for (int l = 0; l < kLanes; ++l) {
    const VectorXd x = matrix_of(at.x, l, 4, 1), y = matrix_of(at.y, l, 4, 1), v = matrix_of(at.v, l, 4, 1);
    const double size = std::sqrt(product(v, v));
    const VectorXd expected = std::cosh(size) * x + std::sinh(size) / size * v;
    EXPECT_NEAR(std::cosh(apart[l]), -product(x, y), 1e-11 * -product(x, y));
    EXPECT_LT((matrix_of(end, l, 4, 1) - expected).norm(), 1e-11 * expected.norm());
  }
}

// Edelman, Arias and Smith (1998), 2.2.2, for the metric tr(UᵀV), geomstats' StiefelEuclideanMetric:
// (X V) exp((A, −VᵀV; I, A)) (I; 0) exp(−A), with A = XᵀV.
TEST(References, Stiefel) {
  constexpr int kSizes[][2] = {{3, 2}, {5, 3}, {6, 2}};
  for (const auto& [n, p] : kSizes) {
    const Stiefel<double> space(n, p);
    const Places at(space, 5, 1, 2);
    const Tile<double> end = exp(space, at.x, at.v);
    const Pack<double> size = inner(space, at.x, at.v, at.w);
    for (int l = 0; l < kLanes; ++l) {
      const MatrixXd X = matrix_of(at.x, l, n, p), V = matrix_of(at.v, l, n, p), A = X.transpose() * V;
      MatrixXd both(n, 2 * p), block(2 * p, 2 * p);
      both << X, V;
      block << A, -V.transpose() * V, MatrixXd::Identity(p, p), A;
      const MatrixXd expected = both * expm(block).leftCols(p) * expm(-A);
      EXPECT_LT((matrix_of(end, l, n, p) - expected).norm(), 1e-11);
      EXPECT_NEAR(size[l], (V.transpose() * matrix_of(at.w, l, n, p)).trace(), 1e-12);
    }
  }
}

// Bendokat, Zimmermann and Absil (2020), geomstats' Grassmannian: exp_P V = exp([V, P]) P exp(−[V, P]); the
// distance is the root of the sum of squares of the principal angles, whose cosines are the singular values
// of X₁ᵀX₂.
TEST(References, Grassmann) {
  constexpr int kSizes[][2] = {{3, 1}, {4, 2}, {6, 3}};
  for (const auto& [n, p] : kSizes) {
    const Grassmann<double> space(n, p);
    const Places at(space, 6, 1, 1);
    const Tile<double> end = exp(space, at.x, at.v);
    const Pack<double> apart = distance(space, at.x, at.y);
    for (int l = 0; l < kLanes; ++l) {
      const MatrixXd P = matrix_of(at.x, l, n, n), Q = matrix_of(at.y, l, n, n), V = matrix_of(at.v, l, n, n);
      const MatrixXd turn = expm(V * P - P * V);
      EXPECT_LT((matrix_of(end, l, n, n) - turn * P * turn.transpose()).norm(), 1e-11);
      const auto basis = [p = p](const MatrixXd& S) -> MatrixXd {
        return Eigen::SelfAdjointEigenSolver<MatrixXd>(S).eigenvectors().rightCols(p);
      };
      const VectorXd cosines = Eigen::JacobiSVD<MatrixXd>(basis(P).transpose() * basis(Q)).singularValues();
      EXPECT_NEAR(apart[l], cosines.unaryExpr([](double c) { return std::acos(std::min(c, 1.0)); }).norm(),
                  1e-7);
    }
  }
}

}  // namespace
}  // namespace riemflow::test
