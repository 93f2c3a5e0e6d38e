// Pole figures, sections and views of the ball as pictures: peaks are where they belong.

#include "riemflow/figure/pole_figure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "riemflow/core/error.hpp"
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
      pole_figures(texture_of("1", {{orientation(phi1, Phi, 20), kappa_of(10)}}), {{"z", {0, 0, 1}}});
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
  panel.clouds = {{"points", kBlue, {}}};
  for (int i = 0; i < 50; ++i) panel.clouds[0].points.push_back({-0.4 + 1e-4 * i, 0.55});
  figures.panels = {panel};
  const Vec2 seen = coloured_place(figures);
  EXPECT_NEAR(seen.x, -0.4, 0.01);
  EXPECT_NEAR(seen.y, 0.55, 0.01);
}

TEST(PoleFigure, AllPanelsHaveOneScale) {
  const PoleFigures figures = pole_figures(texture_of("432", {{orientation(0, 45, 0), kappa_of(15)}}),
                                           usual_directions(crystal_group("432")));
  ASSERT_EQ(figures.panels.size(), 3u);
  double highest = 0;
  for (const PoleFigure& panel : figures.panels) highest = std::max(highest, panel.highest);
  EXPECT_EQ(figures.bar.scale.to, highest);
  EXPECT_EQ(figures.levels.front(), 1);
}

/// The largest P of one peak: at one of its poles.
double highest_pole_of(const CrystalGroup& group, const Peak& peak, const Direction& h) {
  double highest = 0;
  for (const auto& s : group.elements) {
    const Direction y = rotation::rotated(rotation::product(peak.middle, s), h);
    highest = std::max(highest, pole_of_peaks(group, {peak}, h, y));
  }
  return highest;
}

// Half-widths in degrees: the broad ones are integrated over fibres, the narrow ones drawn.
TEST(PoleFigure, MaximaOfPeaksOfAnyWidth) {
  for (const std::string name : {"1", "432"})
    for (const double half_width : {0.1, 0.4, 3.0, 30.0}) {
      const Peak peak{orientation(31.3, 41.7, 22.2), kappa_of(half_width)};
      const Texture texture = texture_of(name, {peak});
      const PoleFigures figures = pole_figures(texture, {{"a", {0, 0, 1}}, {"b", of_length_one({1, 1, 0})}});
      EXPECT_EQ(figures.note.empty(), half_width == 30) << half_width;
      double most = 0;
      for (const std::size_t k : {0u, 1u}) {
        const Direction h = k == 0 ? Direction{0, 0, 1} : of_length_one({1, 1, 0});
        const double exact = highest_pole_of(texture.group, peak, h);
        EXPECT_NEAR(figures.panels[k].highest, exact, 0.01 * exact) << name << ' ' << half_width << ' ' << k;
        most = std::max(most, figures.panels[k].highest);
      }
      EXPECT_NEAR(figures.bar.scale.to, std::max(2.0, most), 1e-9 * most);
    }
}

// Between the points of the lattice and at them, for a texture that is broad, sharp or both at once.
TEST(PoleFigure, DensitiesAreThoseOfTheTexture) {
  const CrystalGroup group = crystal_group("432");
  const Direction h = of_length_one({1, 1, 1});
  const std::vector<Peak> broad = {{orientation(31.3, 41.7, 22.2), kappa_of(12)}},
                          sharp = {{orientation(31.3, 41.7, 22.2), kappa_of(1.5)}},
                          both = {{orientation(31.3, 41.7, 22.2), kappa_of(1.5), 0.2},
                                  {orientation(80, 20, 5), kappa_of(20), 0.6}};
  for (const std::vector<Peak>& peaks : {broad, sharp, both}) {
    const PoleFigures figures = pole_figures(texture_of("432", peaks), {{"{111}", h}});
    const DiscLattice& lattice = figures.panels[0].density;
    const double top = highest_pole_of(group, peaks[0], h);
    EXPECT_NEAR(lattice.mean(), 1, 0.01);
    for (int i = 0; i < 400; ++i) {
      const double r = std::sqrt(i / 399.0);
      const Vec2 place{r * std::cos(2.4 * i), r * std::sin(2.4 * i)};
      const double exact = pole_of_peaks(group, peaks, h, direction_at(place));
      EXPECT_NEAR(lattice.between(place), exact, 0.05 * exact + 0.004 * top) << i << ' ' << peaks.size();
    }
    // At the poles themselves.
    for (const auto& s : group.elements) {
      const Direction pole = rotation::rotated(rotation::product(peaks[0].middle, s), h);
      if (pole[2] < 0) continue;
      const double exact = pole_of_peaks(group, peaks, h, pole);
      EXPECT_NEAR(lattice.between(place_of_direction(pole)), exact, 0.05 * exact);
    }
  }
}

TEST(PoleFigure, SaysWhatItCannotResolve) {
  const std::vector<CrystalDirection> z = {{"z", {0, 0, 1}}};
  const auto note = [&](double half_width) {
    return pole_figures(texture_of("1", {{orientation(31, 42, 22), kappa_of(half_width)}}), z).note;
  };
  EXPECT_EQ(note(8), "");
  EXPECT_EQ(note(2), "colours: 1,000,000 draws of the model");
  EXPECT_EQ(note(0.3), "colours: 1,000,000 draws of the model, blurred to 0.4°; maxima are not blurred");
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
  const EulerSections sections = euler_sections(texture_of("622", {}));
  ASSERT_EQ(sections.sections.size(), 12u);
  EXPECT_EQ(sections.sections[1].third, 5);
  EXPECT_FALSE(sections.thick);
  EXPECT_EQ(sections.n1, 73);
  EXPECT_EQ(sections.n, 19);
  for (const EulerSections::Section& section : sections.sections)
    for (const double value : section.density) EXPECT_NEAR(value, 1, 1e-14);
  EXPECT_EQ(euler_sections(texture_of("1", {})).sections.size(), 18u);
  EXPECT_EQ(euler_sections(texture_of("432", {}), {90, 15}).sections.size(), 6u);
}

// Goss is at (0°, 45°, 0°), and equivalently at (90°, 90°, 45°).
TEST(EulerSections, GossIsAtItsAngles) {
  const EulerSections sections =
      euler_sections(texture_of("432", {{orientation(0, 45, 0), kappa_of(10)}}), {90});
  EXPECT_FALSE(sections.thick);
  const auto at = [&](std::size_t section, int row, int column) {
    return sections.sections[section].density[static_cast<std::size_t>(row * sections.n1 + column)];
  };
  double highest = 0;
  for (const auto& section : sections.sections)
    for (const double value : section.density) highest = std::max(highest, value);
  EXPECT_NEAR(at(0, 18, 0), highest, 1e-9 * highest);
  EXPECT_NEAR(at(9, 36, 36), highest, 1e-9 * highest);
  EXPECT_LT(at(0, 18, 18), 0.01 * highest);
}

TEST(EulerSections, APeakIsWhereItBelongs) {
  EulerSections sections =
      euler_sections(texture_of("1", {{orientation(120, 60, 0), kappa_of(15)}}), {360, 10});
  sections.sections.resize(1);
  sections.levels.clear();
  const Image image = read_png(draw_euler_sections({FileKind::png, 400, 144, ""}, sections));
  const Vec2 seen = middle_of_mass(image, frame_of(image));
  EXPECT_NEAR(seen.x, 120.0 / 360, 0.01);
  EXPECT_NEAR(seen.y, 1 - 60.0 / 180, 0.01);  // Φ grows downwards
}

double top_of(const Peak& peak, const Texture& texture) {
  Points<double> rotations(0, 4);
  add_orientation(rotations, peak.middle);
  return multiples_of_uniform(texture, rotations)[0];
}

// φ2 = 22.2° lies between the sections at 20° and 25°, and sharp peaks between all points.
TEST(EulerSections, PeaksOfAnyWidthHaveTheirHeight) {
  for (const std::string name : {"1", "432"})
    for (const double half_width : {0.1, 0.4, 1.0, 3.0, 10.0}) {
      const Peak peak{orientation(31.3, 41.7, 22.2), kappa_of(half_width)};
      const Texture texture = texture_of(name, {peak});
      const EulerSections sections = euler_sections(texture, {360, 5});
      EXPECT_EQ(sections.thick, half_width < 5) << half_width;
      const double top = top_of(peak, texture);
      const auto at_peak = [&](std::size_t which) {
        const auto column = std::lround(31.3 / 360 * (sections.n1 - 1)),
                   row = std::lround(41.7 / sections.second * (sections.n - 1));
        return sections.sections[which].density[static_cast<std::size_t>(row * sections.n1 + column)];
      };
      if (!sections.thick) continue;
      EXPECT_NEAR(sections.bar.scale.to, top, 0.01 * top) << name << ' ' << half_width;
      EXPECT_GT(at_peak(4), 0.7 * top) << name << ' ' << half_width;  // 20°
      EXPECT_LT(at_peak(4), 1.001 * top);
      EXPECT_LT(at_peak(6), (half_width < 2 ? 0.01 : 0.3) * top);  // 30°
      for (const auto& section : sections.sections)
        for (const double value : section.density) EXPECT_LT(value, 1.001 * top);
    }
}

TEST(EulerSections, DotsAreInTheNearestSection) {
  EulerSections sections = euler_sections(texture_of("1", {}), {360, 20});
  Points<double> rotations(0, 4);
  add_orientation(rotations, orientation(100, 50, 49));
  add_orientation(rotations, orientation(10, 20, 351));
  add_to_sections(sections, crystal_group("1"), {"points", kBlue, {}}, rotations);
  for (std::size_t k = 0; k < sections.sections.size(); ++k)
    EXPECT_EQ(sections.dots[k][0].size(), k == 2 || k == 0 ? 1u : 0u) << k;
  EXPECT_NEAR(sections.dots[2][0][0].x, 100, 1e-9);
  EXPECT_NEAR(sections.dots[2][0][0].y, 50, 1e-9);
  // Of a cubic crystal all three names within 90° of each.
  EulerSections cubic = euler_sections(texture_of("432", {}));
  add_to_sections(cubic, crystal_group("432"), {"points", kBlue, {}}, rotations);
  std::size_t names = 0;
  for (const auto& section : cubic.dots) names += section[0].size();
  EXPECT_EQ(names, 6u);
}

TEST(EulerSections, ChoicesBeyondTheRangesAreRefused) {
  const Texture texture = texture_of("432", {});
  EXPECT_THROW(euler_sections(texture, {361}), Error);
  EXPECT_THROW(euler_sections(texture, {90, 91}), Error);
  EXPECT_THROW(euler_sections(texture, {90, 1}), Error);
  EXPECT_EQ(euler_sections(texture, {90, 45}).sections.size(), 2u);
}

TEST(AxisAngle, OfAUniformDensityIsOneEverywhere) {
  for (const std::string name : {"1", "622", "432"}) {
    const AxisAngleViews views = axis_angle_views(texture_of(name, {}));
    for (const DiscLattice& lattice : views.density) {
      EXPECT_EQ(lattice.n, 61 + 6);
      std::size_t seen = 0;
      for (const double value : lattice.inside()) {
        if (std::isnan(value)) continue;  // beyond the zone
        ++seen;
        EXPECT_NEAR(value, 1, 1e-14);
      }
      EXPECT_GT(seen, 1000u) << name;
    }
  }
}

// A cube that is turned has the first corner of its zone at 62.8°, and its faces at 45°; hexagons at 30° and
// 90°.
TEST(AxisAngle, ZonesOfTheGroups) {
  constexpr double degree = std::numbers::pi / 180;
  const FundamentalZone cubic(crystal_group("432")), hexagonal(crystal_group("622")), all(crystal_group("1"));
  EXPECT_NEAR(cubic.largest_angle({1, 0, 0}) / degree, 45, 1e-9);
  EXPECT_NEAR(cubic.largest_angle(of_length_one({1, 1, 1})) / degree, 60, 1e-9);
  EXPECT_NEAR(cubic.largest_angle(of_length_one({1, 1, std::sqrt(2) - 1})) / degree, 62.7994, 1e-3);
  EXPECT_NEAR(hexagonal.largest_angle({0, 0, 1}) / degree, 30, 1e-9);
  EXPECT_NEAR(hexagonal.largest_angle({1, 0, 0}) / degree, 90, 1e-9);
  EXPECT_TRUE(all.whole());
  EXPECT_EQ(all.largest_angle({0, 1, 0}), std::numbers::pi);
  // Nothing beyond has the least angle, and nothing within has not.
  const Points<double> draws = draws_of_peaks(crystal_group("1"), {}, 2000);
  for (const std::string& name : crystal_group_names()) {
    const CrystalGroup group = crystal_group(name);
    const FundamentalZone zone(group);
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const Orientation R = orientation_at(draws, i);
      const auto r = rotation::vector_of(R);
      const double angle = std::hypot(r[0], r[1], r[2]), least = rotation::angle(least_turn(group, R));
      EXPECT_EQ(angle <= zone.largest_angle(of_length_one(r)) + 1e-9, angle < least + 1e-9) << name;
    }
  }
}

TEST(AxisAngle, APeakIsSeenFromAllSides) {
  constexpr double degree = std::numbers::pi / 180;
  const auto middle = rotation::from_vector({60 * degree, -90 * degree, 30 * degree});
  const Texture texture = texture_of("1", {{middle, kappa_of(15)}});
  AxisAngleViews views = axis_angle_views(texture);
  Points<double> rotations(0, 4);
  add_orientation(rotations, middle);
  const double top = multiples_of_uniform(texture, rotations)[0];
  const auto dots = axis_angle_dots(texture.group, views.zone, rotations);
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

TEST(AxisAngle, PeaksOfAnyWidthHaveTheirHeight) {
  for (const std::string name : {"1", "432"})
    for (const double half_width : {0.1, 0.4, 1.0, 3.0, 10.0, 30.0}) {
      const Peak peak{orientation(31.3, 41.7, 22.2), kappa_of(half_width)};
      const Texture texture = texture_of(name, {peak});
      const AxisAngleViews views = axis_angle_views(texture);
      const double top = top_of(peak, texture);
      EXPECT_NEAR(views.bar.scale.to, top, 0.01 * top) << name << ' ' << half_width;
      Points<double> rotations(0, 4);
      add_orientation(rotations, peak.middle);
      const auto dots = axis_angle_dots(texture.group, views.zone, rotations);
      for (std::size_t view = 0; view < 3; ++view) {
        double near = 0;
        const DiscLattice& lattice = views.density[view];
        for (int iy = 0; iy < lattice.n; ++iy)
          for (int ix = 0; ix < lattice.n; ++ix) {
            const Vec2 at = lattice.place(ix, iy);
            const double value = lattice.at(ix, iy),
                         far = std::hypot(at.x - dots[view][0].x, at.y - dots[view][0].y);
            if (std::isnan(value)) continue;
            EXPECT_LT(value, 1.001 * top);
            if (far < lattice.step()) near = std::max(near, value);
          }
        EXPECT_GT(near, 0.7 * top) << name << ' ' << half_width << ' ' << view;
      }
    }
}

// Half a turn is half a turn the other way: opposite places of the rim have the same density.
TEST(AxisAngle, OppositePlacesOfTheRimAreOne) {
  const AxisAngleViews views =
      axis_angle_views(texture_of("1", {{rotation::from_vector({0.4, 3.1, 0}), kappa_of(20)}}));
  for (int i = 0; i < 12; ++i) {
    const Vec2 p{std::cos(0.5 * i), std::sin(0.5 * i)};
    const double a = views.density[0].between(p), b = views.density[0].between({-p.x, -p.y});
    EXPECT_NEAR(a, b, 0.02 * views.bar.scale.to);
  }
}

TEST(Golden, Textures) {
  const Texture copper = texture_of("432", {{orientation(90, 35.26, 45), kappa_of(14), 0.5},
                                            {orientation(35.26, 45, 0), kappa_of(18), 0.3}});
  PoleFigures poles = pole_figures(copper, usual_directions(copper.group));
  for (PoleFigure& panel : poles.panels) panel.clouds = {{"points", kBlue, {}}};
  for (int i = 0; i < 40; ++i)
    poles.panels[1].clouds[0].points.push_back({0.5 * std::cos(i), 0.6 * std::sin(i)});
  poles.x_up = true;
  expect_golden("pole_figures", draw_pole_figures({FileKind::png, 240, 110, ""}, poles));
  expect_golden("euler_sections",
                draw_euler_sections({FileKind::png, 240, 110, ""}, euler_sections(copper, {90, 15})));
  AxisAngleViews views =
      axis_angle_views(texture_of("1", {{rotation::from_vector({1.2, 0.4, -2}), kappa_of(25)}}));
  expect_golden("axis_angle", draw_axis_angle({FileKind::png, 270, 90, ""}, views));
}

}  // namespace
}  // namespace riemflow::figure
