// Rotations in all their forms, against textbook matrices, also where one of the forms is singular.

#include "riemflow/core/rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "riemflow/core/pack.hpp"

namespace riemflow::rotation {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

using Q = Quaternion<double>;
using V = Vector<double>;
using M = Matrix<double>;

M times(const M& a, const M& b) {
  M c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}
V times(const M& a, const V& v) {
  V w{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) w[i] += a[3 * i + k] * v[k];
  return w;
}
M transposed(const M& a) { return {a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}; }
template <std::size_t n>
double difference(const std::array<double, n>& a, const std::array<double, n>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}
/// The angle of the rotation between them.
double apart(const Q& p, const Q& q) { return angle(product(inverse(p), q)); }

// Turns of vectors, from the definition.
M turn_x(double a) { return {1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a)}; }
M turn_y(double a) { return {std::cos(a), 0, std::sin(a), 0, 1, 0, -std::sin(a), 0, std::cos(a)}; }
M turn_z(double a) { return {std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0, 0, 0, 1}; }

/// Random ones, and those near and at the places where Euler angles or axes are not unique.
std::vector<Q> cases() {
  std::vector<Q> result = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 300; ++i) {
    const Q q = unit({normal(random), normal(random), normal(random), normal(random)});
    result.push_back(q);
    const V axis = rotated(q, {0, 0, 1});
    for (const double angle : {1e-300, 1e-20, 1e-12, 1e-8, 1e-4, kPi - 1e-4, kPi - 1e-8, kPi - 1e-15, kPi})
      result.push_back(from_axis(axis, angle));
    const double a = 6 * normal(random), b = 6 * normal(random);
    for (const double second : {0.0, 1e-17, 1e-15, 1e-10, 1e-5, kPi / 2, kPi - 1e-10, kPi - 1e-15, kPi}) {
      result.push_back(from_bunge({a, second, b}));
      result.push_back(from_yaw_pitch_roll({a, second - kPi / 2, b}));
    }
  }
  return result;
}

TEST(Rotation, IsItsMatrix) {
  for (const Q& q : cases()) {
    const M m = matrix_of(q);
    EXPECT_LT(distortion(m), 1e-14);
    EXPECT_NEAR(determinant(m), 1, 1e-14);
    for (const V& v : {V{1, 0, 0}, V{0, 1, 0}, V{0.3, -2, 0.7}})
      EXPECT_LT(difference(rotated(q, v), times(m, v)), 1e-14);
    const Q p = from_bunge({1, 2, 3});
    EXPECT_LT(difference(matrix_of(product(p, q)), times(matrix_of(p), m)), 1e-14);
    EXPECT_LT(difference(matrix_of(inverse(q)), transposed(m)), 1e-15);
  }
  EXPECT_LT(difference(matrix_of(from_axis({1, 0, 0}, 0.7)), turn_x(0.7)), 1e-15);
  EXPECT_LT(difference(matrix_of(from_axis({0, 1, 0}, 0.7)), turn_y(0.7)), 1e-15);
  EXPECT_LT(difference(matrix_of(from_axis({0, 0, 1}, 0.7)), turn_z(0.7)), 1e-15);
}

TEST(Rotation, AnglesAreThoseOfTextbookMatrices) {
  const double a = 0.4, b = 1.1, c = 2.5;
  // Bunge's g is of turns of the axes: the transposed ones of vectors.
  const M g = times(times(transposed(turn_z(c)), transposed(turn_x(b))), transposed(turn_z(a)));
  EXPECT_LT(difference(matrix_of(from_bunge({a, b, c})), transposed(g)), 1e-15);
  EXPECT_NEAR(g[2], std::sin(c) * std::sin(b), 1e-15);  // Bunge (1982), equation 2.50
  EXPECT_NEAR(g[6], std::sin(a) * std::sin(b), 1e-15);
  EXPECT_NEAR(g[7], -std::cos(a) * std::sin(b), 1e-15);
  EXPECT_LT(difference(matrix_of(from_matthies({a, b, c})), times(times(turn_z(a), turn_y(b)), turn_z(c))),
            1e-15);
  EXPECT_LT(
      difference(matrix_of(from_yaw_pitch_roll({a, b, c})), times(times(turn_z(a), turn_y(b)), turn_x(c))),
      1e-15);
  EXPECT_LT(apart(from_bunge({a + kPi / 2, b, c - kPi / 2}), from_matthies({a, b, c})), 1e-15);
}

TEST(Rotation, ComesBackFromEveryForm) {
  for (const Q& q : cases()) {
    EXPECT_LT(apart(q, from_matrix(matrix_of(q))), 1e-15);
    const V r = vector_of(q);
    EXPECT_LE(std::hypot(r[0], r[1], r[2]), kPi * (1 + 1e-15));
    EXPECT_LT(apart(q, from_vector(r)), 2e-15);
    const EulerAngles bunge = bunge_of(q), matthies = matthies_of(q);
    for (const EulerAngles& e : {bunge, matthies})
      EXPECT_TRUE(e.first >= 0 && e.first < 2 * kPi && e.third >= 0 && e.third < 2 * kPi && e.second >= 0 &&
                  e.second <= kPi);
    EXPECT_LT(apart(q, from_bunge(bunge)), 4e-15);
    EXPECT_LT(apart(q, from_matthies(matthies)), 4e-15);
    const YawPitchRoll a = yaw_pitch_roll_of(q);
    EXPECT_TRUE(std::abs(a.pitch) <= kPi / 2 && a.yaw >= -kPi && a.yaw < kPi && a.roll >= -kPi &&
                a.roll < kPi);
    EXPECT_LT(apart(q, from_yaw_pitch_roll(a)), 4e-15);
  }
}

TEST(Rotation, AnglesComeBackToo) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> share;
  for (int i = 0; i < 1000; ++i) {
    const double a = 2 * kPi * share(random), b = 0.01 + 3.12 * share(random), c = 2 * kPi * share(random);
    const EulerAngles bunge = bunge_of(from_bunge({a, b, c})),
                      matthies = matthies_of(from_matthies({a, b, c}));
    for (const EulerAngles& e : {bunge, matthies}) {
      EXPECT_NEAR(e.first, a, 1e-12);
      EXPECT_NEAR(e.second, b, 1e-14);
      EXPECT_NEAR(e.third, c, 1e-12);
    }
    const YawPitchRoll back = yaw_pitch_roll_of(from_yaw_pitch_roll({a - kPi, b - kPi / 2, c - kPi}));
    EXPECT_NEAR(back.yaw, a - kPi, 1e-12);
    EXPECT_NEAR(back.pitch, b - kPi / 2, 1e-14);
    EXPECT_NEAR(back.roll, c - kPi, 1e-12);
  }
  EXPECT_NEAR(yaw_pitch_roll_of(from_yaw_pitch_roll({-1e-9, 0, 0})).yaw, -1e-9, 1e-24);
}

// At gimbal lock one angle is 0 and the other the sum or the difference.
TEST(Rotation, GimbalLockHasOneAnswer) {
  EulerAngles e = bunge_of(from_bunge({0.5, 0, 0.25}));
  EXPECT_NEAR(e.first, 0.75, 1e-15);
  EXPECT_EQ(e.third, 0);
  e = bunge_of(from_bunge({0.5, kPi, 0.25}));
  EXPECT_NEAR(e.first, 0.25, 1e-15);
  EXPECT_EQ(e.second, kPi);
  EXPECT_EQ(e.third, 0);
  const YawPitchRoll a = yaw_pitch_roll_of(from_yaw_pitch_roll({0.5, kPi / 2, 0.25}));
  EXPECT_NEAR(a.yaw, 0.25, 1e-15);
  EXPECT_NEAR(a.pitch, kPi / 2, 1e-15);
  EXPECT_EQ(a.roll, 0);
  EXPECT_EQ(bunge_of({1, 0, 0, 0}).first, 0);
}

TEST(Rotation, AxesAndAnglesKeepTheirDigits) {
  for (const double angle : {1e-300, 1e-9, 0.1, 3.0, kPi - 1e-9}) {
    const V r = vector_of(from_vector({0.6 * angle, 0, -0.8 * angle}));
    EXPECT_NEAR(r[0], 0.6 * angle, 1e-15 * angle);
    EXPECT_NEAR(r[2], -0.8 * angle, 1e-15 * angle);
    EXPECT_NEAR(riemflow::rotation::angle(from_vector(r)), angle, 1e-15 * angle);
  }
  // Beyond half a turn it is shorter to go the other way.
  EXPECT_LT(difference(vector_of(from_vector({0, 1.5 * kPi, 0})), V{0, -0.5 * kPi, 0}), 1e-15);
  EXPECT_EQ(vector_of({1, 0, 0, 0}), (V{0, 0, 0}));
  EXPECT_EQ(vector_of({-1, 0, 0, 0}), (V{0, 0, 0}));
}

TEST(Rotation, NearestToAMatrixThatIsOff) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> strain(-1e-3, 1e-3);
  for (int i = 0; i < 100; ++i) {
    const M exact = matrix_of(from_bunge({0.1 * i, 0.03 * i, 0.2 * i}));
    // R (1 + E) with symmetric E has R as its polar factor.
    const double xy = strain(random), xz = strain(random), yz = strain(random);
    const M e = {1 + strain(random), xy, xz, xy, 1 + strain(random), yz, xz, yz, 1 + strain(random)};
    EXPECT_LT(difference(nearest(times(exact, e)), exact), 2e-15);
  }
  EXPECT_LT(difference(nearest({2, 0, 0, 0, 2, 0, 0, 0, 2}), M{1, 0, 0, 0, 1, 0, 0, 0, 1}), 1e-15);
}

TEST(Rotation, OneSignOfEachPair) {
  EXPECT_EQ(canonical({-0.6, 0, 0.8, 0}), (Q{0.6, 0, -0.8, 0}));
  EXPECT_EQ(canonical({0, 0, -1, 0}), (Q{0, 0, 1, 0}));
  EXPECT_FALSE(std::signbit(canonical({0, -1, 0, 0})[2]));
}

// What others consider the names of orientations of rolled sheet, as {plane} <direction>: the normal of the
// plane lies along the sample's z, the direction along its x.
TEST(Rotation, BungeAnglesOfNamedOrientations) {
  const auto expect = [](EulerAngles e, V plane, V direction) {
    const Q R = from_bunge({e.first * kDegree, e.second * kDegree, e.third * kDegree});
    for (V* v : {&plane, &direction}) {
      const double length = std::hypot((*v)[0], (*v)[1], (*v)[2]);
      for (double& c : *v) c /= length;
    }
    EXPECT_LT(difference(rotated(R, plane), V{0, 0, 1}), 1e-14);
    EXPECT_LT(difference(rotated(R, direction), V{1, 0, 0}), 1e-14);
  };
  const double a = std::acos(std::sqrt(2.0 / 3)) / kDegree;  // 35.26°
  expect({0, 0, 0}, {0, 0, 1}, {1, 0, 0});                   // cube
  expect({0, 45, 0}, {0, 1, 1}, {1, 0, 0});                  // Goss {110}<001>
  expect({90, a, 45}, {1, 1, 2}, {-1, -1, 1});               // copper {112}<111>
  expect({a, 45, 0}, {0, 1, 1}, {2, -1, 1});                 // brass {110}<112>
  expect({45, 0, 0}, {0, 0, 1}, {1, -1, 0});                 // rotated cube
}

TEST(Rotation, ManyAtATime) {
  const Q p = from_bunge({1, 2, 3}), q = from_bunge({0.2, 0.3, 0.4});
  Quaternion<Pack<double>> many, others;
  for (std::size_t i = 0; i < 4; ++i) {
    many[i] = Pack<double>(p[i]);
    others[i] = Pack<double>(q[i]);
  }
  const auto products = product(many, inverse(others));
  const auto turned = rotated(many, {Pack<double>(1), Pack<double>(2), Pack<double>(3)});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(products[i][5], product(p, inverse(q))[i]);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(turned[i][5], rotated(p, {1, 2, 3})[i]);
}

}  // namespace
}  // namespace riemflow::rotation
