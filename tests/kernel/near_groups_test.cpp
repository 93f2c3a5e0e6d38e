#include "riemflow/kernel/near_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numeric>

#include "tests/kernel/kernel_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

/// By brute force: numbers of both are exchanged until no near pair differs.
std::vector<std::size_t> all_pairs(const Manifold<double>& manifold, const Points<double>& points,
                                   double distance) {
  std::vector<std::size_t> groups(points.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension)), y(x.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      for (std::size_t c = 0; c < x.size(); ++c) {
        x[c] = Pack<double>(points[i][c]);
        y[c] = Pack<double>(points[j][c]);
      }
      if (groups[i] == groups[j] || !(manifold.distance(x.data(), y.data())[0] <= distance)) continue;
      const std::size_t from = std::max(groups[i], groups[j]), to = std::min(groups[i], groups[j]);
      for (std::size_t& group : groups)
        if (group == from) group = to;
    }
  std::vector<std::size_t> numbers(points.size());  // groups are named by their first points, which rise
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i) numbers[i] = groups[i] == i ? count++ : numbers[groups[i]];
  return numbers;
}

TEST(NearGroups, AreThoseOfBruteForceOnEveryManifold) {
  for (const std::string& name : density_test::kKernelManifolds) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    Points<double> points = draws_of(*default_base<double>(manifold), 120, 1, 0, 0, Purpose::test);
    for (int i = 0; i < 10; ++i)
      points.values.insert(points.values.end(), points[5].begin(), points[5].end());
    std::size_t before = points.size() + 1;
    for (const double distance : {0.0, 0.05, 0.15, 0.4, 1.0, 2.5}) {
      const std::vector<std::size_t> found = near_groups(manifold, points, distance);
      EXPECT_EQ(found, all_pairs(*manifold, points, distance)) << name << " " << distance;
      const std::size_t count = 1 + *std::max_element(found.begin(), found.end());
      EXPECT_LE(count, before);
      EXPECT_TRUE(distance > 0 || count == 120) << name << count;  // equal points alone
      before = count;
    }
  }
}

TEST(NearGroups, AChainIsOneGroupAndGeodesicsAreMeasured) {
  const std::shared_ptr<const Manifold<double>> sphere = parse_manifold<double>("sphere:2");
  Points<double> points(10, 3);
  for (std::size_t i = 0; i < 10; ++i) {
    const double angle = 0.3 * static_cast<double>(i) + (i > 5 ? 0.01 : 0.0);
    points[i][0] = std::cos(angle);
    points[i][1] = std::sin(angle);
    points[i][2] = 0;
  }
  // The chord of the gap, 2 sin 0.155 = 0.3088, is shorter than 0.309; its arc, 0.31, is not.
  EXPECT_EQ(near_groups(sphere, points, 0.309), (std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(near_groups(sphere, points, 0.311), std::vector<std::size_t>(10, 0));
}

TEST(NearGroups, OneLargeGroupDoesNotTakeAllPairs) {
  // Nearly all of 30,000 points are within the distance of all others: 450 million pairs, a minute's work.
  constexpr std::size_t n = kSanitized ? 3000 : 30000;
  const std::shared_ptr<const Manifold<double>> plane = parse_manifold<double>("euclidean:2");
  const Points<double> points = draws_of(*default_base<double>(plane), n, 1, 0, 0, Purpose::test);
  const std::clock_t start = std::clock();
  EXPECT_EQ(near_groups(plane, points, 5), std::vector<std::size_t>(n, 0));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2);
}

}  // namespace
}  // namespace riemflow
