// Indices of planes as directions, by hand.

#include "riemflow/figure/crystal_plane.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "riemflow/core/error.hpp"

namespace riemflow::figure {
namespace {

void expect_along(const CrystalDirection& plane, const Direction& a) {
  const Direction unit = of_length_one(a);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(plane.h[i], unit[i], 1e-14) << plane.name << ' ' << i;
}

TEST(CrystalPlane, OfCubicCrystalsIsItsIndices) {
  const CrystalGroup cube = crystal_group("432");
  expect_along(crystal_plane(cube, "100"), {1, 0, 0});
  expect_along(crystal_plane(cube, "1-10"), {1, -1, 0});
  expect_along(crystal_plane(cube, "311"), {3, 1, 1});
  EXPECT_EQ(crystal_plane(cube, "311").name, "{311}");
  EXPECT_EQ(crystal_plane(cube, "1-10").name, "{11\u03040}");
  expect_along(crystal_plane(cube, "-111", CellLengths{4, 4, 4}), {-1, 1, 1});
}

// a along x, b at 120° from it; the normal of (hkil) is h a* + k b* + l c*, which is perpendicular to vectors
// of the plane.
TEST(CrystalPlane, OfHexagonalCrystalsIsPerpendicularToItsPlane) {
  const CrystalGroup group = crystal_group("622");
  const double a = 2.95, c = 4.68, root = std::sqrt(3.0);
  const Direction A{a, 0, 0}, B{-a / 2, a * root / 2, 0}, C{0, 0, c};
  expect_along(crystal_plane(group, "0001"), {0, 0, 1});
  expect_along(crystal_plane(group, "11-20"), {1, root, 0});
  const auto expect_cuts = [&](const char* text, double h, double k, double l) {
    const Direction n = crystal_plane(group, text, CellLengths{a, a, c}).h;
    const double x = inner_product(n, A), y = inner_product(n, B), z = inner_product(n, C);
    EXPECT_NEAR(x * k, y * h, 1e-12) << text;
    EXPECT_NEAR(x * l, z * h, 1e-12) << text;
    EXPECT_NEAR(y * l, z * k, 1e-12) << text;
    EXPECT_GT(x * h + y * k + z * l, 0) << text;
  };
  expect_cuts("10-10", 1, 0, 0);
  expect_cuts("10-11", 1, 0, 1);
  expect_cuts("11-22", 1, 1, 2);
  expect_cuts("213", 2, 1, 3);
  expect_cuts("-2113", -2, 1, 3);
}

TEST(CrystalPlane, OfOrthorhombicCrystalsDependsOnTheLengths) {
  const CrystalGroup group = crystal_group("222");
  expect_along(crystal_plane(group, "010"), {0, 1, 0});
  expect_along(crystal_plane(group, "110", CellLengths{2, 5, 3}), {1 / 2.0, 1 / 5.0, 0});
  expect_along(crystal_plane(crystal_group("422"), "101", CellLengths{3, 3, 5}), {1 / 3.0, 0, 1 / 5.0});
  expect_along(crystal_plane(crystal_group("422"), "110"), {1, 1, 0});
  expect_along(crystal_plane(crystal_group("1"), "123"), {1, 2, 3});
}

TEST(CrystalPlane, WhatCannotBeIsRefused) {
  const auto refused = [](const char* group, const char* indices,
                          std::optional<CellLengths> cell = std::nullopt) {
    try {
      crystal_plane(crystal_group(group), indices, cell);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string("taken");
  };
  for (const char* text : {"", "11", "1111", "000", "1 1 1", "1-", "--111", "abc"})
    EXPECT_NE(refused("432", text).find("‹poles›"), std::string::npos) << text;
  EXPECT_NE(refused("622", "1010").find("have the sum 0"), std::string::npos);
  EXPECT_NE(refused("622", "10-11").find("give them with ‹lattice›"), std::string::npos);
  EXPECT_NE(refused("222", "110").find("give them with ‹lattice›"), std::string::npos);
  EXPECT_NE(refused("432", "111", CellLengths{1, 1, 2}).find("not the lengths"), std::string::npos);
  EXPECT_NE(refused("622", "10-11", CellLengths{1, 2, 2}).find("not the lengths"), std::string::npos);
  EXPECT_NE(refused("222", "110", CellLengths{1, -2, 2}).find("a length of -2"), std::string::npos);
}

TEST(CrystalPlane, UsualDirectionsAreNormals) {
  for (const std::string& name : crystal_group_names())
    for (const CrystalDirection& direction : usual_directions(crystal_group(name)))
      EXPECT_NEAR(std::hypot(direction.h[0], direction.h[1], direction.h[2]), 1, 1e-15) << direction.name;
}

}  // namespace
}  // namespace riemflow::figure
