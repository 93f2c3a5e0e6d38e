#include "riemflow/manifold/rotation_notations.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "riemflow/core/rotation.hpp"

namespace riemflow {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

std::vector<rotation::Quaternion<double>> hard_rotations() {
  std::vector<rotation::Quaternion<double>> result = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (int i = 0; i < 200; ++i) {
    result.push_back(rotation::from_bunge({0.7 * i, std::acos(1 - 2 * i / 199.0), 1.9 * i}));
    result.push_back(rotation::from_bunge({0.7 * i, i % 2 == 0 ? 0 : kHalfTurn, 0.3}));
    result.push_back(
        rotation::from_yaw_pitch_roll({0.7 * i, i % 2 == 0 ? kHalfTurn / 2 : -kHalfTurn / 2, 1}));
    const auto axis = rotation::rotated(result[static_cast<std::size_t>(i)], {0, 0, 1});
    result.push_back(rotation::from_axis(axis, kHalfTurn));
    result.push_back(rotation::from_axis(axis, 1e-9));
  }
  return result;
}

const Notation& notation(std::size_t i) {
  static const std::vector<Notation> all = rotation_notations();
  return all[i];
}
std::optional<std::string> refusal(std::size_t i, const std::vector<double>& numbers) {
  std::array<double, 4> point{};
  return notation(i).read(numbers.data(), point.data());
}
rotation::Quaternion<double> read(std::size_t i, const std::vector<double>& numbers) {
  rotation::Quaternion<double> point{};
  EXPECT_EQ(notation(i).read(numbers.data(), point.data()), std::nullopt);
  return point;
}

TEST(RotationNotations, TheirColumns) {
  const auto all = rotation_notations();
  ASSERT_EQ(all.size(), 6u);
  const std::array<std::size_t, 6> sizes = {4, 3, 9, 3, 3, 3};
  const std::array<bool, 6> angular = {false, true, false, false, true, true};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(all[i].columns.size(), sizes[i]);
    EXPECT_EQ(all[i].angular, angular[i]);
  }
  EXPECT_EQ(all[0].columns[0], "w");
  EXPECT_EQ(all[1].columns[1], "phi");
}

TEST(RotationNotations, RoundTrips) {
  for (const auto& q : hard_rotations())
    for (std::size_t i = 0; i < 6; ++i) {
      std::array<double, 9> numbers{};
      rotation::Quaternion<double> back{};
      notation(i).write(q.data(), numbers.data());
      ASSERT_EQ(notation(i).read(numbers.data(), back.data()), std::nullopt) << notation(i).name;
      EXPECT_LT(rotation::angle(rotation::product(rotation::inverse(q), back)), 4e-15) << notation(i).name;
      EXPECT_EQ(rotation::canonical(back), back) << notation(i).name;
      EXPECT_NEAR(rotation::norm(back), 1, 1e-15) << notation(i).name;
    }
}

TEST(RotationNotations, AllSayTheSame) {
  const auto q = rotation::from_axis({0, 0, 1}, kHalfTurn / 2);
  for (const auto& other : {read(0, {-0.7071068, 0, 0, -0.7071068}), read(1, {0.2, 0, kHalfTurn / 2 - 0.2}),
                            read(2, {0, -1, 0, 1, 0, 0, 0, 0, 1}), read(3, {0, 0, kHalfTurn / 2}),
                            read(4, {kHalfTurn / 2, 0, 0}), read(5, {kHalfTurn / 2, 0, 0})})
    EXPECT_LT(rotation::angle(rotation::product(rotation::inverse(q), other)), 1e-6);
}

TEST(RotationNotations, QuaternionsOfOtherLengths) {
  const auto q = read(0, {-0.6006, 0, 0.8008, 0});  // rounded, of either sign
  EXPECT_NEAR(q[0], 0.6, 1e-15);
  EXPECT_NEAR(q[2], -0.8, 1e-15);
  EXPECT_EQ(refusal(0, {0, 0, 0, 0}), "all four numbers are 0, which is no rotation");
  EXPECT_EQ(refusal(0, {1, 1, 0, 0}), "norm 1.41421 where 1 is expected, to 0.001");
  EXPECT_EQ(refusal(0, {1, 0, 0, INFINITY}), "inf is not a finite number");
}

TEST(RotationNotations, Matrices) {
  // Rounded to three decimals.
  EXPECT_LT(
      rotation::angle(rotation::product(rotation::inverse(rotation::from_axis({1, 0, 0}, kHalfTurn / 4)),
                                        read(2, {1, 0, 0, 0, 0.707, -0.707, 0, 0.707, 0.707}))),
      1e-12);
  EXPECT_EQ(refusal(2, {1, 0, 0, 0, 1, 0, 0, 0, -1}), "the determinant is −1: a reflection, not a rotation");
  EXPECT_EQ(
      refusal(2, {1, 0.01, 0, 0, 1, 0, 0, 0, 1}),
      "the columns are not of length 1 at right angles: an entry of MᵀM errs by 0.01, more than rounding "
      "to 0.001 explains");
  EXPECT_TRUE(refusal(2, std::vector<double>(9)).has_value());
  EXPECT_TRUE(refusal(2, {1, 0, 0, 0, NAN, 0, 0, 0, 1}).has_value());
}

TEST(RotationNotations, AnglesMustBeFinite) {
  for (const std::size_t i : {1u, 3u, 4u, 5u}) {
    EXPECT_EQ(refusal(i, {0, NAN, 0}), "nan is not a finite number");
    EXPECT_EQ(refusal(i, {100, -7, 20}), std::nullopt);
  }
}

}  // namespace
}  // namespace riemflow
