#include "riemflow/manifold/crystal_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

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
  // What has an inversion, by any of its names.
  for (const char* name : {"m-3m", "m3m", "M-3M", "oh", " 4/m -3 2/m"})
    EXPECT_NE(
        error_of(name).find("has an inversion, which rotations have not; name its rotations, which are those "
                            "of 432, as in rotation:3/432"),
        std::string::npos)
        << error_of(name);
  EXPECT_EQ(
      error_of("6/mmm"),
      "the point group 6/mmm has an inversion, which rotations have not; name its rotations, which are those "
      "of 622, as in rotation:3/622");
  EXPECT_EQ(
      error_of("-43m"),
      "the point group -43m has reflections or inversions, which rotations have not; name rotations: its own "
      "are 23; those of its Laue class m-3m, which is what diffraction sees, are 432, as in rotation:3/432");
  // Its own axis is z, which 2 has not here.
  EXPECT_EQ(
      error_of("mm2"),
      "the point group mm2 has reflections or inversions, which rotations have not; name rotations: those of "
      "its Laue class mmm, which is what diffraction sees, are 222, as in rotation:3/222");
  EXPECT_EQ(error_of("112"),
            "the point group 112 has other axes than 2 here: its axis is z; turn the crystal's axes so that "
            "it is y, "
            "the setting 121, and say rotation:3/2");
  EXPECT_EQ(error_of("43"),
            "43 is a number that ANG files have for a group, not its name; say rotation:3/432");
  // The same axes.
  EXPECT_EQ(crystal_group("121").name, "2");
  EXPECT_EQ(crystal_group("321").name, "32");
}

/// The matrices of a point group that the products of generators make: reflections and inversions are −1
/// times rotations.
using Operation = std::pair<rotation::Quaternion<double>, bool>;
std::vector<Operation> operations(const std::vector<Operation>& generators) {
  std::vector<Operation> all = {{{1, 0, 0, 0}, false}};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& [q, inverts] : generators) {
      const Operation next = {rotation::product(all[i].first, q), all[i].second != inverts};
      const auto same = [&](const Operation& other) {
        double cosine = 0;
        for (std::size_t c = 0; c < 4; ++c) cosine += other.first[c] * next.first[c];
        return other.second == next.second && std::abs(std::abs(cosine) - 1) < 1e-9;
      };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(next);
    }
  return all;
}

/// A rotation by 2π/n around (x, y, z), and with `inverts` the inversion behind it: of n = 2 a reflection.
Operation turn(int n, double x, double y, double z, bool inverts = false) {
  const double half = std::numbers::pi / n, size = std::sqrt(x * x + y * y + z * z),
               s = std::sin(half) / size;
  return {{std::cos(half), s * x, s * y, s * z}, inverts};
}

// The groups that refusals name, made of the generators of what was asked for: a along x, c along z, mirrors
// as the International Tables place them.
TEST(CrystalGroup, RefusalsNameTheRightRotations) {
  struct Case {
    const char* name;
    std::vector<Operation> generators;
    const char* own;  ///< "" where its rotations have other axes than any group here
    const char* laue;
  };
  const Operation inversion = {{1, 0, 0, 0}, true};
  const double r = std::sqrt(3.0);
  const Case cases[] = {
      {"-1", {inversion}, "1", "1"},
      {"m", {turn(2, 0, 1, 0, true)}, "1", "2"},
      {"2/m", {turn(2, 0, 1, 0), inversion}, "2", "2"},
      {"mm2", {turn(2, 1, 0, 0, true), turn(2, 0, 1, 0, true)}, "", "222"},
      {"mmm", {turn(2, 1, 0, 0, true), turn(2, 0, 1, 0, true), turn(2, 0, 0, 1, true)}, "222", "222"},
      {"-3", {turn(3, 0, 0, 1, true)}, "3", "3"},
      {"3m", {turn(3, 0, 0, 1), turn(2, 1, 0, 0, true)}, "3", "32"},
      {"-3m", {turn(3, 0, 0, 1, true), turn(2, 1, 0, 0, true)}, "32", "32"},
      {"-4", {turn(4, 0, 0, 1, true)}, "", "4"},
      {"4/m", {turn(4, 0, 0, 1), inversion}, "4", "4"},
      {"4mm", {turn(4, 0, 0, 1), turn(2, 1, 0, 0, true)}, "4", "422"},
      {"-42m", {turn(4, 0, 0, 1, true), turn(2, 1, 0, 0)}, "222", "422"},
      {"-4m2", {turn(4, 0, 0, 1, true), turn(2, 1, 0, 0, true)}, "", "422"},
      {"4/mmm", {turn(4, 0, 0, 1), turn(2, 1, 0, 0, true), inversion}, "422", "422"},
      {"-6", {turn(6, 0, 0, 1, true)}, "3", "6"},
      {"6/m", {turn(6, 0, 0, 1), inversion}, "6", "6"},
      {"6mm", {turn(6, 0, 0, 1), turn(2, 1, 0, 0, true)}, "6", "622"},
      {"-62m", {turn(6, 0, 0, 1, true), turn(2, 1, 0, 0)}, "32", "622"},
      {"-6m2", {turn(6, 0, 0, 1, true), turn(2, 1, 0, 0, true)}, "", "622"},
      {"6/mmm", {turn(6, 0, 0, 1), turn(2, 1, 0, 0, true), inversion}, "622", "622"},
      {"m-3", {turn(2, 0, 0, 1), turn(3, 1, 1, 1), inversion}, "23", "23"},
      {"-43m", {turn(4, 0, 0, 1, true), turn(3, 1, 1, 1)}, "23", "432"},
      {"m-3m", {turn(4, 0, 0, 1), turn(3, 1, 1, 1), inversion}, "432", "432"},
      {"112", {turn(2, 0, 0, 1)}, "", ""},
      {"211", {turn(2, 1, 0, 0)}, "", ""},
      {"312", {turn(3, 0, 0, 1), turn(2, r, 1, 0)}, "", ""},
  };
  for (const auto& [name, generators, own, laue] : cases) {
    std::vector<rotation::Quaternion<double>> proper;
    std::vector<Operation> with_inversion = generators;
    with_inversion.push_back(inversion);
    for (const auto& [q, inverts] : operations(generators))
      if (!inverts) proper.push_back(q);
    // Which group of ours has these elements.
    const auto group_of = [](const std::vector<rotation::Quaternion<double>>& elements) -> std::string {
      for (const std::string& candidate : crystal_group_names()) {
        const CrystalGroup group = crystal_group(candidate);
        if (group.elements.size() == elements.size() &&
            std::all_of(elements.begin(), elements.end(), [&](const auto& q) { return has(group, q); }))
          return candidate;
      }
      return "";
    };
    EXPECT_EQ(group_of(proper), own) << name;
    std::string advice;
    try {
      crystal_group(name);
    } catch (const Error& e) {
      advice = e.advice();
    }
    if (*laue == 0) {
      EXPECT_NE(advice.find("turn the crystal's axes"), std::string::npos) << name << advice;
      continue;
    }
    std::vector<rotation::Quaternion<double>> seen;
    for (const auto& [q, inverts] : operations(with_inversion))
      if (!inverts) seen.push_back(q);
    EXPECT_EQ(group_of(seen), laue) << name;
    EXPECT_TRUE(advice.ends_with(std::string("rotation:3/") + laue)) << name << ": " << advice;
    const std::string says_own = std::string("its own are ") + own + ";";
    EXPECT_EQ(advice.find(says_own) != std::string::npos, *own != 0 && std::string(own) != laue)
        << name << ": " << advice;
  }
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
