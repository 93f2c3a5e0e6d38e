#include "riemflow/io/duplicates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "riemflow/core/rotation.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/manifold/crystal_group.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow {
namespace {

Points<double> points_of(int dimension, std::vector<double> values) {
  Points<double> points;
  points.dimension = dimension;
  points.values = std::move(values);
  return points;
}

std::vector<std::size_t> groups_on(const std::string& manifold, const Points<double>& points) {
  return duplicate_groups(*parse_manifold<double>(manifold), points);
}

std::size_t count_on(const std::string& manifold, const Points<double>& points) {
  return count_duplicates(*parse_manifold<double>(manifold), points);
}

TEST(Duplicates, GroupsAreNumberedAsTheyAppear) {
  const auto points = points_of(2, {1, 2, 3, 4, 1, 2, 5, 6, 3, 4, 1, 2});
  EXPECT_EQ(groups_on("euclidean:2", points), (std::vector<std::size_t>{0, 1, 0, 2, 1, 0}));
  EXPECT_EQ(count_on("euclidean:2", points), 3u);
}

TEST(Duplicates, EqualMeansEqual) {
  EXPECT_EQ(count_on("euclidean:1", points_of(1, {0.0, -0.0})), 1u);
  EXPECT_EQ(count_on("euclidean:1", points_of(1, {1.0, 1.0 + 1e-15})), 0u);
  EXPECT_EQ(count_on("euclidean:2", points_of(2, {1, 2, 2, 1})), 0u);
  EXPECT_EQ(count_on("euclidean:3", points_of(3, {})), 0u);
}

TEST(Duplicates, ManyPointsOnAGrid) {
  Points<double> points(200000, 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i][0] = static_cast<double>(i * 7919 % 100);
    points[i][1] = static_cast<double>(i % 70);
  }
  // i ↦ (7919 i mod 100, i mod 70) has period lcm(100, 70) = 700.
  EXPECT_EQ(count_on("euclidean:2", points), points.size() - 700);
  const auto groups = groups_on("euclidean:2", points);
  for (std::size_t i = 0; i < points.size(); ++i) ASSERT_EQ(groups[i], i % 700);
}

using Rotation4 = rotation::Quaternion<double>;

/// Uniform on the space, the first half; the second half the same points as `other` makes them.
template <class Other>
Points<double> twice(const std::string& manifold, std::size_t n, const Other& other) {
  const std::shared_ptr<const Manifold<double>> space = parse_manifold<double>(manifold);
  Points<double> points(2 * n, space->ambient());
  std::vector<Pack<double>> x(static_cast<std::size_t>(space->ambient()));
  for (std::size_t i = 0; i < n; ++i) {
    Random random(1, Purpose::test, 0, i);
    space->random_uniform(random, x.data(), 0);
    for (std::size_t c = 0; c < x.size(); ++c) points[i][c] = points[n + i][c] = x[c][0];
    other(i, points[n + i]);
  }
  return points;
}

std::vector<std::size_t> each_twice(std::size_t n) {
  std::vector<std::size_t> groups(2 * n);
  for (std::size_t i = 0; i < 2 * n; ++i) groups[i] = i % n;
  return groups;
}

TEST(Duplicates, BothEndsOfAnAxisAreOne) {
  for (const char* manifold : {"axis:1", "axis:2", "axis:4"})
    EXPECT_EQ(groups_on(manifold, twice(manifold, 100,
                                        [](std::size_t, std::span<double> x) {
                                          for (double& c : x) c = -c;
                                        })),
              each_twice(100))
        << manifold;
  // On a sphere they are two.
  EXPECT_EQ(count_on("sphere:2", points_of(3, {0.6, 0, 0.8, -0.6, 0, -0.8})), 0u);
  // On the border, where the end that is kept changes with the sign of a rounding.
  EXPECT_EQ(count_on("axis:2", points_of(3, {1e-13, 0.6, 0.8, 1e-13, -0.6, -0.8, 0, 0.6, 0.8})), 2u);
}

TEST(Duplicates, OrientationsThatASymmetryTakesToEachOtherAreOne) {
  for (const char* name : {"1", "222", "622", "432"}) {
    const CrystalGroup& group = crystal_group(name);
    const std::string manifold = std::string("rotation:3/") + name;
    const auto turned = [&](double rounding) {
      return twice(manifold, 200, [&, rounding](std::size_t i, std::span<double> q) {
        const Rotation4 image =
            rotation::product(Rotation4{q[0], q[1], q[2], q[3]}, group.elements[i % group.elements.size()]);
        for (std::size_t c = 0; c < 4; ++c) {
          q[c] = i % 2 == 0 ? image[c] : -image[c];
          if (rounding > 0) q[c] = std::round(q[c] / rounding) * rounding;
        }
      });
    };
    EXPECT_EQ(groups_on(manifold, turned(0)), each_twice(200)) << name;
    EXPECT_EQ(groups_on(manifold, turned(1e-9)), each_twice(200)) << name << ", nine decimals";
    EXPECT_EQ(count_on(manifold, turned(1e-5)), 0u) << name << ": what is near is not equal";
    if (group.elements.size() > 1) {
      EXPECT_LT(count_on("rotation:3", turned(0)), 120u) << name;
    }
  }
  // On the border of the fundamental zone of 432: a turn by 45° about z either way, and rounded.
  const double h = std::numbers::pi / 8, e = 1e-12;
  EXPECT_EQ(
      count_on("rotation:3/432", points_of(4, {std::cos(h), 0, 0, std::sin(h),  //
                                               std::cos(h + e), 0, 0, std::sin(h + e), std::cos(h), 0, 0,
                                               -std::sin(h), std::cos(h + e), 0, 0, -std::sin(h + e)})),
      3u);
}

TEST(Duplicates, AreThoseOfAllFactors) {
  // Misorientations, turned on either side, beside a number.
  const std::string manifold = "rotation:3/432 x axis:2 x euclidean:1";
  const Rotation4 s = crystal_group("432").elements[7];
  const Rotation4 q = rotation::unit(Rotation4{0.9, 0.1, -0.3, 0.2}), p = rotation::product(q, s);
  const auto row = [](const Rotation4& a, double sign, double x) {
    return std::vector<double>{a[0], a[1], a[2], a[3], sign * 0.6, 0, sign * 0.8, x};
  };
  Points<double> points = points_of(8, {});
  for (const auto& point : {row(q, 1, 5), row(p, -1, 5), row(p, 1, 5), row(q, 1, 5 + 1e-12), row(q, -1, 4)})
    points.values.insert(points.values.end(), point.begin(), point.end());
  EXPECT_EQ(groups_on(manifold, points), (std::vector<std::size_t>{0, 0, 0, 1, 2}));
}

TEST(Duplicates, AnglesATurnApartAndBasesOfOneSubspaceAreOne) {
  const double turn = 2 * std::numbers::pi;
  EXPECT_EQ(count_on("torus:2", points_of(2, {3.1, -3, 3.1 - 3 * turn, -3 + turn, 3.1, -3 + 1e-9})), 1u);
  // Across the seam.
  EXPECT_EQ(count_on("torus:1", points_of(1, {-std::numbers::pi, std::nextafter(std::numbers::pi, 0)})), 1u);
  EXPECT_EQ(count_on("torus:1,L=24",
                     points_of(1, {17.003987598881018, 17.003987598881018 + 24 - 24, 23.999999999999996, 0})),
            2u);
  const double c = std::cos(0.3), s = std::sin(0.3);
  const auto projector = [](double x, double y) { return std::vector<double>{x * x, x * y, x * y, y * y}; };
  Points<double> lines = points_of(4, {});
  for (const auto& p : {projector(c, s), projector(std::cos(0.3 + 1e-12), std::sin(0.3 + 1e-12)),
                        projector(std::cos(0.3 + 1e-6), std::sin(0.3 + 1e-6))})
    lines.values.insert(lines.values.end(), p.begin(), p.end());
  EXPECT_EQ(groups_on("grassmann:2,1", lines), (std::vector<std::size_t>{0, 0, 1}));
}

TEST(Duplicates, AreFoundAmongManyAndOnGrids) {
  // A grid of axes, all of whose rings have one distance from the pole, and each point again by its other
  // end.
  Points<double> points = points_of(3, {});
  for (int repeat = 0; repeat < 2; ++repeat)
    for (int i = 1; i < 90; ++i)
      for (int j = 0; j < 360; ++j) {
        const double theta = i * std::numbers::pi / 180, phi = (j + 0.5) * std::numbers::pi / 180;
        const double sign = repeat == 0 ? 1 : -1;
        for (const double x :
             {std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)})
          points.values.push_back(sign * x);
      }
  EXPECT_EQ(groups_on("axis:2", points), each_twice(89 * 360));
}

}  // namespace
}  // namespace riemflow
