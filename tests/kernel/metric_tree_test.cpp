#include "riemflow/kernel/metric_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/kernel/kernel_cases.hpp"

namespace riemflow {
namespace {

TEST(MetricTree, NeighboursAreThoseOfBruteForce) {
  for (const std::string& name : density_test::kKernelManifolds) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const KernelSpace space(manifold);
    Points<double> points = draws_of(*default_base<double>(manifold), 300, 1, 0, 0, Purpose::test);
    for (int i = 0; i < 40; ++i)  // equal points
      points.values.insert(points.values.end(), points[5].begin(), points[5].end());
    const MetricTree tree(space, points);
    std::vector<MetricTree::Neighbour> found;
    for (std::uint32_t i = 0; i < 50; ++i) {
      const double* e = tree.embedded(i);
      std::vector<double> squares;
      for (std::size_t j = 0; j < tree.size(); ++j)
        if (j != i) squares.push_back(space.squared_distance(e, tree.embedded(j)));
      std::sort(squares.begin(), squares.end());
      tree.nearest(space, e, 7, i, found);
      ASSERT_EQ(found.size(), 7u);
      for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(found[k].square, squares[k]) << name;
    }
    tree.nearest(space, tree.embedded(0), 1000, MetricTree::kNone, found);
    EXPECT_EQ(found.size(), tree.size());
  }
}

TEST(MetricTree, NeighboursOfALeafAreThoseOfBruteForce) {
  for (const std::string& name : density_test::kKernelManifolds) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const KernelSpace space(manifold);
    Points<double> points = draws_of(*default_base<double>(manifold), 300, 1, 0, 0, Purpose::test);
    for (int i = 0; i < 40; ++i)  // equal points
      points.values.insert(points.values.end(), points[5].begin(), points[5].end());
    const MetricTree tree(space, points);
    const auto nearer = [](const MetricTree::Neighbour& a, const MetricTree::Neighbour& b) {
      return a.square != b.square ? a.square < b.square : a.point < b.point;
    };
    for (const std::size_t k : {1u, 7u, 60u, 1000u}) {
      MetricTree::LeafNeighbours search(space, tree, k);
      for (std::uint32_t i = 0; i < tree.size(); ++i) {
        const std::vector<MetricTree::Neighbour>& found = search.of(i);
        std::vector<MetricTree::Neighbour> all;
        for (std::uint32_t j = 0; j < tree.size(); ++j)
          if (j != i) all.push_back({space.squared_distance(tree.embedded(i), tree.embedded(j)), j});
        std::sort(all.begin(), all.end(), nearer);
        ASSERT_EQ(found.size(), std::min(k, tree.size() - 1)) << name;
        for (std::size_t n = 0; n < found.size(); ++n) {
          EXPECT_EQ(found[n].square, all[n].square) << name;
          EXPECT_EQ(found[n].point, all[n].point) << name;
        }
      }
    }
  }
}

TEST(MetricTree, DistancesAreNoLongerThanGeodesics) {
  for (const std::string& name : density_test::kKernelManifolds) {
    const std::shared_ptr<const Manifold<double>> manifold = parse_manifold<double>(name);
    const KernelSpace space(manifold);
    const Points<double> points = draws_of(*default_base<double>(manifold), 40, 2, 0, 0, Purpose::test);
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension)), y(x.size());
    std::vector<double> a(static_cast<std::size_t>(space.width())), b(a.size());
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      for (std::size_t c = 0; c < x.size(); ++c) {
        x[c] = Pack<double>(points[i][c]);
        y[c] = Pack<double>(points[i + 1][c]);
      }
      space.embed(points[i], a.data());
      space.embed(points[i + 1], b.data());
      const double geodesic = manifold->distance(x.data(), y.data())[0];
      const double distance = std::sqrt(space.squared_distance(a.data(), b.data()));
      EXPECT_LE(distance, geodesic * (1 + 1e-9)) << name;
      EXPECT_GE(distance, geodesic * 0.6) << name;  // 2/π for a chord, at most
    }
  }
}

}  // namespace
}  // namespace riemflow
