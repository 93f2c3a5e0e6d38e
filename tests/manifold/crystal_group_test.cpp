#include "riemflow/manifold/crystal_group.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "riemflow/core/error.hpp"

namespace riemflow {
namespace {

using rotation::Quaternion;

bool has(const CrystalGroup& group, const Quaternion<double>& q) {
  for (const auto& s : group.elements) {
    const double cosine = s[0] * q[0] + s[1] * q[1] + s[2] * q[2] + s[3] * q[3];
    if (std::abs(std::abs(cosine) - 1) < 1e-14) return true;
  }
  return false;
}
bool turns(const CrystalGroup& group, const rotation::Vector<double>& axis, int order) {
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  return has(group, rotation::from_axis({axis[0] / length, axis[1] / length, axis[2] / length},
                                        2 * std::numbers::pi / order));
}

TEST(CrystalGroup, Orders) {
  const std::map<std::string, std::size_t> orders = {{"1", 1},    {"2", 2},   {"222", 4}, {"3", 3},
                                                     {"32", 6},   {"4", 4},   {"422", 8}, {"6", 6},
                                                     {"622", 12}, {"23", 12}, {"432", 24}};
  ASSERT_EQ(crystal_group_names().size(), orders.size());
  for (const std::string& name : crystal_group_names())
    EXPECT_EQ(crystal_group(name).elements.size(), orders.at(name)) << name;
}

TEST(CrystalGroup, IsAGroup) {
  for (const std::string& name : crystal_group_names()) {
    const CrystalGroup group = crystal_group(name);
    EXPECT_EQ(group.elements[0], (Quaternion<double>{1, 0, 0, 0}));
    for (std::size_t i = 0; i < group.elements.size(); ++i) {
      const auto& s = group.elements[i];
      EXPECT_NEAR(rotation::norm(s), 1, 2e-16) << name;
      EXPECT_EQ(rotation::canonical(s), s) << name;
      EXPECT_TRUE(has(group, rotation::inverse(s))) << name;
      for (const auto& t : group.elements) EXPECT_TRUE(has(group, rotation::product(s, t))) << name;
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GT(rotation::angle(rotation::product(rotation::inverse(s), group.elements[j])), 0.5) << name;
    }
  }
}

TEST(CrystalGroup, AxesStandAsTheSettingSays) {
  EXPECT_TRUE(turns(crystal_group("2"), {0, 1, 0}, 2));
  EXPECT_TRUE(turns(crystal_group("222"), {0, 1, 0}, 2));
  EXPECT_TRUE(turns(crystal_group("32"), {0, 0, 1}, 3));
  EXPECT_TRUE(turns(crystal_group("32"), {1, 0, 0}, 2));
  EXPECT_FALSE(turns(crystal_group("32"), {0, 1, 0}, 2));
  EXPECT_TRUE(turns(crystal_group("422"), {1, 1, 0}, 2));
  EXPECT_TRUE(turns(crystal_group("6"), {0, 0, 1}, 6));
  EXPECT_TRUE(turns(crystal_group("622"), {0, 1, 0}, 2));
  EXPECT_TRUE(turns(crystal_group("23"), {1, 1, -1}, 3));
  EXPECT_FALSE(turns(crystal_group("23"), {0, 0, 1}, 4));
  EXPECT_TRUE(turns(crystal_group("432"), {1, 0, 0}, 4));
  EXPECT_TRUE(turns(crystal_group("432"), {0, 1, -1}, 2));
}

TEST(CrystalGroup, Names) {
  EXPECT_EQ(crystal_group(" o ").name, "432");
  EXPECT_EQ(crystal_group("D6").name, "622");
  EXPECT_EQ(crystal_group("T").schoenflies, "T");
  const auto error_of = [](const char* name) -> std::string {
    try {
      crystal_group(name);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(
      error_of("433"),
      "unknown point group '433'; the proper point groups are 1 (C1), 2 (C2), 222 (D2), 3 (C3), 32 (D3), "
      "4 (C4), 422 (D4), 6 (C6), 622 (D6), 23 (T), 432 (O)");
  EXPECT_EQ(error_of("m-3m"),
            "the group m-3m has reflections or an inversion; name its rotations, which are those of 432");
}

TEST(CrystalGroup, LeastTurn) {
  // No two orientations of a cube are farther apart than 62.8°.
  const CrystalGroup cube = crystal_group("432");
  double most = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto R = rotation::from_bunge({1.3 * i, std::acos(1 - 2 * (i % 101) / 101.0), 0.7 * i});
    const auto least = least_turn(cube, R);
    EXPECT_TRUE(has(cube, rotation::product(rotation::inverse(R), least)));
    for (const auto& s : cube.elements)
      EXPECT_LE(rotation::angle(least), rotation::angle(rotation::product(R, s)) + 1e-14);
    most = std::max(most, rotation::angle(least) * 180 / std::numbers::pi);
  }
  EXPECT_LT(most, 62.8);
  EXPECT_GT(most, 58);
}

}  // namespace
}  // namespace riemflow
