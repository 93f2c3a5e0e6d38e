// Pole densities of textures that have them in closed form.

#include "riemflow/figure/pole_density.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/figure/textures.hpp"

namespace riemflow::figure {
namespace {

double cosine_between(const Direction& a, const Direction& b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) /
         (std::hypot(a[0], a[1], a[2]) * std::hypot(b[0], b[1], b[2]));
}

std::vector<Direction> some_directions() {
  std::vector<Direction> y = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}};
  for (int i = 0; i < 40; ++i) {
    const double z = -0.97 + i / 20.0, s = std::sqrt(1 - z * z);
    y.push_back({s * std::cos(2.4 * i), s * std::sin(2.4 * i), z});
  }
  return y;
}

TEST(PoleDensity, OfAPeakIsItsClosedForm) {
  const auto middle = orientation(40, 70, 110);
  const double kappa = kappa_of(20);
  const Texture texture = texture_of("1", {{middle, kappa}});
  const std::vector<Direction> y = some_directions();
  for (const Direction& h :
       {Direction{0, 0, 1}, Direction{0, 0, -2}, Direction{1, 1, 1}, Direction{0.3, -2, 0.4}}) {
    const std::vector<double> density = pole_density(texture, h, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double c = cosine_between(rotation::rotated(middle, h), y[i]);
      EXPECT_NEAR(density[i], (pole_of_peak(kappa, c) + pole_of_peak(kappa, -c)) / 2, 1e-10);
    }
  }
}

// Of a crystal the poles are those of all equivalent directions; turns around h, which shorten the circle,
// and turns to −h, which spare the other one, are in some of these groups and not in others.
TEST(PoleDensity, OfAPeakInAGroup) {
  const auto middle = orientation(10, 35, 75);
  const double kappa = kappa_of(15);
  const std::vector<Direction> y = some_directions();
  for (const std::string& name : crystal_group_names()) {
    const Texture texture = texture_of(name, {{middle, kappa}});
    for (const CrystalDirection& direction : usual_directions(texture.group)) {
      EXPECT_NEAR(std::hypot(direction.h[0], direction.h[1], direction.h[2]), 1, 1e-15) << direction.name;
      const std::vector<double> density = pole_density(texture, direction.h, y, 96);
      for (std::size_t i = 0; i < y.size(); ++i) {
        double expected = 0;
        for (const auto& s : texture.group.elements) {
          const double c = cosine_between(rotation::rotated(rotation::product(middle, s), direction.h), y[i]);
          expected += (pole_of_peak(kappa, c) + pole_of_peak(kappa, -c)) / 2;
        }
        expected /= static_cast<double>(texture.group.elements.size());
        EXPECT_NEAR(density[i], expected, 1e-9) << name << ' ' << direction.name;
      }
    }
  }
}

TEST(PoleDensity, OfAUniformTextureIsOneEverywhere) {
  for (const char* name : {"1", "2", "432"}) {
    const Texture texture = texture_of(name, {});
    for (const CrystalDirection& direction : usual_directions(texture.group)) {
      const DiscLattice lattice = pole_lattice(texture, direction.h, 21, 12);
      for (const double value : lattice.inside()) EXPECT_NEAR(value, 1, 1e-14);
      EXPECT_NEAR(lattice.mean(), 1, 1e-14);
    }
  }
}

TEST(PoleDensity, HasMeanOneOverTheHemisphere) {
  const Texture texture = texture_of("432", {{orientation(0, 45, 0), kappa_of(12), 0.7}});
  for (const CrystalDirection& direction : usual_directions(texture.group))
    EXPECT_NEAR(pole_lattice(texture, direction.h).mean(), 1, 2e-4) << direction.name;
}

// The highest places of Goss, {110}<001>: <100> along X, {110} along Z.
TEST(PoleDensity, OfGossIsHighWhereItBelongs) {
  const Texture texture = texture_of("432", {{orientation(0, 45, 0), kappa_of(8)}});
  const double root_half = std::sqrt(0.5), root_third = std::sqrt(1.0 / 3);
  const auto expect_high = [&](const Direction& h, const std::vector<Direction>& poles) {
    const std::vector<double> at = pole_density(texture, h, poles);
    const std::vector<double> values = pole_lattice(texture, h, 41).inside();
    const double highest = *std::max_element(values.begin(), values.end());
    for (const double value : at) {
      EXPECT_NEAR(value, at[0], 1e-8 * at[0]);
      EXPECT_GE(value, highest * (1 - 1e-9));
    }
  };
  expect_high({1, 0, 0}, {{1, 0, 0}, {0, root_half, root_half}, {0, -root_half, root_half}});
  expect_high({1, 1, 0}, {{0, 0, 1}, {0, 1, 0}, {root_half, 0.5, 0.5}, {-root_half, 0.5, 0.5}});
  // sin 54.7° along X, and along Y in the plane of the sheet.
  expect_high({1, 1, 1}, {{root_third, 0, std::sqrt(2.0 / 3)}, {root_third, std::sqrt(2.0 / 3), 0}});
}

TEST(PoleDensity, PlacesAndDirections) {
  for (const Direction& y : some_directions()) {
    if (y[2] < 0) continue;
    const Vec2 place = place_of_direction(y);
    // √2 sin θ/2 from the middle.
    EXPECT_NEAR(std::hypot(place.x, place.y), std::sqrt(2) * std::sin(std::acos(y[2]) / 2), 1e-14);
    const Direction back = direction_at(place);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(back[i], y[i], 1e-14);
  }
}

TEST(PoleDensity, PolesOfRotations) {
  Points<double> goss(1, 4);
  const auto q = orientation(0, 45, 0);
  std::copy(q.begin(), q.end(), goss[0].begin());
  const CrystalGroup cube = crystal_group("432");
  EXPECT_EQ(poles_of(cube, {0, 0, 1}, goss).size(), 3u);
  EXPECT_EQ(poles_of(cube, {1, 1, 0}, goss).size(), 6u);
  EXPECT_EQ(poles_of(cube, {2, 2, 2}, goss).size(), 4u);
  EXPECT_EQ(poles_of(crystal_group("622"), {0, 0, 3}, goss).size(), 1u);
  EXPECT_EQ(poles_of(crystal_group("1"), {0, 0, 1}, goss).size(), 1u);
  // (011) is the one along Z.
  int along_z = 0;
  for (const Direction& pole : poles_of(cube, {1, 1, 0}, goss)) {
    EXPECT_GE(pole[2], 0);
    along_z += pole[2] > 1 - 1e-12;
  }
  EXPECT_EQ(along_z, 1);
}

// What could not be computed is left out of the mean, not taken for 0.
TEST(PoleDensity, LeavesOutWhatFailed) {
  Texture texture = texture_of("1", {});
  int calls = 0;
  texture.log_density = [&](const Points<double>& rotations) {
    std::vector<double> logs(rotations.size(), texture.log_uniform);
    for (std::size_t i = 0; i < logs.size(); i += 3) logs[i] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_LE(rotations.size(), 16'384u);
    ++calls;
    return logs;
  };
  const std::vector<Direction> y(1000, Direction{0, 0, 1});
  for (const double value : pole_density(texture, {1, 0, 0}, y)) EXPECT_NEAR(value, 1, 1e-14);
  EXPECT_GT(calls, 1);
}

}  // namespace
}  // namespace riemflow::figure
