#include "riemflow/io/near_groups.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <numeric>

#include "riemflow/manifold/covering.hpp"
#include "tests/kernel/kernel_cases.hpp"
#include "tests/sanitized.hpp"

namespace riemflow {
namespace {

/// Of all pairs, [i][j] for j < i.
std::vector<std::vector<double>> all_distances(const Manifold<double>& manifold,
                                               const Points<double>& points) {
  std::vector<std::vector<double>> distances(points.size());
  std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension)), y(x.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t tile = 0; tile * kLanes < i; ++tile) {
      for (std::size_t c = 0; c < x.size(); ++c) x[c] = Pack<double>(points[i][c]);
      for (int l = 0; l < kLanes; ++l)
        for (std::size_t c = 0; c < x.size(); ++c)
          y[c][l] = points[std::min(i, tile * kLanes + static_cast<std::size_t>(l))][c];
      const Pack<double> all = manifold.distance(x.data(), y.data());
      for (int l = 0; l < kLanes && distances[i].size() < i; ++l)
        distances[i].push_back(std::ranges::equal(points[i], points[distances[i].size()]) ? 0 : all[l]);
    }
  return distances;
}

/// By brute force: numbers of both are exchanged until no near pair differs.
std::vector<std::size_t> all_pairs(const std::vector<std::vector<double>>& distances, double distance) {
  std::vector<std::size_t> groups(distances.size());
  std::iota(groups.begin(), groups.end(), std::size_t{0});
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (groups[i] == groups[j] || !(distances[i][j] <= distance)) continue;
      const std::size_t from = std::max(groups[i], groups[j]), to = std::min(groups[i], groups[j]);
      for (std::size_t& group : groups)
        if (group == from) group = to;
    }
  std::vector<std::size_t> numbers(groups.size());  // groups are named by their first points, which rise
  std::size_t count = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) numbers[i] = groups[i] == i ? count++ : numbers[groups[i]];
  return numbers;
}

/// Draws of a wide density of the manifold: uniform, or down from the base of its cover.
Points<double> spread_out(const std::shared_ptr<const Manifold<double>>& manifold, std::size_t n) {
  const std::shared_ptr<const Covering> covering = manifold->covering();
  if (covering == nullptr) return draws_of(*default_base<double>(manifold), n, 1, 0, 0, Purpose::test);
  const Points<double> above = draws_of(*default_base<double>(covering->cover()), n, 1, 0, 0, Purpose::test);
  Points<double> points(n, manifold->ambient());
  for (std::size_t i = 0; i < n; ++i) covering->drop(above[i].data(), points[i].data());
  return points;
}

TEST(NearGroups, AreThoseOfBruteForceOnEveryManifold) {
  std::vector<std::string> names = density_test::kKernelManifolds;
  // Told through others, by maps that keep lengths and by maps that do not; and without any kernels.
  for (const char* name : {"axis:1",
                           "axis:2",
                           "rotation:3",
                           "rotation:3/222",
                           "rotation:3/432",
                           "simplex:1",
                           "simplex:2",
                           "hyperboloid:2",
                           "hyperboloid:2,K=-4",
                           "interval:1,from=-3,to=2",
                           "positive:1",
                           "torus:2,L=3;0.5",
                           "spd:1",
                           "spd:2",
                           "stiefel:3,1",
                           "stiefel:3,2",
                           "stiefel:4,2",
                           "grassmann:3,1",
                           "grassmann:4,2",
                           "rotation:3/222 x euclidean:3",
                           "spd:2 x sphere:2",
                           "stiefel:3,2 x positive:1",
                           "axis:2 x axis:2"})
    names.emplace_back(name);
  const std::size_t most = kSanitized ? 40 : 120;
  for (const std::string& name : names) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    // Logarithms on Stiefel manifolds take their time.
    const std::size_t n = name.starts_with("stiefel") ? 30 : most;
    Points<double> points = spread_out(manifold, n);
    for (int i = 0; i < 10; ++i)
      points.values.insert(points.values.end(), points[5].begin(), points[5].end());
    const std::vector<std::vector<double>> distances = all_distances(*manifold, points);
    std::size_t before = points.size() + 1;
    bool parted = false, joined = false;
    for (const double distance : {0.0, 0.05, 0.15, 0.4, 1.0, 2.5}) {
      const std::vector<std::size_t> found = near_groups(*manifold, points, distance);
      EXPECT_EQ(found, all_pairs(distances, distance)) << name << " " << distance;
      const std::size_t count = 1 + *std::max_element(found.begin(), found.end());
      EXPECT_LE(count, before);
      EXPECT_TRUE(distance > 0 || count == n) << name << count;  // equal points alone
      parted |= distance > 0 && count > 1;
      joined |= count < n;
      before = count;
    }
    EXPECT_TRUE(parted && joined) << name << ": no distance tells anything";
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
  EXPECT_EQ(near_groups(*sphere, points, 0.309), (std::vector<std::size_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(near_groups(*sphere, points, 0.311), std::vector<std::size_t>(10, 0));
}

TEST(NearGroups, EqualPointsAreNoEndlessTree) {
  const std::shared_ptr<const Manifold<double>> plane = parse_manifold<double>("euclidean:2");
  Points<double> points(5000, 2);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i][0] = points[i][1] = i < 4900 ? 1 : 1e-3 * static_cast<double>(i);
  std::vector<std::size_t> expected(points.size(), 0);
  for (std::size_t i = 4900; i < points.size(); ++i) expected[i] = i - 4899;
  EXPECT_EQ(near_groups(*plane, points, 1e-4), expected);
}

TEST(NearGroups, OneLargeGroupDoesNotTakeAllPairs) {
  // Nearly all of 30,000 points are within the distance of all others: 450 million pairs, a minute's work.
  constexpr std::size_t n = kSanitized ? 3000 : 30000;
  const std::shared_ptr<const Manifold<double>> plane = parse_manifold<double>("euclidean:2");
  const Points<double> points = draws_of(*default_base<double>(plane), n, 1, 0, 0, Purpose::test);
  const std::clock_t start = std::clock();
  EXPECT_EQ(near_groups(*plane, points, 5), std::vector<std::size_t>(n, 0));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2);
}

}  // namespace
}  // namespace riemflow
