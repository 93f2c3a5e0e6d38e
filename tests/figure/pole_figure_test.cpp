// Pole figures, sections and views of the ball as pictures: peaks are where they belong.

#include "riemflow/figure/pole_figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "riemflow/figure/axis_angle.hpp"
#include "riemflow/figure/euler_sections.hpp"
#include "tests/figure/golden.hpp"
#include "tests/figure/textures.hpp"

namespace riemflow::figure {
namespace {

/// A single peak in group 1, whose pole figure of z has it around `pole` (and −pole) alone.
PoleFigures one_pole(const Direction& pole) {
  const double Phi = std::acos(pole[2]) * 180 / std::numbers::pi,
               phi1 = std::atan2(pole[0], -pole[1]) * 180 / std::numbers::pi;
  PoleFigures figures =
      pole_figures(texture_of("1", {{orientation(phi1, Phi, 20), kappa_of(10)}}), {{"z", {0, 0, 1}}}, 41, 36);
  figures.levels.clear();
  return figures;
}

/// The mean place of what is coloured, x to the right and y upwards from the middle of the disc, in radii. On
/// a wide sheet one disc has its largest radius, 120 points, and stands at the margins.
Vec2 coloured_place(const PoleFigures& figures) {
  const Image image = read_png(draw_pole_figures({FileKind::png, 600, 144, ""}, figures));
  const double left = figures.x_up ? 8 + 12 : 8;
  const Vec2 share = middle_of_mass(image, {2 * left, 2 * (8.0 + 13), 480, 480});
  return {2 * share.x - 1, 2 * share.y - 1};
}

TEST(PoleFigure, APeakIsWhereItBelongs) {
  const Direction pole{0.48, -0.36, 0.8};
  const Vec2 place = place_of_direction(pole);
  PoleFigures figures = one_pole(pole);
  Vec2 seen = coloured_place(figures);
  EXPECT_NEAR(seen.x, place.x, 0.015);
  EXPECT_NEAR(seen.y, place.y, 0.015);

  figures.x_up = true;  // X upwards, Y to the left
  seen = coloured_place(figures);
  EXPECT_NEAR(seen.x, -place.y, 0.015);
  EXPECT_NEAR(seen.y, place.x, 0.015);

  figures.x_up = false;
  figures.projection = HemisphereProjection::stereographic;
  seen = coloured_place(figures);
  EXPECT_NEAR(seen.x, 0.48 / 1.8, 0.015);
  EXPECT_NEAR(seen.y, -0.36 / 1.8, 0.015);
}

TEST(PoleFigure, DotsAreWhereTheyBelong) {
  PoleFigures figures;
  PoleFigure panel;
  panel.label = "{100}";
  for (int i = 0; i < 50; ++i) panel.poles.push_back({-0.4 + 1e-4 * i, 0.55});
  figures.panels = {panel};
  const Vec2 seen = coloured_place(figures);
  EXPECT_NEAR(seen.x, -0.4, 0.01);
  EXPECT_NEAR(seen.y, 0.55, 0.01);
}

TEST(PoleFigure, AllPanelsHaveOneScale) {
  const PoleFigures figures = pole_figures(texture_of("432", {{orientation(0, 45, 0), kappa_of(15)}}),
                                           usual_directions(crystal_group("432")), 31);
  ASSERT_EQ(figures.panels.size(), 3u);
  double highest = 0;
  for (const PoleFigure& panel : figures.panels)
    for (const double value : panel.density.inside()) highest = std::max(highest, value);
  EXPECT_EQ(figures.bar.scale.to, highest);
  EXPECT_EQ(figures.levels.front(), 1);
}

TEST(EulerSections, RangesOfTheGroups) {
  const auto expect = [](const char* name, double second, double third) {
    const EulerRange range = euler_range(crystal_group(name));
    EXPECT_EQ(range.first, 360);
    EXPECT_EQ(range.second, second) << name;
    EXPECT_EQ(range.third, third) << name;
  };
  expect("1", 180, 360);
  expect("2", 90, 360);  // its axis is y, which turns z over
  expect("222", 90, 180);
  expect("3", 180, 120);
  expect("32", 90, 120);
  expect("4", 180, 90);
  expect("422", 90, 90);
  expect("6", 180, 60);
  expect("622", 90, 60);
  expect("23", 90, 180);
  expect("432", 90, 90);
}

TEST(EulerSections, OfAUniformTextureAreOneEverywhere) {
  const EulerSections sections = euler_sections(texture_of("622", {}), 360, 0, 15);
  ASSERT_EQ(sections.sections.size(), 12u);
  EXPECT_EQ(sections.sections[1].third, 5);
  EXPECT_EQ(sections.n1, 25);
  EXPECT_EQ(sections.n, 7);
  for (const EulerSections::Section& section : sections.sections)
    for (const double value : section.density) EXPECT_NEAR(value, 1, 1e-14);
  EXPECT_EQ(euler_sections(texture_of("1", {}), 360, 0, 30).sections.size(), 18u);
  EXPECT_EQ(euler_sections(texture_of("432", {}), 90, 15, 30).sections.size(), 6u);
}

// Goss is at (0°, 45°, 0°), and equivalently at (90°, 90°, 45°).
TEST(EulerSections, GossIsAtItsAngles) {
  const double kappa = kappa_of(10);
  const EulerSections sections =
      euler_sections(texture_of("432", {{orientation(0, 45, 0), kappa}}), 90, 15, 5);
  const auto at = [&](std::size_t section, int row, int column) {
    return sections.sections[section].density[static_cast<std::size_t>(row * sections.n1 + column)];
  };
  double highest = 0;
  for (const auto& section : sections.sections)
    for (const double value : section.density) highest = std::max(highest, value);
  EXPECT_NEAR(at(0, 9, 0), highest, 1e-9 * highest);
  EXPECT_NEAR(at(3, 18, 18), highest, 1e-9 * highest);
  EXPECT_LT(at(0, 9, 9), 0.01 * highest);
}

TEST(EulerSections, APeakIsWhereItBelongs) {
  EulerSections sections =
      euler_sections(texture_of("1", {{orientation(120, 60, 0), kappa_of(15)}}), 360, 90);
  sections.sections.resize(1);
  sections.levels.clear();
  const Image image = read_png(draw_euler_sections({FileKind::png, 400, 144, ""}, sections));
  const Vec2 seen = middle_of_mass(image, frame_of(image));
  EXPECT_NEAR(seen.x, 120.0 / 360, 0.01);
  EXPECT_NEAR(seen.y, 1 - 60.0 / 180, 0.01);  // Φ grows downwards
}

TEST(AxisAngle, OfAUniformDensityIsOneEverywhere) {
  for (const char* name : {"1", "432"}) {
    const AxisAngleViews views = axis_angle_views(texture_of(name, {}), 16);
    for (const DiscLattice& lattice : views.density) {
      EXPECT_EQ(lattice.n, 15 + 6);
      for (const double value : lattice.inside()) EXPECT_NEAR(value, 1, 1e-14);
    }
  }
}

TEST(AxisAngle, APeakIsSeenFromAllSides) {
  constexpr double degree = std::numbers::pi / 180;
  const auto middle = rotation::from_vector({60 * degree, -90 * degree, 30 * degree});
  const Texture texture = texture_of("1", {{middle, kappa_of(15)}});
  AxisAngleViews views = axis_angle_views(texture, 49);
  Points<double> rotations(1, 4);
  std::copy(middle.begin(), middle.end(), rotations[0].begin());
  const double top = multiples_of_uniform(texture, rotations)[0];
  const auto dots = axis_angle_dots(rotations);
  const std::array<double, 3> vector = {1.0 / 3, -0.5, 1.0 / 6};
  for (std::size_t view = 0; view < 3; ++view) {
    const Vec2 place{vector[static_cast<std::size_t>(kBallViews[view][0])],
                     vector[static_cast<std::size_t>(kBallViews[view][1])]};
    EXPECT_NEAR(views.density[view].between(place), top, 0.02 * top);
    EXPECT_NEAR(dots[view][0].x, place.x, 1e-14);
    EXPECT_NEAR(dots[view][0].y, place.y, 1e-14);
  }
  const Image image = read_png(draw_axis_angle({FileKind::png, 500, 144, ""}, views));
  const Vec2 seen = middle_of_mass(image, frame_of(image));
  EXPECT_NEAR(seen.x, (1 + vector[0]) / 2, 0.01);
  EXPECT_NEAR(seen.y, (1 + vector[1]) / 2, 0.01);
}

// Half a turn is half a turn the other way: opposite places of the rim have the same density.
TEST(AxisAngle, OppositePlacesOfTheRimAreOne) {
  const AxisAngleViews views =
      axis_angle_views(texture_of("1", {{rotation::from_vector({0.4, 3.1, 0}), kappa_of(20)}}), 61);
  for (int i = 0; i < 12; ++i) {
    const Vec2 p{std::cos(0.5 * i), std::sin(0.5 * i)};
    const double a = views.density[0].between(p), b = views.density[0].between({-p.x, -p.y});
    EXPECT_NEAR(a, b, 0.02 * views.bar.scale.to);
  }
}

TEST(Golden, Textures) {
  const Texture copper = texture_of("432", {{orientation(90, 35.26, 45), kappa_of(14), 0.5},
                                            {orientation(35.26, 45, 0), kappa_of(18), 0.3}});
  PoleFigures poles = pole_figures(copper, usual_directions(copper.group), 37, 36);
  for (int i = 0; i < 40; ++i) poles.panels[1].poles.push_back({0.5 * std::cos(i), 0.6 * std::sin(i)});
  poles.x_up = true;
  expect_golden("pole_figures", draw_pole_figures({FileKind::png, 240, 110, ""}, poles));
  expect_golden("euler_sections",
                draw_euler_sections({FileKind::png, 240, 110, ""}, euler_sections(copper, 90, 15, 5)));
  AxisAngleViews views =
      axis_angle_views(texture_of("1", {{rotation::from_vector({1.2, 0.4, -2}), kappa_of(25)}}), 31);
  expect_golden("axis_angle", draw_axis_angle({FileKind::png, 270, 90, ""}, views));
}

}  // namespace
}  // namespace riemflow::figure
